import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from '../contract/outcome.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Deps } from './deps.ts';
import type { PerformContext } from './job.ts';
import { toAdapterError } from './system-failure.ts';
import { storeFile } from './worker-tree.ts';

type Watched = (outcome: Outcome) => Promise<Outcome>;

const UNWATCHED: Watched = (outcome) => Promise.resolve(outcome);

/**
 * Detects writes to the hooks and settings of the person's repository while workers or checks of a step run without a
 * sandbox. The fingerprints are stored before the first of them starts, so after a kill the next process compares with
 * the same ones. Nothing is read if the run has a sandbox. The person's own folder has a separate rule.
 */
export async function watchControls(
  deps: Pick<Deps, 'calls'>,
  { run, tree }: Pick<PerformContext, 'run' | 'tree'>,
): Promise<Watched> {
  const { policy, step, id, turn } = run;
  const isRun = step?.kind === 'work' || step?.kind === 'check';
  if (!isRun || policy.tree !== 'clone' || policy.containment?.kind === 'bwrap') return UNWATCHED;
  const file = path.join(deps.calls, id, `${turn}-controls`);
  if (!existsSync(file)) storeFile(file, JSON.stringify(await readControls(tree)));
  return async (outcome) => {
    const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    const after = await readControls(tree);
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const changed = names.filter((name) => before[name] !== after[name]).sort();
    if (changed.length === 0 || (outcome.kind !== 'worked' && outcome.kind !== 'checked')) return outcome;
    return { ...outcome, controls_changed: changed };
  };
}

/** An unreadable repository counts as changed if it was readable before. It does not stop the step. */
async function readControls(tree: Workspace): Promise<Readonly<Record<string, string>>> {
  try {
    return await tree.controls();
  } catch (error) {
    if (!toAdapterError(error)) throw error;
    return { '.git': 'unreadable' };
  }
}
