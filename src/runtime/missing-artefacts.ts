import type { Effect } from '../contract/change.ts';
import type { Hash } from '../contract/ids.ts';
import type { Op, SlotRef, WorkerCall } from '../contract/step.ts';
import { isRejection } from '../engine/rejection.ts';
import { type Applied, apply } from './apply.ts';
import type { Deps } from './deps.ts';
import type { Loaded } from './load.ts';

/**
 * Notifies the workflow of a missing text that its step needs, before the step is performed. Returns the move if it led
 * to another step. Null if all texts exist, or if the run stays at the step and must fail there.
 */
export async function reportMissing(
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

/** The stored texts that the open effects need. */
export function textsOf(effects: readonly Effect[]): ReadonlySet<Hash> {
  const texts = new Set<Hash>();
  for (const effect of effects) {
    if (effect.result !== null) continue;
    for (const ref of refsOf(effect)) if ('artefact' in ref) texts.add(ref.artefact);
  }
  return texts;
}

/** The sources of a call's prompt or of the documents to write. */
function refsOf({ kind, spec }: Effect): SlotRef[] {
  if (kind === 'work') return Object.values((spec as WorkerCall).slots);
  if (kind !== 'workspace') return [];
  const { documents = [] } = (spec as Op).input as { documents?: readonly { source: SlotRef }[] };
  return documents.map(({ source }) => source);
}
