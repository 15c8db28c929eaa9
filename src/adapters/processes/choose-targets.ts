import { ancestry, type ProcessInfo } from './process-table.ts';

/** What a sweep is to end, and what it may never touch. */
export interface Wanted {
  readonly mark: string;
  /** A folder only workers use; see `chooseTargets`. */
  readonly tree: string | null;
  /** Processes an earlier look of the same sweep chose, by `identity`; a dead parent does not lose its children. */
  readonly known: ReadonlySet<string>;
  readonly self: number;
}

/**
 * Which processes a sweep ends, parents before children:
 * those that carry the mark, those chosen before, all their descendants, and, with `tree`, those whose working
 * directory lies in it.
 *
 * Never ended: this process and its ancestors. The rule of the tree is for daemons that cleared their environment and
 * left their parents; it therefore spares everything that can belong to somebody else: what has a controlling
 * terminal (a person's shell or editor), what carries the mark of another call or descends from one (a parallel
 * call in the same tree), and our own unmarked children (the engine's git). A graphical editor started in the tree
 * has none of these signs: callers pass `tree` only for a tree of Baton's own, never for a person's folder.
 */
export function chooseTargets(table: readonly ProcessInfo[], wanted: Wanted): ProcessInfo[] {
  const byPid = new Map(table.map((info) => [info.pid, info]));
  const spared = new Set(ancestry(byPid, wanted.self).map((info) => info.pid));
  const isRoot = (info: ProcessInfo) =>
    hasMark(info.mark, wanted.mark) || wanted.known.has(identity(info)) || isInTree(info, byPid, wanted);
  const roots = new Set(
    table.filter((info) => !spared.has(info.pid) && isRoot(info)).map((info) => info.pid),
  );
  return table
    .map((info) => ({ info, line: ancestry(byPid, info.pid) }))
    .filter(({ info, line }) => !spared.has(info.pid) && line.some((above) => roots.has(above.pid)))
    .sort((a, b) => a.line.length - b.line.length)
    .map(({ info }) => info);
}

/** A mark is a run, an effect or one attempt; `sp-1/2/1` is not the beginning of `sp-1/2/10`. */
function hasMark(carried: string | null, mark: string): boolean {
  return (
    carried === mark || carried?.startsWith(`${mark}.`) === true || carried?.startsWith(`${mark}/`) === true
  );
}

/** Names one process for ever, unlike its pid. */
export function identity(info: ProcessInfo): string {
  return `${info.pid}@${info.start}`;
}

function isInTree(info: ProcessInfo, byPid: ReadonlyMap<number, ProcessInfo>, wanted: Wanted): boolean {
  const { tree, self } = wanted;
  if (tree === null || info.cwd === null || info.terminal) return false;
  if (info.cwd !== tree && !info.cwd.startsWith(`${tree}/`)) return false;
  return !ancestry(byPid, info.pid).some((above) => above.pid === self || above.mark !== null);
}
