import type { Effect } from '../contract/change.ts';
import { AdapterError } from '../engine/errors.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Deps } from './deps.ts';
import { type EffectEnd, type PerformContext, troubleAt } from './job.ts';
import { toAdapterError } from './system-failure.ts';

/** Told before the result of a check is stored that others of its step follow. */
type Made = (effect: Effect) => Promise<void>;

/**
 * Checks leave the run's own tree as they found it: what they write is neither the author's work nor part of what is
 * judged. Ignored files stay, and so does what one check of the step makes for the next: it is kept before the result
 * is, so that after a crash the checks without a result find what those with one have made.
 */
export async function inUntouchedTree(
  { processes }: Pick<Deps, 'processes'>,
  { run, tree }: PerformContext,
  { effects, taken_over }: { readonly effects: readonly Effect[]; readonly taken_over: boolean },
  work: (made: Made) => Promise<EffectEnd[]>,
): Promise<EffectEnd[]> {
  const first = effects.find(({ result }) => result === null);
  if (run.policy.tree !== 'clone' || !first) return work(() => Promise.resolve());
  const base = `${run.id}/${run.turn}/checks`;
  try {
    // A check of the process before us may still write; one that will not go is asked about when its turn comes.
    if (taken_over) await processes.sweep(`${run.id}/${run.turn}`, tree.root);
    await tree.snapshot(base);
    if (taken_over) await putBack(tree, base, effects);
    // After a crash the tree may be that of a check in the middle: it is kept and put back without a look.
    const mark = taken_over ? null : await tree.mark();
    const isTouched = async () => mark === null || (await tree.changedSince(mark)).length > 0;
    const ends = await work(async ({ n }) => {
      if (await isTouched()) await tree.snapshot(madeBy(base, n));
    });
    if (ends.every(({ kind }) => kind === 'done') && (await isTouched())) await tree.restore(base);
    return ends;
  } catch (error) {
    const failed = toAdapterError(error);
    if (!failed) throw error;
    const { code, detail } = failed.failure;
    return [troubleAt(first, 'infrastructure', { problem: `${code}: ${detail}`, cause: 'world' })];
  }
}

/** The tree as the last check with a result left it; where none of them wrote anything, as the step began. */
async function putBack(tree: Workspace, base: string, effects: readonly Effect[]): Promise<void> {
  const done = effects.filter(({ result }) => result !== null).reverse();
  for (const { n } of done) if (await restored(tree, madeBy(base, n))) return;
  await tree.restore(base);
}

async function restored(tree: Workspace, name: string): Promise<boolean> {
  try {
    await tree.restore(name);
    return true;
  } catch (error) {
    if (error instanceof AdapterError && error.failure.code === 'no_such_snapshot') return false;
    throw error;
  }
}

function madeBy(base: string, n: number): string {
  return `${base}/${n}`;
}
