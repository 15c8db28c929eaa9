import type { Effect } from '../contract/change.ts';
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
  effects: readonly Effect[],
): Promise<Applied | null> {
  const refs = effects.filter(({ result }) => result === null).flatMap(textsOf);
  for (const value of new Set(refs.flatMap((ref) => ('artefact' in ref ? [ref.artefact] : [])))) {
    if (await deps.artefacts.has(value)) continue;
    const signal = { type: 'fact', what: 'artefact_missing', value, at: deps.clock.now() } as const;
    const applied = await apply(deps, at.run.id, { input: () => ({ kind: 'signal', signal, inbox: null }) });
    if (!isRejection(applied) && applied.change.run.turn !== at.run.turn) return applied;
  }
  return null;
}

/** What a call's prompt or a document is made from. */
function textsOf({ kind, spec }: Effect): SlotRef[] {
  if (kind === 'work') return Object.values((spec as WorkerCall).slots);
  if (kind !== 'workspace') return [];
  const { documents = [] } = (spec as Op).input as { documents?: readonly { source: SlotRef }[] };
  return documents.map(({ source }) => source);
}
