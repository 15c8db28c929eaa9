import type { DeliverState } from '../../contract/deliver.ts';
import type { SlotRef, Step, WorkerCall } from '../../contract/step.ts';
import { tierOf } from './models.ts';

export type Slots = Record<string, SlotRef>;

/** One logical call of a role, with the tier the run's models give it. */
export function call(state: DeliverState, role: string, slots: Slots): WorkerCall {
  return { role, slots, tier: tierOf(role, state.model_config) };
}

export function work(state: DeliverState, calls: readonly WorkerCall[]): Step {
  return { kind: 'work', during: state.phase, calls };
}

/** A step without a call, so that two consecutive phases are two commits. */
export function pass(state: DeliverState): Step {
  return work(state, []);
}

export function text(value: string): SlotRef {
  return { text: value };
}

/** An artefact if it exists, else an empty text. Every slot is always present. */
export function artefact(hash: `sha256:${string}` | null | undefined): SlotRef {
  return hash ? { artefact: hash } : text('');
}

/** The limits of the change, as a worker reads them. */
export function scopeSlot({ scope }: DeliverState): SlotRef {
  return text(scope ? scope.join('\n') : '(no limit)');
}
