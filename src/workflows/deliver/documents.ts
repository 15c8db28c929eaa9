import * as z from 'zod';
import type { DeliverState } from '../../contract/deliver.ts';
import type { Changes, OpenItem, Qa, Report } from '../../contract/deliver-report.ts';
import { type ChangeNotes, DeliverSpec, type Evaluation } from '../../contract/deliver-work.ts';
import type { SlotRef } from '../../contract/step.ts';
import type { DocumentFacts, DocumentTable, Translate } from '../../engine/workflow.ts';
import { renderConventions } from '../kit/convention-document.ts';
import { type Evidence, EvidencePart, joinEvidence } from './evidence.ts';
import { askedFor, renderCommitBody, renderEvidence, SPEC_NAMES } from './evidence-markdown.ts';
import { bullet, bullets, location, page, plain } from './markdown-parts.ts';
import { type DeliverMessageId, say } from './messages.ts';
import { isFrom } from './phases.ts';
import { cleanPass, cleanWarnings, flakyLines } from './recheck.ts';
import { checkHints } from './sandbox-hints.ts';
import { weakenedParts, weakenedText } from './weakened-checks.ts';

const spec = (file: string) =>
  ({
    file,
    render: (source, t) => renderDeliverSpec(DeliverSpec.parse(JSON.parse(source as string)), t),
  }) satisfies DocumentTable[string];

const verbatim = (file: string) =>
  ({ file, render: (source) => source as string }) satisfies DocumentTable[string];

/** Every document of a run (WF-84), rendered from stored artefacts and entries, the newest revision of each. */
export const deliverDocuments = {
  spec: spec('spec.md'),
  deliver_spec: spec('deliver_spec.md'),
  changes: {
    file: 'changes.md',
    entries: 'changes',
    render: (source, t) => renderChanges(listOf(source), t),
  },
  verify_report: {
    file: 'verify_report.md',
    entries: 'verify_report',
    render: (source, t, facts) => renderVerifyReport(listOf(source), t, facts),
  },
  qa_report: {
    file: 'qa_report.md',
    entries: 'qa_report',
    render: (source, t) => renderQaReport(listOf(source), t),
  },
  evidence: {
    file: 'evidence.md',
    entries: 'evidence',
    costs: true,
    reads: SPEC_NAMES,
    render: (source, t, facts) => renderEvidence(evidenceIn(source), t, facts),
  },
  evidence_json: {
    file: 'evidence.json',
    entries: 'evidence',
    costs: true,
    reads: SPEC_NAMES,
    render: (source, _, facts) => {
      const { run, title: task, rehearsal, agents, containment, cost } = facts;
      const asked = [...askedFor(facts).values()];
      const known = { run, task, rehearsal, agents, ...(containment && { containment }) };
      return `${JSON.stringify({ ...known, ...evidenceIn(source), asked, cost }, null, 2)}\n`;
    },
  },
  /** Never written as a file: the commit message below its subject. */
  commit_body: {
    file: 'commit_body.txt',
    reads: SPEC_NAMES,
    digests: ['evidence_json'],
    render: (source, t, facts) => renderCommitBody(evidenceIn(source), t, facts),
  },
  qa_notes: verbatim('qa_notes.md'),
  critic_findings: verbatim('critic_findings.md'),
  conventions: { file: 'conventions.md', render: renderConventions },
} as const satisfies DocumentTable;

function evidenceIn(source: unknown): Evidence {
  return joinEvidence(z.array(EvidencePart).parse(source));
}

function listOf(source: unknown): readonly unknown[] {
  return Array.isArray(source) ? source : [];
}

type DocumentName = keyof typeof deliverDocuments;

/** Documents that a later run reads. They stay with the code, whatever else is removed (WF-71). */
export const HANDED_ON: readonly string[] = ['qa_notes.md', 'critic_findings.md', 'conventions.md'];

/** The documents that exist now, and the source of each. */
export function documentsOf(
  state: DeliverState,
): { file: string; document: DocumentName; source: SlotRef }[] {
  return SOURCES.flatMap(([document, source]) => {
    const from = source(state);
    return from ? [{ file: deliverDocuments[document].file, document, source: from }] : [];
  });
}

const SOURCES: readonly (readonly [DocumentName, (state: DeliverState) => SlotRef | null])[] = [
  ['spec', (state) => ownSpec(state, 'spec.md')],
  ['deliver_spec', (state) => ownSpec(state, 'deliver_spec.md')],
  ['changes', ({ attempt: { changes } }) => (changes ? { records: 'changes' } : null)],
  ['verify_report', ({ checks: { report } }) => (report ? { records: 'verify_report' } : null)],
  ['qa_report', ({ verdict: { qa } }) => (qa ? { records: 'qa_report' } : null)],
  ['evidence', evidenceSource],
  ['evidence_json', evidenceSource],
  ['qa_notes', ({ plan: { handover } }) => (handover?.qa_notes ? { artefact: handover.qa_notes } : null)],
  [
    'critic_findings',
    ({ plan: { handover } }) => (handover?.critic_findings ? { artefact: handover.critic_findings } : null),
  ],
  ['conventions', ({ conventions }) => (conventions && conventions !== 'skipped' ? conventions : null)],
];

