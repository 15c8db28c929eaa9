import { type DeliverPhase, type DeliverState, STEPS, type StepName } from '../../contract/deliver.ts';
import { styleOf } from '../../contract/deliver-invocation.ts';
import { CAPS } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { isPatchOpen } from './due-documents.ts';
import { nextCommand, runOf } from './halts.ts';
import { go } from './moves.ts';
import { isFrom } from './phases.ts';
import { isRepairDue } from './repairs.ts';

type OnStep = (state: DeliverState, at: Instant) => Move<DeliverState> | null;

/** The earliest phase of each step and what must exist (WF-13), checked in this order. */
const NEEDS: Readonly<Record<StepName, { from: DeliverPhase; has: (state: DeliverState) => boolean }>> = {
  plan: { from: 'setup', has: () => true },
  generate: { from: 'plan_done', has: ({ plan: { spec } }) => spec !== null },
  verify: { from: 'generate_done', has: ({ attempt: { changes } }) => changes !== null },
  evaluate: {
    from: 'verify_done',
    has: ({ plan: { spec }, attempt: { changes }, checks: { report } }) => Boolean(spec && changes && report),
  },
};

/**
 * A step requested by name on a live run (WF-85). Meeting its prerequisites is not enough: the state table must have an
 * edge for it. Otherwise the command is rejected, and the rejection names the next command.
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

/** Phases in which a step is in progress. Requesting that step again lifts a halt in them. */
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
  // The code is reached only through the spec gate (WF-14).
  plan_done: (state, at) => go(state, at, { halted: null, was_idle: true }),
  verify_done: (state, at) => {
    const {
      checks: { verify, report, waiver },
    } = state;
    if (isPatching(state) || waiver || report?.result !== 'FAIL') return null;
    const going = { ...state, halted: null, was_idle: true, checks: { ...state.checks, early: false } };
    // A person may spend a repair that the engine would not, because the last ones changed nothing.
    if (!isRepairDue(going) && state.checks.stalled && verify.layer1_retries < CAPS.layer1)
      return go(going, at, { checks: { stalled: false, pass: 'command' } });
    return go(going, at, {});
  },
  evaluate_done: (state, at) =>
    state.verdict.qa && state.verdict.qa.verdict !== 'PASS'
      ? go(state, at, { halted: null, was_idle: true })
      : null,
};

const VERIFY: Readonly<Partial<Record<DeliverPhase, OnStep>>> = {
  generate_done: (state, at) => go(state, at, { halted: null, was_idle: true }),
  // Continues after a repair by hand: a new change set and one pass. Counters stay unchanged.
  verify_done: (state, at) => {
    if (isPatching(state)) return null;
    const checks = { early: false, waiver: null, pass: 'command', pass_due: true } as const;
    return go(state, at, { halted: null, was_idle: false, checks });
  },
};

/** A failing pass cannot be bypassed. A person is asked first, even before the repairs are used up. */
function evaluateNow(state: DeliverState, at: Instant): Move<DeliverState> | null {
  if (isPatching(state) || state.checks.pass_due) return null;
  const going = { ...state, halted: null, was_idle: true };
  const waived = state.checks.verify.layer1_result === 'PASS' || state.checks.waiver !== null;
  return go(going, at, waived ? {} : { checks: { early: true } });
}

function isPatching(state: DeliverState): boolean {
  return isPatchOpen(state) || (state.checks.pass === 'patch' && state.checks.pass_due);
}

/** Rejects a step that needs an earlier one first, and names that command (WF-13). */
export function firstRun(step: StepName, run = 'none'): Rejection {
  const earlier = STEPS[STEPS.indexOf(step) - 1] ?? 'plan';
  return reject('wrong_moment', { step, earlier, run }, { msg: 'deliver.run_first' });
}
