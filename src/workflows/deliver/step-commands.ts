import { type DeliverPhase, type DeliverState, STEPS, type StepName } from '../../contract/deliver.ts';
import { styleOf } from '../../contract/deliver-invocation.ts';
import { CAPS } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { advance, isRepairDue } from './advance.ts';
import { nextCommand, runOf } from './halts.ts';
import { go } from './moves.ts';
import { isFrom } from './phases.ts';

type OnStep = (state: DeliverState, at: Instant) => Move<DeliverState> | null;

/** The earliest phase of each step and what must be there (WF-13), asked in this order. */
const NEEDS: Readonly<Record<StepName, { from: DeliverPhase; has: (state: DeliverState) => boolean }>> = {
  plan: { from: 'setup', has: () => true },
  generate: { from: 'plan_done', has: ({ spec }) => spec !== null },
  verify: { from: 'generate_done', has: ({ changes }) => changes !== null },
  evaluate: { from: 'verify_done', has: ({ spec, changes, report }) => Boolean(spec && changes && report) },
};

/**
 * A step asked for by name on a live run (WF-85). Meeting its prerequisites is not enough: it does something only where
 * the state table has an edge for it; everywhere else it is refused and the next command is named.
 */
export function obeyStep(state: DeliverState, step: StepName, at: Instant): Move<DeliverState> | Rejection {
  const { from, has } = NEEDS[step];
  if (!isFrom(state.phase, from) || !has(state)) return firstRun(step, runOf(state));
  const styled: DeliverState = { ...state, run_style: styleOf(step) };
  const move =
    state.halted?.kind === 'failed' && isRunning(state.phase, step)
      ? lift(styled, at)
      : EFFECTS[step](styled, at);
  if (move) return move;
  return reject(
    'wrong_moment',
    { step, phase: state.phase, next: nextCommand(state), run: runOf(state) },
    { msg: 'deliver.no_such_edge' },
  );
}

/** Phases in which a step is under way: a halt in them is lifted by asking for that step again. */
function isRunning(phase: DeliverPhase, step: StepName): boolean {
  const running: Readonly<Record<StepName, readonly DeliverPhase[]>> = {
    plan: ['setup', 'plan_ready', 'planning'],
    generate: ['plan_done', 'generate_ready', 'generating'],
    verify: ['generate_done', 'verify_ready', 'verifying'],
    evaluate: ['evaluate_ready', 'evaluating'],
  };
  return running[step].includes(phase);
}

function lift(state: DeliverState, at: Instant): Move<DeliverState> {
  return go(state, at, { halted: null });
}

const EFFECTS: Readonly<Record<StepName, OnStep>> = {
  plan: () => null,
  generate: (state, at) => GENERATE[state.phase]?.(state, at) ?? null,
  verify: (state, at) => VERIFY[state.phase]?.(state, at) ?? null,
  evaluate: (state, at) => (state.phase === 'verify_done' ? evaluateNow(state, at) : null),
};

const GENERATE: Readonly<Partial<Record<DeliverPhase, OnStep>>> = {
  // The way to the code leads through the spec gate and nowhere else (WF-14).
  plan_done: (state, at) => go(state, at, { halted: null, rested: true }),
  verify_done: (state, at) => {
    const { verify, report, waiver } = state;
    if (isPatching(state) || waiver || report?.result !== 'FAIL') return null;
    const going = { ...state, halted: null, rested: true, early: false };
    if (isRepairDue(going)) return advance(going, at);
    // A person may spend a repair that the engine would not: the last ones changed nothing.
    if (state.stalled && verify.layer1_retries < CAPS.layer1)
      return advance({ ...going, stalled: false, pass: 'command' }, at);
    return go(going, at, {});
  },
  evaluate_done: (state, at) =>
    state.qa && state.qa.verdict !== 'PASS' ? advance({ ...state, halted: null, rested: true }, at) : null,
};

const VERIFY: Readonly<Partial<Record<DeliverPhase, OnStep>>> = {
  generate_done: (state, at) => advance({ ...state, halted: null, rested: true }, at),
  // The way on after a repair by hand: a fresh change set and one pass, counters as they are.
  verify_done: (state, at) => {
    if (isPatching(state)) return null;
    const again = {
      halted: null,
      rested: false,
      early: false,
      waiver: null,
      pass: 'command',
      pass_due: true,
    } as const;
    return go(state, at, again);
  },
};

/** A failing pass is not gone around: a person is asked first, also before the repairs are spent. */
function evaluateNow(state: DeliverState, at: Instant): Move<DeliverState> | null {
  if (isPatching(state) || state.pass_due) return null;
  const going = { ...state, halted: null, rested: true };
  const waived = state.verify.layer1_result === 'PASS' || state.waiver !== null;
  return waived ? advance(going, at) : go(going, at, { early: true });
}

function isPatching({ autofix, pass, pass_due }: DeliverState): boolean {
  return autofix?.applied === 'proposed' || autofix?.applied === 'accepted' || (pass === 'patch' && pass_due);
}

/** A step that needs an earlier one first: which command that is (WF-13). */
export function firstRun(step: StepName, run = 'none'): Rejection {
  const earlier = STEPS[STEPS.indexOf(step) - 1] ?? 'plan';
  return reject('wrong_moment', { step, earlier, run }, { msg: 'deliver.run_first' });
}