function evidenceSource({ phase }: DeliverState): SlotRef | null {
  return isFrom(phase, 'completed') ? { records: 'evidence' } : null;
}

function ownSpec({ plan: { spec, spec_file } }: DeliverState, file: string): SlotRef | null {
  return spec && spec_file === file ? { artefact: spec.hash } : null;
}

interface QaEntry {
  readonly round: number;
  readonly attempt: number;
  readonly verdict: Qa['verdict'];
  readonly evaluation: Evaluation | null;
  readonly failing: readonly OpenItem[];
  readonly warnings?: readonly OpenItem[];
}

/** qa_report.md. The verdict line is English in every language, so that it can be found (WF-64). */
function renderQaReport(entries: readonly unknown[], t: Translate): string {
  const newest = entries.at(-1) as QaEntry | undefined;
  const title = `# ${t(say('deliver.doc.qa'))}`;
  if (!newest) return page([title]);
  const { verdict, evaluation, failing, warnings, round, attempt } = newest;
  const none = t(say('deliver.doc.none'));
  const items = (found: readonly OpenItem[]) => found.map(({ id, text }) => `${id}: ${text}`);
  return page([
    title,
    `Verdict: ${verdict}`,
    t(say('deliver.doc.attempt', { round, attempt })),
    ...(evaluation ? [plain(evaluation.summary)] : [t(say('deliver.doc.no_evaluation'))]),
    `## ${t(say('deliver.doc.open_items'))}`,
    bullets(items(failing), none),
    `## ${t(say('deliver.doc.fix'))}`,
    bullets(evaluation?.fix_instructions ?? [], none),
    ...(evaluation ? checklist(evaluation, t) : []),
    `## ${t(say('deliver.doc.warnings'))}`,
    bullets(items(warnings ?? []), none),
  ]);
}

function checklist({ criteria, files, layer3 }: Evaluation, t: Translate): string[] {
  const rows = criteria.map(({ id, met, evidence, note }) => {
    const locations = evidence.map(({ file, line }) => `${file}:${line}`).join(', ');
    return `${id}: ${met}${locations === '' ? '' : ` (${locations})`}${note === '' ? '' : `\n${note}`}`;
  });
  const paths = files.map(({ path, requirements }) => `${path}: ${requirements.join(', ') || '-'}`);
  return [
    `## ${t(say('deliver.doc.criteria'))}`,
    bullets(rows, '-'),
    `## ${t(say('deliver.doc.files'))}`,
    bullets(paths, '-'),
    ...(layer3 ? [`## ${t(say('deliver.doc.layer3'))}`, layer3Lines(layer3)] : []),
  ];
}

function layer3Lines(layer3: NonNullable<Evaluation['layer3']>): string {
  const rows = Object.entries(layer3).map(([name, { result, evidence }]) =>
    bullet(`${name}: ${result}\n${evidence}`),
  );
  const guesses = layer3.bug_free.hypotheses.map(({ text, finding, evidence }) =>
    bullet(`${finding}: ${text}\n${evidence}`),
  );
  return [...rows, ...guesses].join('\n');
}

/** The specification as people read it: translated headings, ids and enum values as they are. */
function renderDeliverSpec(doc: DeliverSpec, t: Translate): string {
  const word = (id: DeliverMessageId) => t(say(id));
  const field = (id: DeliverMessageId, text: string) => bullet(`**${word(id)}**: ${text}`);
  const list = (texts: readonly string[]) => bullets(texts, '-');
  const criteria = doc.completion_criteria.map(({ id, name, given, when, outcome }) =>
    [
      `### ${id}: ${name}\n`,
      field('deliver.doc.given', given),
      field('deliver.doc.when', when),
      field('deliver.doc.outcome', outcome),
    ].join('\n'),
  );
  const risks = doc.risks.map(({ text, source, likelihood, impact, mitigation }, n) =>
    [
      `### ${n + 1}\n`,
      field('deliver.doc.risk', text),
      field('deliver.doc.source', source),
      field('deliver.doc.likelihood', likelihood),
      field('deliver.doc.impact', impact),
      field('deliver.doc.mitigation', mitigation),
    ].join('\n'),
  );
  return page([
    `# ${word('deliver.doc.spec')}`,
    `## ${word('deliver.doc.goal')}`,
    plain(doc.goal),
    `## ${word('deliver.doc.background')}`,
    list(doc.background),
    `## ${word('deliver.doc.scope_in')}`,
    list(doc.scope.in),
    `## ${word('deliver.doc.scope_out')}`,
    list(doc.scope.out),
    `## ${word('deliver.doc.approach')}`,
    list(doc.approach),
    `## ${word('deliver.doc.criteria')}`,
    ...criteria,
    `## ${word('deliver.doc.edge_cases')}`,
    list(doc.edge_cases),
    `## ${word('deliver.doc.testing')}`,
    list(doc.testing_strategy),
    `## ${word('deliver.doc.risks')}`,
    ...risks,
  ]);
}

