import type { BriefDoc, Text } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import type { LineCount } from '../../contract/deliver-found.ts';
import { CAPS, type OpenItem, type Qa, SHOWN } from '../../contract/deliver-report.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { Hash } from '../../contract/ids.ts';
import { brief } from '../../engine/whole-brief.ts';
import { runOf } from './halts.ts';
import { oldFailures } from './layer1.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { modelsText, tierOf } from './models.ts';
import { changedPaths } from './moves.ts';
import { cleanPass, recheckLines } from './recheck.ts';
import { isAutofixOffered, isRepairDue } from './repairs.ts';
import { checkHints } from './sandbox-hints.ts';
import { gitTouched, hooksAtCommit, ignoredWritten } from './touched.ts';
import { adviceOf, altersChecks, warningsOf } from './warnings.ts';
import { untoldLines, weakenedLines } from './weakened-checks.ts';

/** Asks whether to build this. The gate shows the cost in workers, because the expensive part begins here (WF-43). */
export function specGate(state: DeliverState, spec: NonNullable<DeliverState['plan']['spec']>): GateSpec {
  const {
    plan: { requests_shown },
    mode,
  } = state;
  const asked = requests_shown.map((text, n) => say('deliver.spec.request', { n: n + 1, text }));
  return {
    name: 'spec',
    brief: brief({
      decide: say('deliver.spec.decide', { criteria: spec.criteria.length, revision: spec.revision }),
      recommend: { text: say('deliver.spec.proceed'), confidence: 'medium' },
      why: [say('deliver.spec.costly', { mode: mode ?? 'single' })],
      context: [
        ...(asked.length > 0 ? [say('deliver.spec.requests'), ...asked] : []),
        ...(state.from_spec ? [say('deliver.spec.from', { run: state.from_spec.run })] : []),
        toRead(state, state.plan.spec_file),
      ],
      banners: uncommittedConfig(state),
    }),
    artefacts: { spec: spec.hash },
  };
}

/** Asked if the checks fail and no repair is left, or if a person wants to evaluate early (WF-52, WF-89). */
export function verifyGate(state: DeliverState): GateSpec {
  return state.checks.report?.files === 0 ? emptyGate(state) : failingGate(state);
}

function failingGate(state: DeliverState): GateSpec {
  const {
    checks: { report, stalled },
    attempt: { changes },
  } = state;
  const autofix = isAutofixOffered(state);
  const old = report?.checks.filter((check) => check.old > 0) ?? [];
  const why: Text[] = [say('deliver.verify.error', { error: report?.error ?? '' })];
  why.push(...checkHints(report?.checks));
  if (stalled) why.push(say('deliver.verify.stalled', { run: runOf(state) }));
  if (state.checks.autofix)
    why.push(say('deliver.verify.autofix_used', { applied: state.checks.autofix.applied }));
  const model = tierOf('auto_fix_proposer', state.model_config);
  return {
    name: 'verify',
    offers: [...(autofix ? ['auto_fix'] : []), ...(changes?.cut ? [] : ['continue']), 'stop'],
    brief: brief({
      decide: say('deliver.verify.decide', { used: repairsMade(state), cap: CAPS.layer1 }),
      recommend: autofix
        ? { text: say('deliver.verify.auto_fix'), confidence: 'low' }
        : { text: say('deliver.verify.stop'), cede: true },
      why,
      context: [
        ...(autofix ? [say('deliver.verify.model', { model })] : []),
        ...old.map((check) => say('deliver.verify.old', { check: check.name, n: check.old })),
        ...recheckLines(state),
        ...untoldLines(state),
        ...(changes?.cut ? [say('deliver.verify.cut')] : []),
        ...(state.attempt.refused
          ? [say('deliver.verify.refused', { what: state.attempt.refused.join(', ') })]
          : []),
        toRead(state, 'verify_report.md'),
        ...(isRepairDue({ ...state, checks: { ...state.checks, early: false } })
          ? [say('deliver.verify.left', { run: runOf(state) })]
          : []),
        say('deliver.verify.by_hand', { run: runOf(state), own: hasOwnTree(state) ? 'yes' : 'no' }),
      ],
      items: failingItems(state),
      banners: changeWarnings(state),
    }),
  };
}

/** The change is empty. A person may have the unchanged tree evaluated. */
function emptyGate(state: DeliverState): GateSpec {
  const run = runOf(state);
  return {
    name: 'verify',
    offers: ['as_is', 'stop'],
    brief: brief({
      decide: say('deliver.verify.empty', { used: repairsMade(state) }),
      recommend: { text: say('deliver.verify.stop'), cede: true },
      why: [say('deliver.verify.not_evaluated')],
      context: [
        ...(state.attempt.refused
          ? [say('deliver.verify.refused', { what: state.attempt.refused.join(', ') })]
          : []),
        toRead(state, 'changes.md'),
        ...(state.checks.verify.layer1_retries < CAPS.layer1 ? [say('deliver.verify.left', { run })] : []),
        say('deliver.verify.by_hand', { run, own: hasOwnTree(state) ? 'yes' : 'no' }),
      ],
      items: failingItems(state),
      banners: changeWarnings(state),
    }),
  };
}

