import { ancestry, type ProcessInfo } from './process-table.ts';
import { carriesTag, isTagged, lostTags, type TagRange } from './process-tag.ts';

/** Which processes to kill, and which to spare. */
export interface Wanted {
  readonly call_id: string;
  /** Process tags of the call id. */
  readonly tags?: TagRange;
  /** A folder that only workers use. See `chooseTargets`. */
  readonly tree: string | null;
  /** Processes that earlier queries of this search chose, by `identity`. They stay targets after their parents die. */
  readonly known: ReadonlySet<string>;
  readonly self: number;
}

/**
 * Which processes to kill, parents before children. These are the processes that have the call id or its process tag,
 * those that lowered the limits of their tag, and those chosen before. With `tree`, processes whose working directory
 * is in it count too. All descendants of these processes are killed with them.
 *
 * This process and its ancestors are never killed. The tree rule finds daemons that cleared their environment and left
 * their parents. It spares every process that may belong to someone else. A controlling terminal is such a sign (a
 * person's shell or editor). So is the call id of another call, on the process or an ancestor (a parallel call in the
 * same tree). Our own children without a call id (the engine's git) are spared too. A graphical editor started in the
 * tree has none of these signs. So callers pass `tree` only for a tree of Baton's own, never for a person's folder.
 */
export function chooseTargets(table: readonly ProcessInfo[], wanted: Wanted): ProcessInfo[] {
  const byPid = new Map(table.map((info) => [info.pid, info]));
  const spared = new Set(ancestry(byPid, wanted.self).map((info) => info.pid));
  const isRoot = (info: ProcessInfo) =>
    hasCallId(info.call_id, wanted.call_id) ||
    hasTag(info, wanted) ||
    isLost(info, byPid, wanted) ||
    wanted.known.has(identity(info)) ||
    isInTree(info, byPid, wanted);
  const roots = new Set(
    table.filter((info) => !spared.has(info.pid) && isRoot(info)).map((info) => info.pid),
  );
  return table
    .map((info) => ({ info, line: ancestry(byPid, info.pid) }))
    .filter(({ info, line }) => !spared.has(info.pid) && line.some((above) => roots.has(above.pid)))
    .sort((a, b) => a.line.length - b.line.length)
    .map(({ info }) => info);
}

/**
 * A call id names a run, a turn, an effect or an attempt. Only whole parts match: `sp-1/2/1` does not match
 * `sp-1/2/10`.
 */
export function hasCallId(carried: string | null, call_id: string): boolean {
  return (
    carried === call_id ||
    carried?.startsWith(`${call_id}.`) === true ||
    carried?.startsWith(`${call_id}/`) === true
  );
}

function hasTag({ limits }: ProcessInfo, { tags }: Wanted): boolean {
  return limits != null && tags !== undefined && carriesTag(limits, tags);
}

/**
 * Whether a process lowered the limits that carry its tag, and one of these calls may have started it. If one of its
 * ancestors still has a valid tag, it may belong to another running call and is spared. If our own limits look lowered,
 * such limits prove nothing about other processes.
 */
function isLost(info: ProcessInfo, byPid: ReadonlyMap<number, ProcessInfo>, { tags, self }: Wanted): boolean {
  const lost = ({ limits }: ProcessInfo) => (limits ? lostTags(limits) : null);
  const [had, own] = [lost(info), byPid.get(self)];
  if (tags === undefined || had === null || (own && lost(own))) return false;
  if (had.from >= tags.to || had.to <= tags.from) return false;
  return !ancestry(byPid, info.pid).some((above) => above.limits && isTagged(above.limits) && !lost(above));
}

/** Identifies one process permanently, unlike its pid. */
export function identity(info: ProcessInfo): string {
  return `${info.pid}@${info.start}`;
}

function isInTree(info: ProcessInfo, byPid: ReadonlyMap<number, ProcessInfo>, wanted: Wanted): boolean {
  const { tree, self } = wanted;
  if (tree === null || info.cwd === null || info.terminal) return false;
  if (info.cwd !== tree && !info.cwd.startsWith(`${tree}/`)) return false;
  return !ancestry(byPid, info.pid).some((above) => above.pid === self || above.call_id !== null);
}
