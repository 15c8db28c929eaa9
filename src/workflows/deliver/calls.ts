import type { DeliverState } from '../../contract/deliver.ts';
import type { SlotRef } from '../../contract/step.ts';
import { ask, type Call } from '../../engine/decide.ts';
import { tierOf } from './models.ts';

export type Slots = Record<string, SlotRef>;

/** One logical call of a role, with the tier the run's models give it. */
export function call<R>(
  { model_config }: DeliverState,
  role: string,
  result: Call<R>['result'],
  slots: Slots,
): Call<R> {
  return ask(role, result, slots, tierOf(role, model_config));
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
