import type { Effect } from '../contract/change.ts';
import type { Hash } from '../contract/ids.ts';
import type { Op, SlotRef, WorkerCall } from '../contract/step.ts';
import { isRejection } from '../engine/rejection.ts';
import { type Applied, apply } from './apply.ts';
import type { Deps } from './deps.ts';
import type { Loaded } from './load.ts';

/**
 * Tells the workflow of a text that its step is to read and that is gone, before anything is done. Gives the move that
 * led to another step; null when all texts are there, or when the step stays and has to fail.
 */
export async function tellMissing(
  deps: Deps,
  { at }: Loaded,
  texts: ReadonlySet<Hash>,
): Promise<Applied | null> {
  for (const value of texts) {
    if (await deps.artefacts.has(value)) continue;
    const signal = { type: 'fact', what: 'artefact_missing', value, at: deps.clock.now() } as const;
    const applied = await apply(deps, at.run.id, { input: () => ({ kind: 'signal', signal, inbox: null }) });
    if (!isRejection(applied) && applied.change.run.turn !== at.run.turn) return applied;
  }
  return null;
}

/** The stored texts that the effects still to be done are made from. */
export function textsOf(effects: readonly Effect[]): ReadonlySet<Hash> {
  const texts = new Set<Hash>();
  for (const effect of effects) {
    if (effect.result !== null) continue;
    for (const ref of refsOf(effect)) if ('artefact' in ref) texts.add(ref.artefact);
  }
  return texts;
}

/** What a call's prompt or a document is made from. */
function refsOf({ kind, spec }: Effect): SlotRef[] {
  if (kind === 'work') return Object.values((spec as WorkerCall).slots);
  if (kind !== 'workspace') return [];
  const { documents = [] } = (spec as Op).input as { documents?: readonly { source: SlotRef }[] };
  return documents.map(({ source }) => source);
}
