import type { Answer, AnswerInput } from '../contract/answer.ts';
import type { Gate, StoredOption } from '../contract/gate.ts';
import { InvariantError } from './errors.ts';
import { type Rejection, reject } from './rejection.ts';

/** Checks an answer against the gate. Null: it is valid. Nothing is guessed or completed. */
export function refuseAnswer(gate: Gate, input: AnswerInput): Rejection | null {
  const option = gate.options[input.option];
  if (gate.status !== 'open') return reject('gate_closed', { gate: gate.id, status: gate.status });
  if (!option || !Object.hasOwn(gate.options, input.option)) {
    const allowed = Object.keys(gate.options).join(', ');
    return reject('no_such_option', { gate: gate.id, option: input.option, allowed });
  }
  if (input.digest !== gate.digest) {
    const current = { gate: gate.id, iteration: gate.iteration, digest: gate.digest };
    return reject('stale_digest', { gate: gate.id, iteration: gate.iteration }, { current });
  }
  return (
    refuseText(gate, option, input) ?? refuseFields(gate, option, input) ?? refuseTyped(gate, option, input)
  );
}

function refuseText(gate: Gate, option: StoredOption, input: AnswerInput): Rejection | null {
  const blank = input.text === null || input.text.trim() === '';
  const args = { gate: gate.id, option: input.option };
  if (option.text === 'required' && blank) return reject('text_required', args);
  if (option.text === 'none' && !blank) return reject('text_not_allowed', args);
  return null;
}

function refuseFields(gate: Gate, option: StoredOption, input: AnswerInput): Rejection | null {
  const known = new Set(gate.fields.map((field) => field.id));
  const given = Object.keys(input.fields);
  const allowed = option.fields ? gate.fields.map((field) => field.id).join(', ') : '-';
  for (const id of given) {
    if (!option.fields || !known.has(id))
      return reject('no_such_field', { gate: gate.id, field: id, allowed });
  }
  if (!option.fields) return null;
  const missing = gate.fields.find((field) => field.required && !input.fields[field.id]?.trim());
  return missing ? reject('field_required', { gate: gate.id, field: missing.id }) : null;
}

/** Class `hard`: the person types the subject, unless the option makes no commitment. */
export function asksToType({ class: kind }: Pick<Gate, 'class'>, option: StoredOption | undefined): boolean {
  return kind === 'hard' && option?.effect_on_run !== 'hold' && !option?.untyped;
}

function refuseTyped(gate: Gate, option: StoredOption, input: AnswerInput): Rejection | null {
  if (!asksToType(gate, option)) return null;
  return input.typed === gate.typed
    ? null
    : reject('typed_wrong', { gate: gate.id, typed: gate.typed ?? '' });
}

/** A drive may answer for a person only with `accept`, and only at a gate that may be delegated (CON-54, CON-90). */
export function assertAnswerable({ gate, option, by }: Answer, kind: Gate['class'] | undefined): void {
  if ('person' in by || (kind === 'forward' && option === 'accept')) return;
  throw new InvariantError(`${gate}: an agent may not answer '${option}' at a ${kind ?? 'missing'} gate`);
}
