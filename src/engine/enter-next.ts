import type { Answer } from '../contract/answer.ts';
import type { Move } from '../contract/move.ts';
import type { Run } from '../contract/run.ts';
import { type Entered, enterStep } from './enter-step.ts';
import type { BaseState, Workflow } from './workflow.ts';
import { type At, assertLegal, enterContext, type Parts, type TransitionContext } from './write-change.ts';

/** The step after a move. */
export function enterNext(def: Workflow, at: At, move: Move<BaseState>, ctx: TransitionContext): Entered {
  assertLegal(def, at.run.phase, move.state.phase);
  return enterStep(def.next(move.state), enterContext(def, at, at.run.turn + 1, ctx));
}

/** The only cast from a row's state to the workflow's state. The state passed the schema when it was loaded. */
export function stateOf(run: Run): BaseState {
  return run.state as unknown as BaseState;
}

/** The form of an answer in the log. It also closes the gate. */
export function answering(answer: Answer): Pick<Parts, 'input' | 'closes' | 'answer'> {
  const { run, at, ...input } = answer;
  return { input, closes: 'answered', answer };
}
