import type { Msg } from '../../contract/brief.ts';
import { ADVISORS, type Advisor, type DeliverState, type Mode } from '../../contract/deliver.ts';
import { ChangeSetFound, SnapshotTaken } from '../../contract/deliver-found.ts';
import { type Changes, SHOWN } from '../../contract/deliver-report.ts';
import { ChangeNotes } from '../../contract/deliver-work.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { CallOutcome, Outcome } from '../../contract/outcome.ts';
import type { SlotRef, Step, WorkerCall } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { artefact, call, type Slots, scopeSlot, text, work } from './calls.ts';
import { toChanges } from './changes.ts';
import { commandsOf } from './checks.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { changedPaths, go, haltFailed, notice, oneLine, warning, worldFailed } from './moves.ts';
import { settleGroup } from './settle-group.ts';
import { gitTouched, ignoredWritten } from './touched.ts';
import { altersChecks, secrets } from './warnings.ts';
import { callsOf, workerLine, workersFailed } from './worker-lines.ts';

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
  const fresh = {
    plan: null,
    reviews: {},
    repair: null,
    waiver: null,
    fingerprints: [],
    stalled: false,
    early: false,
    based: false,
  };
  const feedback = state.qa?.evaluation ?? null;
  return go(state, at, {
    ...fresh,
    feedback,
    phase: 'generating',
    attempts: 1,
    notes: null,
    pass: 'attempt',
  });
}

/** One more attempt in this round with one implementation worker, without a new plan or review (WF-50). */
export function beginRepair(
  state: DeliverState,
  at: Instant,
  repair: NonNullable<DeliverState['repair']>,
  changes: Partial<DeliverState> = {},
): Move<DeliverState> {
  const { layer, attempt: n, error } = repair;
  const counted = { layer, attempt: n, cap: layer === 1 ? 3 : 2 };
  // The notice just before names the layer-1 result and its first error, unless the run was idle in between.
  const told =
    layer === 1 && !state.was_idle
      ? say('deliver.notice.repair_begins', counted)
      : say('deliver.notice.repair', { ...counted, error });
  const attempt = {
    attempts: state.attempts + 1,
    notes: null,
    pass: 'attempt',
    early: false,
    waiver: null,
    based: false,
  } as const;
  return go(state, at, { ...changes, ...attempt, repair, phase: 'generating' }, [notice(told)]);
}

/**
 * The steps of an attempt: plan, reviews and implementation, as the mode requires. A repair runs only the
 * implementation.
 */
export function generateStep(state: DeliverState): Step {
  if (state.notes) return changeSetQuery(state);
  const reviewers = state.repair ? [] : reviewersOf(state);
  if (reviewers.length > 0 && !state.plan) return work(state, [leadDeveloper(state)]);
  const open = reviewers.filter((advisor) => !state.reviews[advisor]);
  if (open.length > 0)
    return work(
      state,
      open.map((advisor) => review(state, advisor)),
    );
  return baseStep(state) ?? work(state, [implementation(state)]);
}

/**
 * In the person's own folder, people at a gate and checks write too. The run therefore takes its base just before an
 * author works or a patch is applied. If there are more changes than can be named, the old base stays, because a new
 * one would lose the rest.
 */
export function baseStep(state: DeliverState): Step | null {
  const { phase, start, changes } = state;
  if (hasOwnTree(state) || state.based || changes?.cut) return null;
  const input = { since: changes ? start : null, paths: changedPaths(state) };
  return { kind: 'workspace', during: phase, op: { op: 'take_base', input } };
}

export function onBaseTaken(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'take_base', outcome.failure);
  if (outcome.kind !== 'written') throw new InvariantError(`take_base gave '${outcome.kind}'`);
  return go(state, at, { based: true, start: SnapshotTaken.parse(outcome.result).snapshot });
}

/**
 * Computes what changed since the start, without the run's own documents. A closed run queries only what it judged and
 * what hooks changed in its commit, because other work continues in the person's own folder.
 */
export function changeSetQuery(state: DeliverState): Step {
  const { scope, max_files, docs_path, phase, start, run } = state;
  const commands = Object.values(commandsOf(state)).filter((command) => command !== null);
  const judged = [...changedPaths(state), ...(state.rewritten ?? [])];
  const only = phase === 'completed' ? { only: [...new Set(judged)] } : {};
  const input = { since: start, scope, max_files, docs_path, commands, ...(run && { run }), ...only };
  return { kind: 'query', during: phase, what: { what: 'change_set', input } };
}

function leadDeveloper(state: DeliverState): WorkerCall {
  return call(state, 'lead_developer', assignment(state));
}

/** The work to do, and its limits. */
function assignment(state: DeliverState): Slots {
  return {
    spec: artefact(state.spec?.hash),
    qa_feedback: feedback(state),
    round: text(String(state.round)),
    scope: scopeSlot(state),
    max_files: text(String(state.max_files)),
    user_lang: text(state.user_lang),
  };
}

/** Advisors read the plan. The code they could judge is not written yet (WF-44). */
function review(state: DeliverState, advisor: Advisor): WorkerCall {
  return call(state, advisor, {
    spec: artefact(state.spec?.hash),
    plan: artefact(state.plan),
    test_cmd: text(state.test_cmd ?? ''),
    user_lang: text(state.user_lang),
  });
}