/** A repair is counted when it becomes due. A repair that has not begun is subtracted. */
function repairsMade({ checks: { verify }, attempt: { repair } }: DeliverState): number {
  return verify.layer1_retries - (repair?.layer === 1 && !repair.done ? 1 : 0);
}

/** The failing items of the pass, at most five failures per check. The digest covers exactly these. */
function failingItems({ checks: { report } }: DeliverState): BriefDoc['items'] {
  const failing = (report?.checks ?? []).filter(({ judged }) => judged === 'fail');
  const locations = failing.flatMap(({ name, failures }) =>
    failures.slice(0, 5).map(({ file, line, text }) => {
      const location = file ? `${file}${line === null ? '' : `:${line}`} ` : '';
      return `${name}: ${location}${text}`;
    }),
  );
  const outside = (report?.outside ?? []).map(({ path, code }) => `scope: ${path} (${code})`);
  return [...outside, ...locations].map((what) => ({
    kind: 'content-input',
    text: say('deliver.verify.item', { what }),
  }));
}

/** A proposed patch, with its artefact. */
export type Patch = NonNullable<DeliverState['checks']['proposal']> & { readonly patch: Hash };

/** Asks whether to apply the patch, the only one a run ever gets (WF-57). */
export function autofixGate(state: DeliverState, proposal: Patch): GateSpec {
  const { model_config } = state;
  const { confidence, targets, hunks, rationale, limitations, patch } = proposal;
  const doubtful = confidence === 'Low' || confidence === 'Unknown';
  const models = model_config ? modelsText(model_config) : 'default';
  return {
    name: 'auto_fix',
    brief: brief({
      decide: say('deliver.auto_fix.decide', { confidence, n: targets.length, hunks }),
      recommend: doubtful
        ? { text: say('deliver.auto_fix.reject'), cede: true }
        : { text: say('deliver.auto_fix.apply'), confidence: confidence === 'High' ? 'high' : 'medium' },
      why: [rationale],
      context: [
        say('deliver.auto_fix.targets', { files: targets.join(', ') }),
        say('deliver.auto_fix.model', { model: tierOf('auto_fix_proposer', model_config), models }),
        ...(limitations ? [say('deliver.auto_fix.limitations', { text: limitations })] : []),
      ],
      banners: [
        ...(doubtful ? [say('deliver.auto_fix.caution', { confidence })] : []),
        ...changeWarnings(state),
      ],
    }),
    artefacts: { auto_fix_patch: patch },
  };
}

/**
 * Asks for another round or for acceptance. The gate shows which layer failed and what would have to be done (WF-89).
 */
export function qaGate(state: DeliverState, qa: Qa): GateSpec {
  const {
    round,
    max_rounds,
    checks: { verify, waiver },
  } = state;
  const layer = qa.verdict === 'FAIL_L2' ? 'two' : qa.verdict === 'FAIL_L3' ? 'three' : 'none';
  return {
    name: 'qa',
    brief: brief({
      decide: say('deliver.qa.decide', { layer, open: qa.failing.length + qa.more, round, of: max_rounds }),
      recommend: { text: say('deliver.qa.fix'), confidence: 'medium' },
      why: [
        ...(layer === 'two' ? [say('deliver.qa.spent', { n: verify.layer2_retries })] : []),
        ...(layer === 'none' ? [say('deliver.qa.no_evaluation')] : []),
        ...qa.instructions.map((text) => say('deliver.qa.instruction', { text })),
      ],
      context: [
        ...(waiver ? [say('deliver.qa.waived', { by: waiver.by, error: waiver.error })] : []),
        toRead(state, 'qa_report.md'),
      ],
      items: openItems(qa.failing, qa.more),
      banners: changeWarnings(state),
    }),
    artefacts: { ...diffOf(state), ...evaluationOf(qa.evaluation) },
  };
}

/**
 * Asks what to do with the change. Unless it passed, the gate shows the open items before the first option (WF-89).
 */
export function commitGate(state: DeliverState): GateSpec {
  const {
    verdict: { qa },
    checks: { waiver },
    branch,
  } = state;
  const passed = state.verdict.completion_reason === 'qa_pass' && !state.verdict.altered;
  const reason = state.verdict.altered ? 'altered' : (state.verdict.completion_reason ?? 'max_rounds');
  return {
    name: 'commit',
    brief: brief({
      decide: commitQuestion(state, reason),
      recommend: commitAdvice(state, passed),
      why: [say('deliver.commit.reason', { reason })],
      context: [
        ...(waiver ? [say('deliver.qa.waived', { by: waiver.by, error: waiver.error })] : []),
        ...changedFiles(state),
        ...cleanPass(state.checks.report ?? {}),
        ...untoldLines(state),
        branch ? say('deliver.commit.branch', { branch }) : say('deliver.commit.in_place'),
        toRead(state, 'evidence.md'),
      ],
      items: passed ? [] : openItems(qa?.failing ?? [], qa?.more ?? 0),
      banners: commitWarnings(state),
    }),
    describe: hasOwnTree(state) ? { no_commit: say('deliver.commit.no_commit.patch') } : {},
    artefacts: { ...diffOf(state), ...evaluationOf(qa?.evaluation ?? null) },
  };
}

