import type { Answer } from '../contract/answer.ts';
import type { Instant } from '../contract/ids.ts';
import type { Move, MoveRecord } from '../contract/move.ts';
import type { Run } from '../contract/run.ts';
import type { Step } from '../contract/step.ts';
import { type Entered, enterStep } from './enter-step.ts';
import { InvariantError } from './errors.ts';
import { isRejection } from './rejection.ts';
import type { BaseState, Workflow } from './workflow.ts';
import { type At, enterContext, type Parts, type TransitionContext } from './write-change.ts';

/** A move, continued to the next step that has something to do. `passed`: the phases without one, in order. */
interface Onward {
  readonly state: BaseState;
  readonly records: readonly MoveRecord[];
  readonly passed: readonly string[];
}

/** No workflow has this many empty phases in a row. */
const MAX_PASSED = 30;

/** The next step after a move, entered. */
export function enterNext(
  def: Workflow,
  at: At,
  move: Move<BaseState>,
  ctx: TransitionContext,
): Onward & { readonly entered: Entered } {
  const { step, ...onward } = passOver(def, move, ctx.now);
  return { ...onward, entered: enterStep(step, enterContext(def, at, at.run.turn + 1, ctx)) };
}

/** Leaves phases that have nothing to do, in the same transition that entered them. */
export function passOver(
  def: Workflow,
  move: Move<BaseState>,
  now: Instant,
): Onward & { readonly step: Step } {
  let { state } = move;
  const records = [...move.records];
  const passed: string[] = [];
  let step = def.next(state);
  while (step.kind === 'work' && step.calls.length === 0) {
    const next = def.settle(state, step, { kind: 'worked', calls: [], at: now });
    if (isRejection(next) || passed.push(state.phase) > MAX_PASSED)
      throw new InvariantError(`${def.name}: nothing leads out of the empty phase '${state.phase}'`);
    records.push(...next.records);
    state = next.state;
    step = def.next(state);
  }
  return { state, records, passed, step };
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
