import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { markFrom, type ProcessInfo, type ProcessTable } from './process-table.ts';

interface Stat {
  readonly ppid: number;
  readonly terminal: boolean;
  readonly ticks: string;
  readonly program: string;
}

/**
 * Processes of Linux, read from /proc. Start times count ticks since boot, so the boot is part of them: after a
 * reboot every earlier holder is dead. The host is the machine and the pid namespace: pids of another container mean
 * nothing here.
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
    const environ = tryRead(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    return {
      pid,
      ppid: stat.ppid,
      start: `${boot}.${stat.ticks}`,
      terminal: stat.terminal,
      mark: markOf(environ ?? ''),
      ...(environ === '' && !isKernel(pid, stat) && { blank: true }),
      cwd: cwd ? readCwd(pid) : null,
      program: stat.program,
    };
  };
  return {
    host: `${hostname()}#${short(machine + namespace)}`,
    startOf,
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
 * The fields of /proc/<pid>/stat we need; null for a zombie. The program name stands in parentheses and may hold
 * spaces and parentheses itself, so the fields are counted from the last one.
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

/** Threads of the kernel, which have no environment: all are children of the second process. */
function isKernel(pid: number, { ppid }: Stat): boolean {
  return pid === 2 || ppid === 2;
}

function markOf(environ: string): string | null {
  const pairs = environ.split('\0');
  return markFrom((name) => pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1));
}

function readCwd(pid: number): string | null {
  const path = tryRead(() => readlinkSync(`/proc/${pid}/cwd`));
  return path?.replace(/ \(deleted\)$/, '') ?? null;
}

/** A process may end, or belong to somebody else, between two reads: both mean that there is nothing to see. */
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
