import type { Effect } from '../contract/change.ts';
import type { Check } from '../contract/step.ts';
import { AdapterError } from '../engine/errors.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Deps } from './deps.ts';
import { type EffectEnd, type PerformContext, troubleAt } from './job.ts';
import { toAdapterError } from './system-failure.ts';

/** Called before a check's result is stored, if other checks of the step follow. */
type Made = (effect: Effect) => Promise<void>;

/**
 * Leaves the run's own tree as the checks found it: what they write is neither the author's work nor part of what is
 * judged. Ignored files stay. What one check makes also stays for the next checks of the step. It is stored before the
 * result. After a crash the remaining checks therefore find what the finished ones made.
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
    // A check of the previous process may still be writing. If it cannot be ended now, a person is asked when its turn
    // comes.
    if (taken_over) await processes.killLeftovers(`${run.id}/${run.turn}`, tree.root);
    await tree.snapshot(base);
    if (taken_over) await putBack(tree, base, effects);
    // A crash may have left packages half installed.
    if (taken_over) await tree.leaveCheckout?.();
    // After a crash the tree may be in the middle of a check, so it always counts as changed.
    const fingerprint = taken_over ? null : await tree.fingerprint();
    const isTouched = async () => fingerprint === null || (await tree.changedSince(fingerprint)).length > 0;
    const ends = await work(async ({ n }) => {
      if (await isTouched()) await tree.snapshot(madeBy(base, n));
    });
    const isOver = ends.every(({ kind }) => kind === 'done');
    if (isOver && (await isTouched())) await tree.restore(base);
    if (effects.some(({ spec }) => (spec as Check).clean)) await tree.leaveCheckout?.();
    return ends;
  } catch (error) {
    const failed = toAdapterError(error);
    if (!failed) throw error;
    const { code, detail } = failed.failure;
    return [troubleAt(first, 'infrastructure', { problem: `${code}: ${detail}`, cause: 'world' })];
  }
}

/**
 * Restores the tree as the last finished check left it. If none of them wrote anything, restores the tree at the start
 * of the step.
 */
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
