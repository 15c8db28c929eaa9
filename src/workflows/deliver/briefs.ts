import type { BriefDoc, Text } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import type { LineCount } from '../../contract/deliver-found.ts';
import { CAPS, type OpenItem, SHOWN } from '../../contract/deliver-report.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { Hash } from '../../contract/ids.ts';
import { InvariantError } from '../../engine/errors.ts';
import { brief } from '../../engine/whole-brief.ts';
import { isRepairDue } from './advance.ts';
import { runOf } from './halts.ts';
import { say } from './messages.ts';
import { modelsText, tierOf } from './models.ts';
import { changedPaths } from './moves.ts';
import { hasOwnTree } from './places.ts';
import { gitTouched, ignoredWritten } from './touched.ts';
import { isAutofixOffered } from './verify.ts';

/** Build this? Says what it costs in workers, because from here on it does (WF-43). */
export function specGate(state: DeliverState): GateSpec {
  const { spec, requests_shown, mode } = state;
  if (!spec) throw new InvariantError('a spec gate without a specification');
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
        toRead(state, state.spec_file),
      ],
      banners: uncommittedConfig(state),
    }),
    artefacts: { spec: spec.hash },
  };
}

/** The checks fail and no repair is left, or a person wants to go on early (WF-52, WF-89). */
export function verifyGate(state: DeliverState): GateSpec {
  const { report, changes, stalled } = state;
  const autofix = isAutofixOffered(state);
  const old = report?.checks.filter((check) => check.old > 0) ?? [];
  const why: Text[] = [say('deliver.verify.error', { error: report?.error ?? '' })];
  if (stalled) why.push(say('deliver.verify.stalled', { run: runOf(state) }));
  if (state.autofix) why.push(say('deliver.verify.autofix_used', { applied: state.autofix.applied }));
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
        ...(changes?.cut ? [say('deliver.verify.cut')] : []),
        ...(state.refused ? [say('deliver.verify.refused', { what: state.refused.join(', ') })] : []),
        toRead(state, 'verify_report.md'),
        ...(isRepairDue({ ...state, early: false })
          ? [say('deliver.verify.left', { run: runOf(state) })]
          : []),
        say('deliver.verify.by_hand', { run: runOf(state), own: hasOwnTree(state) ? 'yes' : 'no' }),
      ],
      items: failingItems(state),
      banners: altersChecks(state),
    }),
  };
}

/** A repair is counted when it becomes due; one that has not begun was not made. */
function repairsMade({ verify, repair }: DeliverState): number {
  return verify.layer1_retries - (repair?.layer === 1 && !repair.done ? 1 : 0);
}

/** Every failing item of the pass, so that the digest is about exactly these. */
function failingItems({ report }: DeliverState): BriefDoc['items'] {
  const failing = (report?.checks ?? []).filter(({ judged }) => judged === 'fail');
  const places = failing.flatMap(({ name, failures }) =>
    failures.slice(0, 5).map(({ file, line, text }) => {
      const place = file ? `${file}${line === null ? '' : `:${line}`} ` : '';
      return `${name}: ${place}${text}`;
    }),
  );
  const outside = (report?.outside ?? []).map(({ path, code }) => `scope: ${path} (${code})`);
  return [...outside, ...places].map((what) => ({
    kind: 'content-input',
    text: say('deliver.verify.item', { what }),
  }));
}

/** Apply this patch? The only one a run ever gets (WF-57). */
export function autofixGate(state: DeliverState): GateSpec {
  const { proposal, autofix, model_config } = state;
  if (!proposal || !autofix?.last_patch_path) throw new InvariantError('an auto-fix gate without a patch');
  const { confidence, targets, hunks, rationale, limitations } = proposal;
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
        ...altersChecks(state),
      ],
    }),
    artefacts: { auto_fix_patch: autofix.last_patch_path },
  };
}

/** Another round, or good enough? Says which layer failed and what would have to be done (WF-89). */
export function qaGate(state: DeliverState): GateSpec {
  const { qa, round, max_rounds, verify, waiver } = state;
  if (!qa) throw new InvariantError('a QA gate without an evaluation');
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
      banners: altersChecks(state),
    }),
    artefacts: { ...diffOf(state), ...evaluationOf(qa.evaluation) },
  };
}