/** Does not recommend a commit if the change removed something from its own checks. */
function commitAdvice(state: DeliverState, passed: boolean): BriefDoc['recommend'] {
  const {
    verdict: { altered },
    checks: { report },
  } = state;
  const warned = adviceOf(state);
  if (warned === 'no_commit') return { text: say('deliver.commit.no_commit'), confidence: 'low' };
  const against = altered || warned === 'ask';
  const text = say(against ? 'deliver.commit.no_commit' : 'deliver.commit.code_only');
  if (against || !passed) return { text, cede: true };
  return { text, confidence: warned || report?.nothing_executed ? 'low' : 'high' };
}

/** The files of the commit, one line each, at most as many as a gate shows. */
function changedFiles({ attempt: { changes } }: DeliverState): Text[] {
  if (!changes) return [];
  const kinds = [
    ['M', changes.modified],
    ['A', changes.created],
    ['D', changes.deleted],
  ] as const;
  // A file name may equal a property that every object has.
  const counts = new Map(Object.entries(changes.lines_of ?? {}));
  const rows = kinds.flatMap(([kind, paths]) =>
    paths.map((path) => `${kind} ${path}${lineCount(counts.get(path))}`),
  );
  const more = rows.length - SHOWN.items;
  return [
    ...(changes.lines && rows.length > 1 ? [say('deliver.commit.lines', changes.lines)] : []),
    ...rows.slice(0, SHOWN.items),
    ...(more > 0 ? [say('deliver.qa.more', { n: more })] : []),
  ];
}

function lineCount(lines: LineCount | undefined): string {
  return lines ? `  +${lines.added} −${lines.removed}` : '';
}

function commitQuestion(state: DeliverState, reason: string): Text {
  const {
    verdict: { qa },
    plan: { spec },
  } = state;
  const met = { met: qa?.met ?? 0, of: spec?.criteria.length ?? 0, old: oldFailures(state.checks.report) };
  return say('deliver.commit.decide', { reason, files: changedPaths(state.attempt).length, ...met });
}

function commitWarnings(state: DeliverState): Text[] {
  const {
    verdict: { altered },
    finish: { error: finish_error, rewritten },
    checks: { report },
  } = state;
  return [
    ...warningsOf(state),
    ...(report?.nothing_executed ? [say('deliver.notice.layer1_nothing')] : []),
    ...(altered ? [say('deliver.notice.altered')] : []),
    ...(finish_error === null ? [] : [say('deliver.commit.failed', { error: finish_error })]),
    ...(rewritten ? [say('deliver.commit.rewritten', { files: rewritten.join(', ') })] : []),
    ...uncommittedConfig(state),
    ...writtenElsewhere(state),
    ...hooksAtCommit(state.attempt.changes ?? {}),
  ];
}

/** Where to read a document. People do not look into a run's own tree. */
function toRead(state: DeliverState, file: string): Text {
  const own = hasOwnTree(state) ? 'yes' : 'no';
  const name = file.replace(/\.md$/, '');
  const args = { own, path: `${state.docs_path}${file}`, run: runOf(state), name };
  return { ...say('deliver.to_read', args), to_read: name };
}

function openItems(failing: readonly OpenItem[], more: number): BriefDoc['items'] {
  const items = failing.map(({ id, text }) => {
    return { kind: 'content-input', text: say('deliver.qa.item', { what: `${id}: ${text}` }) } as const;
  });
  if (more === 0) return items;
  return [...items, { kind: 'content-input', text: say('deliver.qa.more', { n: more }) }];
}

function diffOf({ attempt: { changes } }: DeliverState): Readonly<Record<string, Hash>> {
  return changes?.diff ? { diff: changes.diff } : {};
}

function evaluationOf(hash: Hash | null): Readonly<Record<string, Hash>> {
  return hash ? { evaluation: hash } : {};
}

/** A person must learn before approving that the checks come from an uncommitted configuration. */
function uncommittedConfig({ checks: { config } }: DeliverState): Text[] {
  return config === 'uncommitted' ? [say('deliver.config_uncommitted')] : [];
}

/** Warnings shown wherever the change is judged: what it does to its own checks, and what a worker wrote outside it. */
function changeWarnings(state: DeliverState): Text[] {
  return [...weakenedLines(state), ...altersChecks(state), ...writtenElsewhere(state)];
}

function writtenElsewhere(state: DeliverState): Text[] {
  const {
    attempt: { changes },
  } = state;
  return [...gitTouched({ ...changes, in_place: !hasOwnTree(state) }), ...ignoredWritten(changes ?? {})];
}
