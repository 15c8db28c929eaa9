import type { DeliverState } from '../../contract/deliver.ts';
import { CAPS } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { closeRun, endWithoutGit } from './close.ts';
import { beginRepair, beginRound } from './generate.ts';
import { haltWhy } from './halts.ts';
import { go, notice } from './moves.ts';
import { isApproved } from './settle-spec.ts';
import { committedByTicket } from './ticket.ts';
import { ruleOf } from './verdict.ts';

type Advance = (state: DeliverState, at: Instant) => Move<DeliverState> | null;

/**
 * Moves the run along one edge that needs no question and no effect. Such an edge is a halt due to the run style, the
 * next phase, a due repair or a verdict rule. The run stays in its phase if a gate or an effect is next. Called again
 * with the same state, it returns the same move.
 */
export function advance(
  state: DeliverState,
  at: Instant,
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  const moved = state.docs_due || state.halted ? null : (EDGES[state.phase]?.(state, at) ?? null);
  if (!moved) return go(state, at, {}, records);
  return { ...moved, records: [...records, ...moved.records] };
}

const EDGES: Readonly<Partial<Record<DeliverState['phase'], Advance>>> = {
  plan_done: (state, at) => {
    if (state.revising) return null;
    // A person approves by an answer, and that answer leaves this phase.
    const approved = state.ticket !== null && isApproved(state);
    const onward = approved ? go(state, at, { phase: 'generate_ready' }) : null;
    return haltForStyle(state, at, state.run_style !== 'auto') ?? onward;
  },
  generate_ready: (state, at) => (isApproved(state) && !state.revising ? beginRound(state, at) : null),
  generate_done: (state, at) =>
    haltForStyle(state, at, state.run_style === 'phase' && state.repair === null) ??
    // A person may have changed the tree while the run waited, so the change set is computed again.
    go(state, at, { phase: 'verify_ready', pass_due: state.run_style !== 'auto' }),
  verify_ready: (state, at) => (state.pass_due ? null : go(state, at, { phase: 'verifying' })),
  verify_done: afterVerify,
  evaluate_ready: (state, at) => go(state, at, { phase: 'evaluating' }),
  evaluate_done: (state, at) =>
    haltForStyle(state, at, state.run_style !== 'auto') ?? afterEvaluate(state, at),
  completed: (state, at) => (state.has_git ? committedByTicket(state, at) : endWithoutGit(state, at)),
};

/** Halts for the run style, once per entry of a phase (WF-30, WF-86). */
function haltForStyle(state: DeliverState, at: Instant, due: boolean): Move<DeliverState> | null {
  if (!due || state.was_idle) return null;
  const why = haltWhy(state);
  return go(state, at, { was_idle: true, halted: { kind: 'style', why } }, [notice(why)]);
}

function afterVerify(state: DeliverState, at: Instant): Move<DeliverState> | null {
  const { run_style, verify, repair, waiver, autofix } = state;
  const patching = autofix?.applied === 'proposed' || autofix?.applied === 'accepted';
  // A requested pass comes before the halt, because the present result is outdated.
  if (patching || state.pass_due) return null;
  if (run_style === 'step' && !state.was_idle) return haltForStyle(state, at, true);
  if (verify.layer1_result === 'PASS' || waiver) {
    return (
      haltForStyle(state, at, run_style === 'phase') ??
      go(state, at, { phase: 'evaluate_ready', repair: null })
    );
  }
  if (!isRepairDue(state)) return null;
  return repair && !repair.done ? beginRepair(state, at, repair) : lateRepair(state, at);
}

/** True if a failing pass continues without a person: with a counted repair, or after a pass that did not count one. */
export function isRepairDue({ early, report, repair, pass, stalled, verify }: DeliverState): boolean {
  if (early || report?.result !== 'FAIL') return false;
  if (repair) return !repair.done;
  return pass === 'command' && !stalled && verify.layer1_retries < CAPS.layer1;
}

/** A repair that was not counted when its pass ended. Starting it counts it. */
function lateRepair(state: DeliverState, at: Instant): Move<DeliverState> {
  const { verify, report } = state;
  const attempt = verify.layer1_retries + 1;
  const repair = { layer: 1, attempt, error: report?.error ?? '', done: false } as const;
  return beginRepair(state, at, repair, { verify: { ...verify, layer1_retries: attempt } });
}

/** The verdict's rules, the first that applies (WF-66). `next` asks the gate of rule 3. */
function afterEvaluate(state: DeliverState, at: Instant): Move<DeliverState> | null {
  const { verify, qa } = state;
  if (!qa) return null;
  switch (ruleOf(qa.verdict, verify.layer2_retries, state.round)) {
    case 1:
      return closeRun(state, at, 'qa_pass');
    case 2: {
      const attempt = verify.layer2_retries + 1;
      const error = qa.failing[0]?.text ?? '';
      const repair = { layer: 2, attempt, error, done: false } as const;
      return beginRepair(state, at, repair, { verify: { ...verify, layer2_retries: attempt } });
    }
    case 3:
      return null;
    case 4:
      return closeRun(state, at, 'max_rounds');
  }
}
