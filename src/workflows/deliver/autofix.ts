import type { Autofix, DeliverState } from '../../contract/deliver.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import { AutoFixProposal } from '../../contract/deliver-work.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { type Call, type Ended, gate, work, write } from '../../engine/decide.ts';
import { validatePath } from '../../engine/paths.ts';
import { autofixGate, type Patch } from './briefs.ts';
import { artefact, call, text } from './calls.ts';
import { deliverGates } from './gates.ts';
import { takeBase } from './generate.ts';
import { say } from './messages.ts';
import { go, type Next, nameOf, notice, oneLine, warning } from './moves.ts';
import { workerLine } from './worker-lines.ts';

/** Maximum number of files named to the proposer (WF-55). */
const MAX_FILES = 5;

/** One patch is requested, then a person decides about it. */
export function proposePatch(state: DeliverState, autofix: Autofix): Next {
  const {
    checks: { proposal },
  } = state;
  const patch = autofix.last_patch_path;
  if (proposal && patch) return askPatch(state, autofix, { ...proposal, patch });
  return work([proposer(state)], ([ended], at) => settleProposal(state, autofix, ended, at));
}

/** The proposer reads and does not edit. */
function proposer(state: DeliverState): Call<AutoFixProposal> {
  const { paths } = failingFiles(state);
  return call(state, 'auto_fix_proposer', AutoFixProposal, {
    spec: artefact(state.plan.spec?.hash),
    change_notes: artefact(state.attempt.notes),
    verify_report: { json: state.checks.report },
    failing_files: text(paths.join('\n')),
    user_lang: text(state.user_lang),
  });
}

/** Failing files of the report that may be read. Hostile paths are dropped and named (WF-55). */
export function failingFiles({
  checks: { report },
  namespace,
}: Pick<DeliverState, 'namespace'> & { readonly checks: Pick<DeliverState['checks'], 'report'> }): {
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
function settleProposal(
  state: DeliverState,
  autofix: Autofix,
  ended: Ended<AutoFixProposal>,
  at: Instant,
): Move<DeliverState> {
  const line = workerLine(ended);
  if (ended.kind !== 'ok') {
    if (ended.kind === 'parse_failed') return reject(state, at, { autofix, reason: 'empty_patch' }, [line]);
    return go(state, at, { checks: { autofix: null } }, [line, warning(say('deliver.notice.autofix_none'))]);
  }
  const { confidence, diff, rationale, limitations } = ended.result;
  const { targets, hunks } = outlinePatch(diff);
  const stored: MoveRecord[] = [line, { kind: 'artefact', name: 'auto_fix_patch', hash: ended.artefact }];
  const record = { ...autofix, last_patch_path: ended.artefact };
  if (hunks === 0) return reject(state, at, { autofix: record, reason: 'empty_patch' }, stored);
  const proposal = {
    confidence,
    targets: targets.slice(0, SHOWN.items),
    hunks,
    rationale: oneLine(rationale),
    limitations: limitations ? oneLine(limitations) : null,
  };
  const told = say('deliver.notice.autofix_proposed', { confidence, files: proposal.targets.join(', ') });
  return go(state, at, { checks: { autofix: record, proposal } }, [...stored, notice(told)]);
}

/**
 * Every answer uses up the auto-fix attempt (WF-57). Stop also halts the run. A resume then opens the verify gate
 * (WF-90).
 */
function askPatch(state: DeliverState, autofix: Autofix, proposal: Patch): Next {
  return gate(deliverGates.auto_fix, autofixGate(state, proposal), {
    apply: ({ at, by, digest }) => {
      const data = { patch: proposal.patch, by: nameOf(by), digest };
      const accepted = { ...autofix, applied: 'accepted' } as const;
      const decided = { kind: 'decision', name: 'auto_fix_accepted', data } as const;
      return go(
        state,
        at,
        { checks: { autofix: accepted, verify: used(state) }, attempt: { based: false } },
        [decided],
      );
    },
    reject: ({ at }) => reject(state, at, { autofix, reason: 'rejected_by_user' }, []),
    stop: ({ at }) => {
      const why = say('deliver.halt.autofix_stopped');
      const rejected = { ...autofix, applied: 'rejected', reason: 'stopped_by_user' } as const;
      const halted = { kind: 'stopped', why } as const;
      return go(state, at, { checks: { autofix: rejected, verify: used(state) }, halted }, [notice(why)]);
    },
  });
}

/**
 * One outside write applies the whole patch or nothing. In the person's own folder the base is taken first, so a
 * person's edits at the gate do not count as the run's. If the patch was applied, one pass follows and no repair is
 * counted. Otherwise the tree is unchanged and the attempt is used up (WF-58).
 */
export function applyPatch(state: DeliverState, autofix: Autofix): Next {
  const { scope } = state;
  const patch = { artefact: autofix.last_patch_path, field: 'diff' } as const;
  return (
    takeBase(state) ??
    write('apply_patch', { patch, scope }, (result, at) => {
      if (result !== 'assumed' && !result.applied) {
        const { reason } = result;
        return reject(state, at, { autofix, reason }, [
          warning(say('deliver.notice.autofix_reverted', { reason })),
        ]);
      }
      const checks = {
        verify: { ...used(state), layer1_result: null },
        autofix: { ...autofix, applied: 'applied' },
        pass: 'patch',
        pass_due: true,
      } as const;
      return go(state, at, { checks }, [notice(say('deliver.notice.autofix_applied'))]);
    })
  );
}

function reject(
  state: DeliverState,
  at: Instant,
  { autofix, reason }: { readonly autofix: Autofix; readonly reason: NonNullable<Autofix['reason']> },
  records: readonly MoveRecord[],
): Move<DeliverState> {
  const rejected = { ...autofix, applied: 'rejected', reason } as const;
  return go(state, at, { checks: { autofix: rejected, verify: used(state) } }, [
    ...records,
    notice(say('deliver.notice.autofix_rejected', { reason })),
  ]);
}

/** The record and the used attempt are always set in the same move (WF-53). */
function used({ checks: { verify } }: DeliverState): DeliverState['checks']['verify'] {
  return { ...verify, autofix_attempted: true };
}

/** What a unified diff would change. This does not validate or apply anything. */
interface PatchOutline {
  readonly targets: readonly string[];
  readonly hunks: number;
}

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;
const HEADER = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t]+)/;

/** Paths of the file headers and the number of hunks. No hunk means there is nothing to apply (WF-56). */
export function outlinePatch(diff: string): PatchOutline {
  const targets = new Set<string>();
  let hunks = 0;
  for (const line of diff.split('\n')) {
    if (HUNK.test(line)) hunks += 1;
    const path = HEADER.exec(line)?.[1]?.trim();
    if (path && path !== '/dev/null') targets.add(path);
  }
  return { targets: [...targets], hunks: targets.size === 0 ? 0 : hunks };
}
