import type { Change } from '../../src/contract/change.ts';
import type { Rejection } from '../../src/engine/rejection.ts';
import type { At } from '../../src/engine/write-change.ts';
import type { Happening } from './happenings.ts';

/** The rules every workflow keeps in every state it can reach, and what each says. */
export const RULES = {
  person_first:
    "what only a person may decide is reached by a person's answer at its gate and in no other way",
  next_step: 'a run that has not ended has a next step that can be performed, and what it offers is taken',
  stable:
    'next answers the same twice, beside a signal that interrupts nothing, and after a stop and its resume',
  bounded: 'caps hold, and without a person a run comes to rest',
  way_out: 'a person can leave every gate and every wait, and not only by giving the run up',
  legal: 'phases move along their table and the state fits its schema',
  total: 'no outcome of an effect is refused, and nothing throws',
  over: 'a run that has ended stays as it ended',
  faithful: 'states with one key go the same ways: the key forgets nothing that decides',
  met: 'every phase, gate, option and role of the tables is met',
  whole: 'the search has seen everything: a limit that is reached is a violation',
} as const;
export type Rule = keyof typeof RULES;

/** What is wrong, by the rule it breaks. */
export interface RuleBreak {
  readonly rule: Rule;
  readonly what: string;
}

/** One thing that happened to a run: a change, a refusal, or something our own code threw. */
export interface Move {
  readonly before: At;
  readonly happening: Happening;
  readonly change: Change | null;
  readonly after: At | null;
  readonly refused: Rejection | null;
  readonly thrown: unknown;
}

/** Where one thing that happened led. `moved`: another step was entered, or a gate was closed. */
export interface Edge {
  readonly to: number;
  readonly by: Happening['by'];
  readonly gives_up: boolean;
  readonly moved: boolean;
}
