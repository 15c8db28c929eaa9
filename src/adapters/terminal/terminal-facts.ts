import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Milliseconds per tick of /proc. Every Linux that Node runs on has 100 ticks per second. */
const TICK_MS = 10;

/** When the terminal of this process was opened, in clock time. Null if /proc does not show it. */
export interface Opened {
  readonly leader: number | null;
  readonly holder: number | null;
}

/** Whether this process has a controlling terminal. Cron jobs and detached processes do not have one. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'));
    return true;
  } catch {
    return false;
  }
}

/** User namespace, pid namespace and user id map of this process; null without /proc. */
export function readNamespaces(): string | null {
  return tryRead(() => {
    const [user, pid] = ['user', 'pid'].map((name) => readlinkSync(`/proc/self/ns/${name}`));
    const users = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).join(' ');
    return `${user} ${pid} ${users}`;
  });
}

/**
 * Start times of the session leader of this process, and of the youngest process that holds the other end of its
 * terminal. If a worker opened the terminal, its leader or holder is younger than the worker. The holder is null if
 * only other users hold that end, as with sshd.
 */
export function terminalOpened(now: number): Opened {
  const own = readStat('self');
  const leader = own && readStat(own.session);
  if (!own || !leader || own.terminal === 0) return { leader: null, holder: null };
  const index = minorOf(own.terminal);
  // Usually the leader's parent holds it: the terminal program, tmux, sshd or `script`.
  const near = holds(String(leader.parent), index) ? [String(leader.parent)] : null;
  const holders = near ?? processes().filter((pid) => holds(pid, index));
  const starts = holders.flatMap((pid) => readStat(pid)?.start ?? []);
  const uptime =
    Number(tryRead(() => readFileSync('/proc/uptime', 'utf8'))?.split(' ')[0] ?? Number.NaN) * 1000;
  const clock = (ticks: number) => now - uptime + ticks * TICK_MS;
  return {
    leader: clock(leader.start),
    holder: starts.length === 0 ? null : clock(Math.max(...starts)),
  };
}

interface Stat {
  readonly parent: number;
  readonly session: number;
  /** Device number of the controlling terminal; 0: none. */
  readonly terminal: number;
  readonly start: number;
}

/** The program name is in parentheses and may contain anything. So the fields are counted from the last parenthesis. */
function readStat(pid: number | string): Stat | null {
  const text = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (text === null) return null;
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0, , session = 0, terminal = 0] = fields;
  return { parent, session, terminal, start: fields[19] ?? 0 };
}

/** Bits 0 to 7 and 20 to 31 of a device number. */
function minorOf(device: number): number {
  return (device & 0xff) | ((device >>> 12) & 0xfff00);
}

function processes(): string[] {
  return (tryRead(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name));
}

/** Whether a process has the master side of this pseudo terminal open. */
function holds(pid: string, index: number): boolean {
  const fds = tryRead(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return fds.some((fd) => {
    const target = tryRead(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
    if (target === null || !/^\/dev\/(?:pts\/)?ptmx$/.test(target)) return false;
    const info = tryRead(() => readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8')) ?? '';
    return Number(/^tty-index:\s+(\d+)/m.exec(info)?.[1] ?? -1) === index;
  });
}

/** Null if the process ended meanwhile or belongs to another user. */
function tryRead<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
