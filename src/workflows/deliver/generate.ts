import { ADVISORS, type Advisor, type DeliverState, type Mode, type Verify } from '../../contract/deliver.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import { ChangeNotes, ImplementationPlan, PlanReview } from '../../contract/deliver-work.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { SlotRef } from '../../contract/step.ts';
import { type Call, work, write } from '../../engine/decide.ts';
import { artefact, call, type Slots, scopeSlot, text } from './calls.ts';
import { findChanges } from './find-changes.ts';
import { isOpen, workGroup } from './group.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { changedPaths, go, haltFailed, type Next, notice, oneLine } from './moves.ts';
import { workerLine, workersFailed } from './worker-lines.ts';

/** Reviewers of the plan in each mode (WF-44). */
const REVIEWERS: Readonly<Record<Mode, readonly Advisor[]>> = {
  single: [],
  standard: ['advisor_combined'],
  multi: ['advisor_code_quality', 'advisor_test_stability'],
};

function reviewersOf({ mode }: DeliverState): readonly Advisor[] {
  return REVIEWERS[mode ?? 'single'];
}

/** A new round has its own attempts, plan and reviews. It gets the findings of the last evaluation (WF-67). */
export function beginRound(state: DeliverState, at: Instant): Move<DeliverState> {
  const feedback = state.verdict.qa?.evaluation ?? null;
  const fresh = { plan: null, reviews: {}, repair: null, based: false, notes: null };
  return go(state, at, {
    attempt: { ...fresh, feedback, attempts: 1 },
    phase: 'generating',
    checks: { pass: 'attempt', waiver: null, fingerprints: [], stalled: false, early: false },
  });
}

/** One more attempt in this round with one implementation worker, without a new plan or review (WF-50). */
export function beginRepair(
  state: DeliverState,
  at: Instant,
  repair: NonNullable<DeliverState['attempt']['repair']>,
  verify: Verify = state.checks.verify,
): Move<DeliverState> {
  const { layer, attempt: n, error } = repair;
  const counted = { layer, attempt: n, cap: layer === 1 ? 3 : 2 };
  // The notice just before names the layer-1 result and its first error, unless the run was idle in between.
  const told =
    layer === 1 && !state.was_idle
      ? say('deliver.notice.repair_begins', counted)
      : say('deliver.notice.repair', { ...counted, error });
  const attempts = state.attempt.attempts + 1;
  const changes = {
    attempt: { attempts, notes: null, repair, based: false },
    checks: { verify, pass: 'attempt', early: false, waiver: null },
    phase: 'generating',
  } as const;
  return go(state, at, changes, [notice(told)]);
}

/**
 * The steps of an attempt: plan, reviews and implementation, as the mode requires. A repair runs only the
 * implementation.
 */
export function generate(state: DeliverState): Next {
  if (state.attempt.notes) return findChanges(state, attemptDone);
  const { repair, plan, reviews } = state.attempt;
  const reviewers = repair ? [] : reviewersOf(state);
  if (reviewers.length > 0 && !plan) return leadDeveloper(state);
  if (isOpen(reviewers, reviews)) {
    return workGroup(state, {
      name: 'reviews',
      members: reviewers,
      results: reviews,
      store: (results) => ({ attempt: { reviews: results } }),
      ask: (advisor) => review(state, advisor),
      named: (advisor) => advisor.replace('advisor', 'review'),
    });
  }
  return takeBase(state) ?? implementation(state);
}

/**
 * In the person's own folder, people at a gate and checks write too. The run therefore takes its base just before an
 * author works or a patch is applied. If there are more changes than can be named, the old base stays, because a new
 * one would lose the rest.
 */
export function takeBase(state: DeliverState): Next | null {
  const {
    start,
    attempt: { changes },
  } = state;
  if (hasOwnTree(state) || state.attempt.based || changes?.cut) return null;
  const input = { since: changes ? start : null, paths: changedPaths(state.attempt) };
  return write('take_base', input, (taken, at) =>
    go(state, at, { attempt: { based: true }, start: taken === 'assumed' ? start : taken.snapshot }),
  );
}

/** The lead developer plans the work before reviewers read the plan. */
function leadDeveloper(state: DeliverState): Next {
  return work([call(state, 'lead_developer', ImplementationPlan, assignment(state))], ([ended], at) => {
    const line = workerLine(ended);
    if (ended.kind !== 'ok') return haltFailed(state, at, workersFailed([ended]), [line]);
    const plan = ended.artefact;
    return go(state, at, { attempt: { plan } }, [
      line,
      { kind: 'artefact', name: 'implementation_plan', hash: plan },
    ]);
  });
}

/** The work to do, and its limits. */
function assignment(state: DeliverState): Slots {
  return {
    spec: artefact(state.plan.spec?.hash),
    qa_feedback: feedback(state),
    round: text(String(state.round)),
    scope: scopeSlot(state),
    max_files: text(String(state.max_files)),
    user_lang: text(state.user_lang),
  };
}

/** Advisors read the plan. The code they could judge is not written yet (WF-44). */
function review(state: DeliverState, advisor: Advisor): Call<unknown> {
  return call(state, advisor, PlanReview, {
    spec: artefact(state.plan.spec?.hash),
    plan: artefact(state.attempt.plan),
    test_cmd: text(state.checks.test_cmd ?? ''),
    user_lang: text(state.user_lang),
  });
}

/**
 * The worker that edits (WF-45). A repair adds the failure in one line and the report to read. The edits are computed
 * from the tree, not taken from the worker's notes. If the worker gave no result, the run halts.
 */
function implementation(state: DeliverState): Next {
  const {
    attempt: { repair, reviews },
  } = state;
  const slots: Slots = {
    ...assignment(state),
    plan: artefact(state.attempt.plan),
    ...Object.fromEntries(
      ADVISORS.map((advisor) => [`review_${advisor.slice(8)}`, artefact(reviews[advisor])]),
    ),
    failure: text(repair ? `layer ${repair.layer}: ${repair.error}` : ''),
    report: repair ? repairReport(state, repair.layer) : text(''),
  };
  const role = state.mode === 'single' ? 'generator_single' : 'implementation';
  return work([call(state, role, ChangeNotes, slots)], ([ended], at) => {
    const line = workerLine(ended);
    if (ended.kind !== 'ok') return haltFailed(state, at, workersFailed([ended]), [line]);
    const data = { part: 'notes', round: state.round, attempt: state.attempt.attempts, notes: ended.result };
    const refused = ended.denied?.slice(0, SHOWN.items).map((what) => oneLine(what)) ?? null;
    return go(state, at, { attempt: { notes: ended.artefact, refused } }, [
      line,
      { kind: 'artefact', name: 'change_notes', hash: ended.artefact },
      { kind: 'entry', name: 'changes', data },
    ]);
  });
}

function repairReport({ checks: { report }, verdict: { qa } }: DeliverState, layer: 1 | 2): SlotRef {
  return layer === 1 ? { json: report } : artefact(qa?.evaluation);
}

function feedback({ round, attempt: { feedback: hash } }: DeliverState): SlotRef {
  return round > 1 && hash ? { artefact: hash } : text('first round');
}

/** The change set of the attempt completes it. */
function attemptDone(state: DeliverState, at: Instant, records: readonly MoveRecord[]): Move<DeliverState> {
  const repair = state.attempt.repair ? { ...state.attempt.repair, done: true } : null;
  return go(state, at, { attempt: { repair }, phase: 'generate_done' }, records);
}