/** What becomes of the change. Anything but a pass shows every open item before the first option (WF-89). */
export function commitGate(state: DeliverState): GateSpec {
  const { qa, waiver, branch } = state;
  const passed = state.completion_reason === 'qa_pass' && !state.altered;
  const reason = state.altered ? 'altered' : (state.completion_reason ?? 'max_rounds');
  return {
    name: 'commit',
    brief: brief({
      decide: commitQuestion(state, reason),
      recommend: commitAdvice(state, passed),
      why: [say('deliver.commit.reason', { reason })],
      context: [
        ...(waiver ? [say('deliver.qa.waived', { by: waiver.by, error: waiver.error })] : []),
        ...changedFiles(state),
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

function commitAdvice({ altered, report }: DeliverState, passed: boolean): BriefDoc['recommend'] {
  const text = say(altered ? 'deliver.commit.no_commit' : 'deliver.commit.code_only');
  return passed ? { text, confidence: report?.nothing_executed ? 'low' : 'high' } : { text, cede: true };
}

/** What the commit would hold, file by file, as far as a person reads it. */
function changedFiles({ changes }: DeliverState): Text[] {
  if (!changes) return [];
  const kinds = [
    ['M', changes.modified],
    ['A', changes.created],
    ['D', changes.deleted],
  ] as const;
  const rows = kinds.flatMap(([kind, paths]) =>
    paths.map((path) => `${kind} ${path}${lineCount(changes.lines_of?.[path])}`),
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
  const { qa, spec } = state;
  const met = { met: qa?.met ?? 0, of: spec?.criteria.length ?? 0 };
  return say('deliver.commit.decide', { reason, files: changedPaths(state).length, ...met });
}

function commitWarnings(state: DeliverState): Text[] {
  const { altered, finish_error, report, rewritten } = state;
  return [
    ...(report?.nothing_executed ? [say('deliver.notice.layer1_nothing')] : []),
    ...(altered ? [say('deliver.notice.altered')] : []),
    ...(finish_error === null ? [] : [say('deliver.commit.failed', { error: finish_error })]),
    ...(rewritten ? [say('deliver.commit.rewritten', { files: rewritten.join(', ') })] : []),
    ...uncommittedConfig(state),
    ...altersChecks(state),
  ];
}

/** Where a document can be read: a tree of the run's own is no place a person looks into. */
function toRead(state: DeliverState, file: string): Text {
  const own = hasOwnTree(state) ? 'yes' : 'no';
  const name = file.replace(/\.md$/, '');
  return say('deliver.to_read', { own, path: `${state.docs_path}${file}`, run: runOf(state), name });
}

function openItems(failing: readonly OpenItem[], more: number): BriefDoc['items'] {
  const items = failing.map(({ id, text }) => {
    return { kind: 'content-input', text: say('deliver.qa.item', { what: `${id}: ${text}` }) } as const;
  });
  if (more === 0) return items;
  return [...items, { kind: 'content-input', text: say('deliver.qa.more', { n: more }) }];
}

function diffOf({ changes }: DeliverState): Readonly<Record<string, Hash>> {
  return changes?.diff ? { diff: changes.diff } : {};
}

function evaluationOf(hash: Hash | null): Readonly<Record<string, Hash>> {
  return hash ? { evaluation: hash } : {};
}

/** Checks that no commit names are a person's to know before they say yes. */
function uncommittedConfig({ config }: DeliverState): Text[] {
  return config === 'uncommitted' ? [say('deliver.config_uncommitted')] : [];
}

/** A change that touches how it is checked, and a worker that touched its git, are told wherever it is judged. */
function altersChecks(state: DeliverState): Text[] {
  const { changes } = state;
  const files = changes?.alters_checks ?? [];
  const altered = files.length === 0 ? [] : [say('deliver.alters_checks', { files: files.join(', ') })];
  return [
    ...altered,
    ...gitTouched({ ...changes, in_place: !hasOwnTree(state) }),
    ...ignoredWritten(changes ?? {}),
  ];
}