/** The worker that edits (WF-45). A repair adds the failure in one line and the report to read. */
function implementation(state: DeliverState): WorkerCall {
  const { repair, reviews } = state;
  const slots: Slots = {
    ...assignment(state),
    plan: artefact(state.plan),
    ...Object.fromEntries(
      ADVISORS.map((advisor) => [`review_${advisor.slice(8)}`, artefact(reviews[advisor])]),
    ),
    failure: text(repair ? `layer ${repair.layer}: ${repair.error}` : ''),
    report: repair ? repairReport(state, repair.layer) : text(''),
  };
  return call(state, state.mode === 'single' ? 'generator_single' : 'implementation', slots);
}

function repairReport({ report, qa }: DeliverState, layer: 1 | 2): SlotRef {
  return layer === 1 ? { json: report } : artefact(qa?.evaluation);
}

function feedback({ round, feedback: hash }: DeliverState): SlotRef {
  return round > 1 && hash ? { artefact: hash } : text('first round');
}

export function onLeadDeveloper(state: DeliverState, ended: CallOutcome, at: Instant): Move<DeliverState> {
  const line = workerLine('lead_developer', ended);
  if (ended.kind !== 'ok') return haltFailed(state, at, workersFailed([ended], ['lead_developer']), [line]);
  const plan = ended.artefact;
  return go(state, at, { plan }, [line, { kind: 'artefact', name: 'implementation_plan', hash: plan }]);
}

export function onReviews(state: DeliverState, step: Step, outcome: Outcome): Move<DeliverState> {
  const roles = callsOf(step).map(({ role }) => role as Advisor);
  const named = (role: Advisor) => role.replace('advisor', 'review');
  return settleGroup(state, outcome, {
    name: 'reviews',
    members: roles,
    named,
    of: reviewersOf(state).length,
  });
}

/**
 * The edits are computed from the tree, not taken from the worker's notes. If the worker gave no result, the run halts.
 */
export function onImplementation(
  state: DeliverState,
  role: string,
  ended: CallOutcome,
  at: Instant,
): Move<DeliverState> {
  const line = workerLine(role, ended);
  if (ended.kind !== 'ok') return haltFailed(state, at, workersFailed([ended], [role]), [line]);
  const notes = ChangeNotes.parse(ended.result);
  const data = { part: 'notes', round: state.round, attempt: state.attempts, notes };
  const { refused: _earlier, ...before } = state;
  const refused = ended.denied?.slice(0, SHOWN.items).map((what) => oneLine(what));
  return go(before, at, { notes: ended.artefact, ...(refused && { refused }) }, [
    line,
    { kind: 'artefact', name: 'change_notes', hash: ended.artefact },
    { kind: 'entry', name: 'changes', data },
  ]);
}

/** The change set is known. It completes an attempt, starts a pass, or is stored again for a closed run. */
export function onChangeSet(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'query change_set', outcome.failure);
  if (outcome.kind !== 'queried') throw new InvariantError(`query change_set gave '${outcome.kind}'`);
  const found = ChangeSetFound.parse(outcome.found);
  const changes = toChanges(found, state.changes?.git ?? []);
  const files = changedPaths({ changes }).length;
  const records: MoveRecord[] = [
    { kind: 'entry', name: 'changes', data: { part: 'set', round: state.round, changes } },
    ...(changes.diff ? [{ kind: 'artefact', name: 'diff', hash: changes.diff } as const] : []),
    notice(changedText(files, changes), files === 0 ? 'warning' : 'info', 'outcome'),
    ...[...secrets({ changes }), ...altersChecks({ changes })].map(warning),
    ...gitTouched({ ...found, in_place: !hasOwnTree(state) }).map(warning),
    ...ignoredWritten({ ignored: newIn(changes.ignored, state.changes?.ignored) }).map(warning),
  ];
  if (state.phase === 'completed') return go(state, at, { changes, pass_due: false }, records);
  if (files === 0 && state.notes && state.refused) return haltRefused(state, at, state.refused, records);
  if (state.phase === 'verify_done' || state.phase === 'verify_ready') {
    return go(state, at, { changes, pass_due: false, phase: 'verifying' }, records);
  }
  const repair = state.repair ? { ...state.repair, done: true } : null;
  return go(state, at, { changes, repair, phase: 'generate_done' }, records);
}

function changedText(n: number, { lines }: Changes): Msg {
  return lines && n > 0
    ? say('deliver.notice.changes_lines', { n, ...lines })
    : say('deliver.notice.changes', { n });
}

function newIn(found: readonly string[] = [], told: readonly string[] = []): string[] {
  return found.filter((name) => !told.includes(name));
}

/**
 * The worker reports that it is done, but it was refused what it needed and changed nothing. A resume asks it again.
 */
function haltRefused(
  state: DeliverState,
  at: Instant,
  refused: readonly string[],
  records: readonly MoveRecord[],
): Move<DeliverState> {
  const why = say('deliver.halt.refused', { what: refused.join(', ') });
  return haltFailed({ ...state, notes: null }, at, why, records);
}