type ChangesEntry =
  | { readonly part: 'notes'; readonly round: number; readonly attempt: number; readonly notes: ChangeNotes }
  | { readonly part: 'set'; readonly round: number; readonly changes: Changes };

/** changes.md: first the change set, then the author's notes, the newest of each. */
function renderChanges(entries: readonly unknown[], t: Translate): string {
  const list = entries as readonly ChangesEntry[];
  const set = list.findLast((entry) => entry.part === 'set')?.changes;
  const said = list.findLast((entry) => entry.part === 'notes');
  const none = t(say('deliver.doc.none'));
  const paths = (id: DeliverMessageId, found: readonly string[] | undefined) => [
    `## ${t(say(id))}`,
    bullets(found ?? [], none),
  ];
  return page([
    `# ${t(say('deliver.doc.changes'))}`,
    ...(said ? [t(say('deliver.doc.attempt', { round: said.round, attempt: said.attempt }))] : []),
    ...paths('deliver.doc.modified', set?.modified),
    ...paths('deliver.doc.created', set?.created),
    ...paths('deliver.doc.deleted', set?.deleted),
    ...(set && set.alters_checks.length > 0 ? paths('deliver.doc.alters_checks', set.alters_checks) : []),
    ...(said ? notesOf(said.notes, t) : []),
  ]);
}

function notesOf(notes: ChangeNotes, t: Translate): string[] {
  const advice = notes.advice.map(({ advice, decision, reason }) => `${decision}: ${advice}\n${reason}`);
  return [
    `## ${t(say('deliver.doc.notes'))}`,
    plain(notes.summary),
    bullets(notes.changes, t(say('deliver.doc.none'))),
    ...(advice.length > 0 ? [`## ${t(say('deliver.doc.advice'))}`, bullets(advice, '')] : []),
  ];
}

/** verify_report.md: command, result, duration, counts and failures of each check, then scan and limits (WF-49). */
function renderVerifyReport(
  entries: readonly unknown[],
  t: Translate,
  { rehearsal }: Pick<DocumentFacts, 'rehearsal'>,
): string {
  const newest = entries.at(-1) as { round: number; attempt: number; report: Report } | undefined;
  if (!newest) return page([`# ${t(say('deliver.doc.verify'))}`]);
  const { report, round, attempt } = newest;
  const flag = report.nothing_executed ? [t(say('deliver.doc.nothing_executed'))] : [];
  return page([
    `# ${t(say('deliver.doc.verify'))}`,
    ...(rehearsal ? [t(say('deliver.doc.rehearsal'))] : []),
    `Result: ${report.result}`,
    ...flag,
    t(say('deliver.doc.attempt', { round, attempt })),
    ...report.checks.map((check) => checkSection(check, t)),
    `## ${t(say('deliver.doc.scan'))}: ${report.scan.result}`,
    bullets(
      report.scan.hits.map(({ path, line, text }) => `${path}:${line} ${text}`),
      t(say('deliver.doc.none')),
    ),
    ...[...cleanPass(report), ...cleanWarnings(report)].map(t),
    ...limits(report, t),
    t(say('deliver.doc.tree', { tree: report.tree })),
  ]);
}

function checkSection(check: Report['checks'][number], t: Translate): string {
  const { name, command, result, judged, exit, seconds, counts, problems, failures, fresh, old } = check;
  const lines = [
    `## ${name}: ${result === 'fail' && judged === 'pass' ? 'pass (old failures only)' : result}\n`,
    bullet(`\`${command ?? 'none'}\``),
    ...(command === null
      ? []
      : [bullet(t(say('deliver.doc.ended', { exit: exit ?? 'none', seconds: Math.round(seconds) })))]),
    ...(counts ? [bullet(t(say('deliver.doc.counts', { ...counts })))] : []),
    ...(problems ? [bullet(t(say('deliver.doc.problems', { ...problems })))] : []),
    ...flakyLines([check]).map((line) => bullet(t(line))),
    ...weakenedParts(check).map((part) => bullet(t(weakenedText(part)))),
    ...(fresh > 0 || old > 0 ? [bullet(t(say('deliver.doc.failures', { fresh, old })))] : []),
    ...failures.map(({ file, line, text }) => bullet(`${location(file, line)}${text}`)),
    ...checkHints([check]).map((text) => bullet(t(text))),
  ];
  return lines.join('\n');
}

function limits({ outside, too_many, files }: Report, t: Translate): string[] {
  if (outside.length === 0 && !too_many) return [];
  const many = too_many ? [t(say('deliver.doc.too_many', { files }))] : [];
  return [
    `## ${t(say('deliver.doc.limits'))}: FAIL`,
    bullets([...outside.map(({ path, code }) => `${path} (${code})`), ...many], ''),
  ];
}
