import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { parseJson } from '../../engine/parse-json.ts';

/**
 * Files next to the stdout of a sandboxed process: bubblewrap's status, and the processes still running when the
 * command ended.
 */
export function roomFiles(stdout: string): { readonly status: string; readonly left: string } {
  return { status: `${stdout}.room`, left: `${stdout}.left` };
}

interface RoomStatus {
  /** First process of the room, by its pid on the machine. Killing it ends everything in the room. */
  readonly first: number | null;
  /** Null: bubblewrap failed, or was killed, before the command ended. */
  readonly exit: number | null;
}

/** Ignores a line that is only half written. */
export function readStatus(file: string): RoomStatus {
  const said = Object.assign({}, ...lines(file).map((line) => parseJson(line))) as Record<string, unknown>;
  return { first: numberIn(said['child-pid']), exit: numberIn(said['exit-code']) };
}

function lines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Sends SIGINT to every process of a room except the first, whose end would end all others at once. */
export function interruptRoom(first: number): void {
  const namespace = namespaceOf(first);
  if (namespace === null) return;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== first);
  for (const pid of pids) if (namespaceOf(pid) === namespace) signal(Number(pid), 'SIGINT');
}

function namespaceOf(pid: number | string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return null;
  }
}

/** Sends a signal to a process that may be gone already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already, or not ours to signal.
  }
}
