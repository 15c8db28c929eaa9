import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { callIdFrom, type ProcessInfo, type ProcessTable } from './process-table.ts';
import { readLimits } from './process-tag.ts';

interface Stat {
  readonly ppid: number;
  readonly terminal: boolean;
  readonly ticks: string;
  readonly program: string;
}

/**
 * Processes of Linux, read from /proc. Start times count ticks since boot, so they include the boot id: after a reboot
 * every earlier holder is dead. The host combines the machine and the pid namespace, because pids of another container
 * mean nothing here.
 */
export function createLinuxTable(): ProcessTable {
  const boot = short(tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? '');
  const machine = tryRead(() => readFileSync('/etc/machine-id', 'utf8')) ?? '';
  const namespace = tryRead(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  const startOf = (pid: number): string | null => {
    const stat = readStat(pid);
    return stat && `${boot}.${stat.ticks}`;
  };
  const read = (pid: number, cwd: boolean): ProcessInfo | null => {
    const stat = readStat(pid);
    if (!stat) return null;
    const kernel = isKernel(pid, stat);
    const environ = kernel ? '' : tryRead(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    return {
      pid,
      ppid: stat.ppid,
      start: `${boot}.${stat.ticks}`,
      terminal: stat.terminal,
      call_id: callIdOf(environ ?? ''),
      ...(environ === '' && !kernel && { blank: true }),
      limits: kernel ? null : readLimits(pid),
      cwd: cwd ? readCwd(pid) : null,
      program: stat.program,
    };
  };
  return {
    host: `${hostname()}#${short(machine + namespace)}`,
    startOf,
    isStopped: (pid) => /\) [Tt] /.test(tryRead(() => readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? ''),
    list: ({ cwd }) =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((name) => read(Number(name), cwd))
        .filter((info) => info !== null),
    lineage() {
      const line: ProcessInfo[] = [];
      for (let at = read(process.pid, false); at; at = at.ppid > 0 ? read(at.ppid, false) : null)
        line.push(at);
      return line;
    },
  };
}

/**
 * Parses the fields of /proc/<pid>/stat that we need; null for a zombie. The program name is in parentheses and may
 * contain spaces and parentheses. So the fields are counted from the last parenthesis.
 */
export function parseStat(text: string): Stat | null {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, ppid] = fields;
  const ticks = fields[19];
  if (state === undefined || ppid === undefined || ticks === undefined || 'ZXx'.includes(state)) return null;
  const program = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
  return { ppid: Number(ppid), terminal: fields[4] !== '0', ticks, program };
}

function readStat(pid: number): Stat | null {
  const text = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return text === null ? null : parseStat(text);
}

/**
 * Whether it is a kernel thread, which has no environment. All kernel threads are children of the process with pid 2.
 */
function isKernel(pid: number, { ppid }: Stat): boolean {
  return pid === 2 || ppid === 2;
}

function callIdOf(environ: string): string | null {
  const pairs = environ.split('\0');
  return callIdFrom((name) => pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1));
}

function readCwd(pid: number): string | null {
  const path = tryRead(() => readlinkSync(`/proc/${pid}/cwd`));
  return path?.replace(/ \(deleted\)$/, '') ?? null;
}

/** Null if the process ended meanwhile or belongs to another user. */
function tryRead(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function short(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 8);
}
