import type { Answer } from '../../contract/answer.ts';
import type { Autofix, DeliverState } from '../../contract/deliver.ts';
import { PatchApplied } from '../../contract/deliver-found.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import { AutoFixProposal } from '../../contract/deliver-work.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { CallOutcome, Outcome } from '../../contract/outcome.ts';
import type { Step } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { validatePath } from '../../engine/paths.ts';
import { artefact, call, text, work } from './calls.ts';
import { baseStep } from './generate.ts';
import { say } from './messages.ts';
import { go, nameOf, notice, oneLine, warning, worldFailed } from './moves.ts';
import { outlinePatch } from './patch.ts';
import { workerLine } from './worker-lines.ts';

/** Maximum number of files named to the proposer (WF-55). */
const MAX_FILES = 5;

/** Asks for one patch. The proposer reads and does not edit. */
export function proposerStep(state: DeliverState): Step {
  const { paths } = failingFiles(state);
  const slots = {
    spec: artefact(state.spec?.hash),
    change_notes: artefact(state.notes),
    verify_report: { json: state.report },
    failing_files: text(paths.join('\n')),
    user_lang: text(state.user_lang),
  };
  return work(state, [call(state, 'auto_fix_proposer', slots)]);
}

/** Failing files of the report that may be read. Hostile paths are dropped and named (WF-55). */
export function failingFiles({ report, namespace }: Pick<DeliverState, 'report' | 'namespace'>): {
  readonly paths: readonly string[];
  readonly dropped: readonly string[];
} {
  const named = (report?.checks ?? []).flatMap(({ failures }) =>
    failures.flatMap(({ file }) => (file ? [file] : [])),
  );
  const paths = new Set<string>();
  const dropped = new Set<string>();
  for (const file of named) {
    const checked = validatePath(file, 'file_reference', { namespace });
    if (checked.ok) paths.add(checked.path);
    else dropped.add(file);
  }
  return { paths: [...paths].slice(0, MAX_FILES), dropped: [...dropped] };
}

/** Notices about the files the proposer reads. */
export function targetNotices(state: DeliverState): MoveRecord[] {
  const { paths, dropped } = failingFiles(state);
  const warnings = dropped.map((path) =>
    warning(say('deliver.notice.file_dropped', { path: oneLine(path) })),
  );
  if (paths.length === 0) return [...warnings, warning(say('deliver.notice.no_failing_files'))];
  return [...warnings, notice(say('deliver.notice.autofix_files', { files: paths.join(', ') }))];
}

/**
 * Without any answer, the run gets its one auto-fix attempt back. An unreadable answer, or a patch without a hunk, is
 * rejected and uses up the attempt (WF-53, WF-56).
 */
export function onProposal(state: DeliverState, ended: CallOutcome, at: Instant): Move<DeliverState> {
  const line = workerLine('auto_fix_proposer', ended);
  if (ended.kind !== 'ok') {
    if (ended.kind === 'parse_failed') return reject(state, at, 'empty_patch', [line]);
    return go(state, at, { autofix: null }, [line, warning(say('deliver.notice.autofix_none'))]);
  }
  const { confidence, diff, rationale, limitations } = AutoFixProposal.parse(ended.result);
  const { targets, hunks } = outlinePatch(diff);
  const stored: MoveRecord[] = [line, { kind: 'artefact', name: 'auto_fix_patch', hash: ended.artefact }];
  const record = { ...recordOf(state), last_patch_path: ended.artefact };
  if (hunks === 0) return reject({ ...state, autofix: record }, at, 'empty_patch', stored);
  const proposal = {
    confidence,
    targets: targets.slice(0, SHOWN.items),
    hunks,
    rationale: oneLine(rationale),
    limitations: limitations ? oneLine(limitations) : null,
  };
  const told = say('deliver.notice.autofix_proposed', { confidence, files: proposal.targets.join(', ') });
  return go(state, at, { autofix: record, proposal }, [...stored, notice(told)]);
}

/**
 * Every answer uses up the auto-fix attempt (WF-57). Stop also halts the run. A resume then opens the verify gate
 * (WF-90).
 */
export const onAutofixGate: Readonly<
  Record<string, (state: DeliverState, answer: Answer) => Move<DeliverState>>
> = {
  apply: (state, { at, by, digest }) => {
    const data = { patch: state.autofix?.last_patch_path ?? null, by: nameOf(by), digest };
    const fresh = { ...state, based: false };
    return use(fresh, at, { applied: 'accepted' }, [{ kind: 'decision', name: 'auto_fix_accepted', data }]);
  },
  reject: (state, { at }) => reject(state, at, 'rejected_by_user', []),
  stop: (state, { at }) => {
    const why = say('deliver.halt.autofix_stopped');
    const halted = { kind: 'stopped', why } as const;
    return use({ ...state, halted }, at, { applied: 'rejected', reason: 'stopped_by_user' }, [notice(why)]);
  },
};

/**
 * One outside write applies the whole patch or nothing. In the person's own folder the base is taken first, so a
 * person's edits at the gate do not count as the run's.
 */
export function applyStep(state: DeliverState): Step {
  const base = baseStep(state);
  if (base) return base;
  const input = { patch: { artefact: recordOf(state).last_patch_path, field: 'diff' }, scope: state.scope };
  return { kind: 'workspace', during: state.phase, op: { op: 'apply_patch', input } };
}

/**
 * If the patch was applied, one pass follows and no repair is counted. Otherwise the tree is unchanged and the attempt
 * is used up (WF-58).
 */
export function onApplied(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'apply_patch', outcome.failure);
  if (outcome.kind !== 'written') throw new InvariantError(`apply_patch gave '${outcome.kind}'`);
  const result = PatchApplied.parse(outcome.result);
  if ('applied' in result && !result.applied) {
    const reverted = warning(say('deliver.notice.autofix_reverted', { reason: result.reason }));
    return reject(state, at, result.reason, [reverted]);
  }
  const verify = { ...state.verify, layer1_result: null, autofix_attempted: true };
  const changes = {
    verify,
    autofix: { ...recordOf(state), applied: 'applied' },
    pass: 'patch',
    pass_due: true,
  } as const;
  return go(state, at, changes, [notice(say('deliver.notice.autofix_applied'))]);
}

function reject(
  state: DeliverState,
  at: Instant,
  reason: NonNullable<Autofix['reason']>,
  records: readonly MoveRecord[],
): Move<DeliverState> {
  return use(state, at, { applied: 'rejected', reason }, [
    ...records,
    notice(say('deliver.notice.autofix_rejected', { reason })),
  ]);
}

/** Sets the record and the used attempt in the same move (WF-53). */
function use(
  state: DeliverState,
  at: Instant,
  record: Partial<Autofix>,
  records: readonly MoveRecord[],
): Move<DeliverState> {
  const autofix = { ...recordOf(state), ...record };
  const verify = { ...state.verify, autofix_attempted: true };
  return go(state, at, { autofix, verify }, records);
}

function recordOf({ autofix }: DeliverState): Autofix {
  if (!autofix) throw new InvariantError('an auto-fix step without its record');
  return autofix;
}
