import type { Msg } from '../../contract/brief.ts';
import type { ConductState } from '../../contract/conduct.ts';
import type { GateDefinition, GateSpec } from '../../contract/gate.ts';
import type { SlotRef } from '../../contract/step.ts';
import { type Call, type Decision, gate, type OnAnswers, wait, work } from '../../engine/decide.ts';
import { reject } from '../../engine/rejection.ts';
import { actorOf, inTrouble, isPerson, type Next } from './moves.ts';
import { flagUnproven } from './unproven.ts';
import { faultOf } from './worker-end.ts';

/** A wait that ends with one of these commands. */
export function waits(
  commands: readonly string[],
  why: Msg,
  idle: 'ticket' | 'children' = 'ticket',
): Decision<never> {
  return wait({ kind: 'command', commands, why, idle });
}

/** Calls one worker. If it gives no valid result, the ticket is in trouble. */
export function callWorker<R>(state: ConductState, call: Call<R>, on: (result: R) => Next): Decision<Next> {
  return work([call], ([ended]) =>
    ended.kind === 'ok' ? on(ended.result) : inTrouble(state, faultOf(ended), ended.role, ended.detail),
  );
}

const TAKES_OVER: readonly string[] = ['accept', 'edit'];

/**
 * A gate of the ticket. A drive may answer only a forward gate (CON-90). A person who accepts or edits has seen the
 * change without proof, so its flag is cleared (CON-116).
 */
export function askPerson<D extends GateDefinition>(
  state: ConductState,
  definition: D,
  spec: GateSpec,
  on: OnAnswers<D, Next>,
): Decision<Next> {
  const { step, settle } = gate(definition, spec, on);
  return {
    step,
    settle: (outcome) => {
      if (outcome.kind !== 'answered') return settle(outcome);
      const { by, option } = outcome.answer;
      const person = isPerson(actorOf(by));
      if (!person && definition.class !== 'forward') return reject('not_a_person');
      const move = settle(outcome);
      const takesOver = person && TAKES_OVER.includes(option) && 'state' in move;
      return takesOver ? flagUnproven(state, move, null) : move;
    },
  };
}

/** The slots that every worker of a ticket gets. Each slot is always present, and empty if there is no value. */
export function ticketSlots(state: ConductState): Record<string, SlotRef> {
  const { run, title, description, labels, priority, phase, criteria, pending, brief: draft } = state;
  return {
    ticket: { json: { id: run, title, description, labels, priority, state: phase } },
    clarification: { text: state.inherited ?? '' },
    criteria: { json: criteria },
    knowledge: { json: state.knowledge?.entries ?? [] },
    history: { records: 'accepted' },
    answers: { records: 'answers' },
    draft: draft ? { json: draft.doc } : { text: '' },
    feedback: { text: pending?.detail ?? (state.stale ? '' : (state.set_aside?.detail ?? '')) },
    remark: { text: state.remark?.text ?? '' },
    lang: { text: state.user_lang },
  };
}
