import type { Answer } from '../../contract/answer.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import type { CallOutcome, Outcome } from '../../contract/outcome.ts';
import type { Step } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';

type Settle<S> = (state: S, outcome: Outcome) => Move<S> | Rejection;
type OnOption<S> = (state: S, answer: Answer) => Move<S>;
type WorkStep = Extract<Step, { kind: 'work' }>;

/** The name a step is settled by: its kind and its gate, query or write. The workflow names its work steps. */
export function stepName(step: Step, nameOfWork: (step: WorkStep) => string): string {
  switch (step.kind) {
    case 'gate':
      return `gate ${step.gate.name}`;
    case 'work':
      return nameOfWork(step);
    case 'query':
      return `query ${step.what.what}`;
    case 'workspace':
      return `workspace ${step.op.op}`;
    default:
      return step.kind;
  }
}

/** Settles a gate by the chosen option. An unknown option is rejected with the list of known ones. */
export function answered<S>(options: Readonly<Record<string, OnOption<S>>>): Settle<S> {
  return (state, outcome) => {
    if (outcome.kind !== 'answered') throw new InvariantError(`a gate gave '${outcome.kind}'`);
    const { option } = outcome.answer;
    const choose = Object.hasOwn(options, option) ? options[option] : undefined;
    const args = { gate: outcome.answer.gate, option, allowed: Object.keys(options).join(', ') };
    return choose ? choose(state, outcome.answer) : reject('no_such_option', args);
  };
}

/** Settles a work step of one call. */
export function worked<S>(on: (state: S, call: CallOutcome, at: Instant) => Move<S>): Settle<S> {
  return (state, outcome) => {
    const call = outcome.kind === 'worked' ? outcome.calls[0] : undefined;
    if (!call) throw new InvariantError(`a worker step gave '${outcome.kind}' without a call`);
    return on(state, call, outcome.at);
  };
}
