import { hostname } from 'node:os';
import { ancestry, callIdFrom, type ProcessInfo, type ProcessTable } from './process-table.ts';

/**
 * Processes of macOS, read with `ps` and `lsof`. The system hides the environment of its own programs (`sh`, `sleep`).
 * There the call id is found on the worker, and its children by descent.
 */
export function createDarwinTable(): ProcessTable {
  const machine = run('sysctl', ['-n', 'kern.uuid']);
  const list: ProcessTable['list'] = ({ cwd }) =>
    parseProcesses({
      plain: run('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,tty=,lstart=,command=']),
      environment: run('ps', ['-A', '-E', '-ww', '-o', 'pid=,command=']),
      directories: cwd ? run('lsof', ['-d', 'cwd', '-Fpn']) : '',
    });
  return {
    host: `${hostname()}#${process.getBuiltinModule('node:crypto').createHash('sha256').update(machine).digest('hex').slice(0, 8)}`,
    list,
    isStopped: (pid) =>
      run('ps', ['-o', 'stat=', '-p', String(pid)])
        .trim()
        .startsWith('T'),
    startOf: (pid) => parseStart(run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)])),
    lineage() {
      const byPid = new Map(list({ cwd: false }).map((info) => [info.pid, info]));
      return ancestry(byPid, process.pid);
    },
  };
}

/**
 * Joins the three listings. The environment is the text that `-E` prints after the command. Arguments do not count as
 * environment.
 */
export function parseProcesses(text: {
  readonly plain: string;
  readonly environment: string;
  readonly directories: string;
}): ProcessInfo[] {
  const environments = new Map(text.environment.split('\n').map(splitPid));
  const directories = parseDirectories(text.directories);
  return text.plain.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\S+(?:\s+\S+){4})\s+(.*)$/.exec(line);
    const [, pid, ppid, stat, tty, start, command] = found ?? [];
    if (!stat || stat.startsWith('Z') || !start) return [];
    const shown = environments.get(Number(pid)) ?? '';
    const environment = shown.startsWith(command ?? '') ? shown.slice(command?.length) : '';
    return {
      pid: Number(pid),
      ppid: Number(ppid),
      start: oneSpace(start),
      terminal: !/^[?-]/.test(tty ?? '?'),
      call_id: callIdFrom((name) => new RegExp(`(?:^|\\s)${name}=(\\S+)`).exec(environment)?.[1]),
      cwd: directories.get(Number(pid)) ?? null,
      program: /[^/\s]*(?=\s|$)/.exec(command ?? '')?.[0] ?? '',
    };
  });
}

function splitPid(line: string): [number, string] {
  const [, pid, rest] = /^\s*(\d+)\s(.*)$/.exec(line) ?? [];
  return [Number(pid), rest ?? ''];
}

function parseDirectories(text: string): Map<number, string> {
  const found = new Map<number, string>();
  let pid = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    if (line.startsWith('n')) found.set(pid, line.slice(1));
  }
  return found;
}

function parseStart(text: string): string | null {
  const [, stat, start] = /^\s*(\S+)\s+(.+?)\s*$/.exec(text) ?? [];
  return start === undefined || stat?.startsWith('Z') ? null : oneSpace(start);
}

function oneSpace(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** `ps` and `lsof` exit with 1 if they could not show some process. Their output still counts. */
function run(program: string, args: readonly string[]): string {
  try {
    return process.getBuiltinModule('node:child_process').execFileSync(program, args, {
      encoding: 'utf8',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      maxBuffer: 2 ** 27,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    const stdout = (error as { stdout?: unknown }).stdout;
    return typeof stdout === 'string' ? stdout : '';
  }
}
