import type { Limits } from './process-tag.ts';

/** One living process as the system shows it. Zombies are left out: they hold no resources and cannot be killed. */
export interface ProcessInfo {
  readonly pid: number;
  readonly ppid: number;
  /** Start time. With the pid it identifies one process permanently. */
  readonly start: string;
  /** It has a controlling terminal. Workers never have one, because they start in a session of their own. */
  readonly terminal: boolean;
  /**
   * BATON_CALL from the environment it was started with, prefixed with its workspace. Null if it is not set or not
   * readable.
   */
  readonly call_id: string | null;
  /** It shows no environment at all. It may be about to execute another program and show its call id a moment later. */
  readonly blank?: true;
  readonly cwd: string | null;
  /** Hard limits that may carry a process tag. Null or absent: unknown. */
  readonly limits?: Limits | null;
  /** Name of its program. The system may shorten it. */
  readonly program: string;
}

/**
 * Queries about the processes of one operating system. They are synchronous, so that a result is one view and not a
 * moving one.
 */
export interface ProcessTable {
  /** Every living process. Working directories are read only if `cwd` is set. */
  list(want: { readonly cwd: boolean }): ProcessInfo[];
  /** Start time of one living process; null if it does not exist. */
  startOf(pid: number): string | null;
  /** Whether a process was stopped by a signal. */
  isStopped(pid: number): boolean;
  /** This process and its ancestors, nearest first. */
  lineage(): ProcessInfo[];
  /** Identifies the machine and its pid namespace. Pids are comparable only if these strings are equal. */
  readonly host: string;
}

/** Environment variable with the call id. Every worker process has it. */
export const CALL_ID = 'BATON_CALL';
/**
 * Environment variable with the workspace of the worker. Two workspaces on one machine may have a ticket of the same
 * number.
 */
export const WORKSPACE = 'BATON_WORKSPACE';

/** The call id in this environment, prefixed with its workspace; null if it is not set. */
export function callIdFrom(variable: (name: string) => string | undefined): string | null {
  const call_id = variable(CALL_ID);
  return call_id ? callIdIn(variable(WORKSPACE) ?? '', call_id) : null;
}

export function callIdIn(location: string, call_id: string): string {
  return location === '' ? call_id : `${location}:${call_id}`;
}

/** The call id without the workspace prefix. */
export function withoutWorkspace(call_id: string): string {
  return call_id.slice(call_id.indexOf(':') + 1);
}

/** A process and its ancestors, nearest first. It stops where a parent is not listed or the table contains a cycle. */
export function ancestry(table: ReadonlyMap<number, ProcessInfo>, pid: number): ProcessInfo[] {
  const found = new Map<number, ProcessInfo>();
  let at = table.get(pid);
  while (at && !found.has(at.pid)) {
    found.set(at.pid, at);
    at = table.get(at.ppid);
  }
  return [...found.values()];
}
