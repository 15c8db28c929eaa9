/** One living process as the system shows it. Zombies are not in it: they hold nothing and cannot be ended. */
export interface ProcessInfo {
  readonly pid: number;
  readonly ppid: number;
  /** Start time; with the pid it names one process for ever. */
  readonly start: string;
  /** Has a controlling terminal. Workers never have one: they are started in a session of their own. */
  readonly terminal: boolean;
  /** BATON_CALL of the environment it was started with, after its workspace; null when there is none or it may not be read. */
  readonly mark: string | null;
  /** It shows no environment at all: it may be about to become another program, and shows its mark a moment later. */
  readonly blank?: true;
  readonly cwd: string | null;
  /** Name of its program, as short as the system keeps it. */
  readonly program: string;
}

/** What a system must tell about its processes. All of it is read synchronously: one view, not a moving one. */
export interface ProcessTable {
  /** Every living process; working directories only when asked for. */
  list(want: { readonly cwd: boolean }): ProcessInfo[];
  /** Start time of one living process, null when there is none. */
  startOf(pid: number): string | null;
  /** This process and its ancestors, nearest first. */
  lineage(): ProcessInfo[];
  /** Names the machine and the process numbers it counts; equal strings mean comparable pids. */
  readonly host: string;
}

/** The variable every worker process carries. */
export const MARK = 'BATON_CALL';
/** Beside it: the workspace it works for. Two of them on one machine may have a ticket of the same number. */
export const PLACE = 'BATON_PLACE';

/** The mark of a process with this environment, with its workspace before it; null when it has none. */
export function markFrom(variable: (name: string) => string | undefined): string | null {
  const mark = variable(MARK);
  return mark ? markIn(variable(PLACE) ?? '', mark) : null;
}

export function markIn(place: string, mark: string): string {
  return place === '' ? mark : `${place}:${mark}`;
}

/** The mark as its workspace knows it. */
export function withoutPlace(mark: string): string {
  return mark.slice(mark.indexOf(':') + 1);
}

/** Walks from a process to its parents; stops at the first one, or when the table goes in a circle. */
export function ancestry(table: ReadonlyMap<number, ProcessInfo>, pid: number): ProcessInfo[] {
  const found = new Map<number, ProcessInfo>();
  let at = table.get(pid);
  while (at && !found.has(at.pid)) {
    found.set(at.pid, at);
    at = table.get(at.ppid);
  }
  return [...found.values()];
}
