import { readFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { InvariantError } from '../../engine/errors.ts';
import type { Leftovers } from '../../ports/processes.ts';
import { chooseTargets, identity } from './choose-targets.ts';
import type { ProcessInfo } from './process-table.ts';
import type { TagRange } from './process-tag.ts';
import { signal } from './room-status.ts';

const GRACE_MS = 1000;
const LIMIT_MS = 5000;
const POLL_MS = 20;
/** Number of empty queries that is enough on a machine where other processes fork all the time. */
const MOST_QUIET = 5;

/** Which leftovers to kill. */
export interface LeftoverSearch {
  readonly call_id: string;
  /** Process tags of the call id. */
  readonly tags?: TagRange;
  readonly tree?: string | undefined;
  /** Kill at once: the processes were already asked to end. */
  readonly now?: boolean | undefined;
  /** First processes of the sandboxes that we started for this call id. Killing one ends everything in its sandbox. */
  readonly rooms?: () => readonly number[];
}

/**
 * Kills what `chooseTargets` returns: SIGTERM first, SIGKILL to what still runs a second later. It queries again until
 * nothing is left or 5 seconds have passed. Each query comes before the signals that follow from it. So the children of
 * a parent that dies are already listed.
 */
export async function killFoundProcesses(
  look: (want: { cwd: boolean }) => readonly ProcessInfo[],
  search: LeftoverSearch,
): Promise<Leftovers> {
  const tree = await checkedTree(search.call_id, search.tree);
  const known = new Map<string, ProcessInfo>();
  const told = new Set<string>();
  const began = performance.now();
  for (let quiet = 0, forked = ''; ; ) {
    const wanted = { ...search, tree, known: new Set(known.keys()), self: process.pid };
    const before = forked;
    forked = lastForked();
    const table = look({ cwd: tree !== null });
    const targets = chooseTargets(table, wanted);
    for (const target of targets) known.set(identity(target), target);
    const passed = performance.now() - began;
    quiet = targets.length === 0 ? quiet + 1 : 0;
    const enough = looksToTrust({ ended: known.size, table, still: forked === before });
    if (quiet >= enough || passed > LIMIT_MS) return report(known, targets);
    endAll(targets, search, { hard: search.now === true || passed > GRACE_MS, told });
    await wait(POLL_MS);
  }
}

/**
 * How many queries in a row must find nothing. A query takes time: if a process forks and dies meanwhile, only the next
 * query shows its child. A process that is just executing another program shows its call id only in the next query.
 * After a kill, two empty queries are enough if no process forked between them, else `MOST_QUIET`.
 */
function looksToTrust(seen: {
  readonly ended: number;
  readonly table: readonly ProcessInfo[];
  readonly still: boolean;
}): number {
  if (seen.ended > 0) return seen.still ? 2 : MOST_QUIET;
  return seen.table.some(({ blank }) => blank) ? 2 : 1;
}

/** The pid that the system assigned last; empty if the system does not report it. */
function lastForked(): string {
  try {
    return readFileSync('/proc/loadavg', 'utf8').trim().split(' ').at(-1) ?? '';
  } catch {
    return '';
  }
}

interface Signals {
  readonly hard: boolean;
  /** Processes that were already signalled, by `identity`. */
  readonly told: Set<string>;
}

/** SIGTERM goes to parents first, SIGKILL to children first. */
function endAll(targets: readonly ProcessInfo[], { rooms }: LeftoverSearch, { hard, told }: Signals): void {
  if (hard) for (const first of rooms?.() ?? []) signal(first, 'SIGKILL');
  for (const target of hard ? targets.toReversed() : targets) end(target, hard, told);
}

function end(target: ProcessInfo, hard: boolean, told: Set<string>): void {
  if (!hard && told.has(identity(target))) return;
  told.add(identity(target));
  // It may be gone already or not ours to kill. The next query shows which, and the report says so.
  signal(target.pid, hard ? 'SIGKILL' : 'SIGTERM');
}

function report(known: ReadonlyMap<string, ProcessInfo>, left: readonly ProcessInfo[]): Leftovers {
  const alive = new Set(left.map(identity));
  const ended = [...known].filter(([name]) => !alive.has(name)).map(([, info]) => info);
  return {
    ended: ended.map(({ pid }) => pid),
    left: left.map(({ pid }) => pid),
    programs: ended.map(({ program }) => program),
  };
}

/**
 * Null without a folder, or if the folder is gone. Rejects a relative path, and `/`, which would kill every process of
 * the machine.
 */
async function checkedTree(call_id: string, folder: string | undefined): Promise<string | null> {
  if (call_id === '') throw new InvariantError('leftovers are found by a call id');
  if (folder === undefined) return null;
  const real = await realpath(folder).catch(() => null);
  if (!isAbsolute(folder) || real === '/') throw new InvariantError(`not a tree to sweep: ${folder}`);
  return real;
}
