import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { InvariantError } from '../../engine/errors.ts';
import type { Swept } from '../../ports/processes.ts';
import { chooseTargets, identity } from './choose-targets.ts';
import type { ProcessInfo } from './process-table.ts';

const GRACE_MS = 1000;
const LIMIT_MS = 5000;
const LOOK_MS = 20;

/**
 * Ends what `chooseTargets` names: SIGTERM first, SIGKILL to what is there a second later, and looks again until
 * nothing is left or 5 seconds have passed. Every look comes before the signals that follow from it, so children
 * of a parent that dies are already on the list.
 */
export async function sweepProcesses(
  look: (want: { cwd: boolean }) => readonly ProcessInfo[],
  mark: string,
  folder: string | undefined,
): Promise<Swept> {
  const tree = await checkedTree(mark, folder);
  const known = new Map<string, ProcessInfo>();
  const told = new Set<string>();
  const began = performance.now();
  for (let quiet = 0; ; ) {
    const wanted = { mark, tree, known: new Set(known.keys()), self: process.pid };
    const table = look({ cwd: tree !== null });
    const targets = chooseTargets(table, wanted);
    for (const target of targets) known.set(identity(target), target);
    const passed = performance.now() - began;
    quiet = targets.length === 0 ? quiet + 1 : 0;
    if (quiet >= looksToTrust(known.size, table) || passed > LIMIT_MS) return report(known, targets);
    for (const target of targets) end(target, passed > GRACE_MS, told);
    await wait(LOOK_MS);
  }
}

/**
 * How many looks must find nothing. A look takes time: a process that forked and died meanwhile shows its child only to
 * the next one, and one that is just becoming another program shows its mark only then.
 */
function looksToTrust(ended: number, table: readonly ProcessInfo[]): number {
  return ended === 0 && !table.some(({ blank }) => blank) ? 1 : 2;
}

function end(target: ProcessInfo, hard: boolean, told: Set<string>): void {
  if (!hard && told.has(identity(target))) return;
  told.add(identity(target));
  try {
    process.kill(target.pid, hard ? 'SIGKILL' : 'SIGTERM');
  } catch {
    // Gone already, or not ours to end: the next look tells which, and the report says so.
  }
}

function report(known: ReadonlyMap<string, ProcessInfo>, left: readonly ProcessInfo[]): Swept {
  const alive = new Set(left.map(identity));
  const ended = [...known].filter(([name]) => !alive.has(name)).map(([, info]) => info);
  return {
    ended: ended.map(({ pid }) => pid),
    left: left.map(({ pid }) => pid),
    programs: ended.map(({ program }) => program),
  };
}

/** Null without a folder, or when it is gone. A tree that holds the whole system would end everything on it. */
async function checkedTree(mark: string, folder: string | undefined): Promise<string | null> {
  if (mark === '') throw new InvariantError('a sweep needs a mark');
  if (folder === undefined) return null;
  const real = await realpath(folder).catch(() => null);
  if (!isAbsolute(folder) || real === '/') throw new InvariantError(`not a tree to sweep: ${folder}`);
  return real;
}
