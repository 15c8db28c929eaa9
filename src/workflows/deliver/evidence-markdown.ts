import type { Msg } from '../../contract/brief.ts';
import { DeliverSpec } from '../../contract/deliver-work.ts';
import { proofMessage } from '../../engine/judge-person.ts';
import type { Cost, DocumentFacts, Translate } from '../../engine/workflow.ts';
import type { Evidence } from './evidence.ts';
import { bullets, page, plain } from './markdown-parts.ts';
import { say } from './messages.ts';
import { oneLine } from './moves.ts';
import { cleanPass, cleanWarnings, flakyLines } from './recheck.ts';
import { controlsChanged, gitTouched, ignoredWritten } from './touched.ts';
import { weakenedText } from './weakened-checks.ts';

type Criterion = DeliverSpec['completion_criteria'][number];

/** The specification of a run is stored under one of these names (WF-84). */
export const SPEC_NAMES = ['deliver_spec', 'spec'] as const;

/** The requested criteria by id, from the newest specification of the run. */
export function askedFor({ artefacts }: Pick<DocumentFacts, 'artefacts'>): ReadonlyMap<string, Criterion> {
  const text = SPEC_NAMES.map((name) => artefacts[name]).find((found) => found !== undefined);
  const criteria = text === undefined ? [] : DeliverSpec.parse(JSON.parse(text)).completion_criteria;
  return new Map(criteria.map((criterion) => [criterion.id, criterion]));
}

type Approval = NonNullable<Evidence['closed']>['approvals'][number];

/** One more sentence on how it is known who answered. */
function provenBy({ by, proof, code }: Pick<Approval, 'by' | 'proof' | 'code'>, t: Translate): string {
  const known = proof && proofMessage({ person: by, proof, ...(code && { code }) });
  return known ? `. ${t(known)}` : '';
}

/** evidence.md, rendered from the record alone: what was requested and shown, on which tree, and who approved what. */
export function renderEvidence(evidence: Evidence, t: Translate, facts: DocumentFacts): string {
  const { judged, closed, passed, old_failures: old } = evidence;
  const none = t(say('deliver.doc.none'));
  const commands = (judged?.commands ?? []).map(
    ({ name, command, result, exit }) =>
      `${name}: ${result}${command ? ` (\`${command}\`, exit ${exit ?? 'none'})` : ''}`,
  );
  const approvals = (closed?.approvals ?? []).map(
    ({ what, by, at, hash, digest, ...proven }) =>
      `${what}: ${by}, ${at}, ${digest}${hash ? ` (${hash})` : ''}${provenBy({ by, ...proven }, t)}`,
  );
  return page([
    `# ${t(say('deliver.doc.evidence'))}`,
    ...(facts.rehearsal ? [t(say('deliver.doc.rehearsal'))] : []),
    t(say('deliver.doc.task', { task: plain(facts.title) })),
    t(say('deliver.doc.run', { run: facts.run })),
    t(say('deliver.doc.agents', { agents: facts.agents.join(', ') })),
    ...containmentLine(facts).map(t),
    t(say('deliver.doc.passed', { passed: passed ? 'yes' : 'no', old })),
    // Each warning is one line, whatever the names in it contain, and appears once.
    ...new Set(warnings(evidence).map((warning) => oneLine(t(warning), Infinity))),
    ...(closed ? [t(say('deliver.doc.reason', { reason: closed.reason }))] : []),
    ...(judged
      ? [
          t(say('deliver.doc.verdict', { verdict: judged.verdict })),
          t(say('deliver.doc.tree', { tree: judged.tree })),
        ]
      : []),
    `## ${t(say('deliver.doc.criteria'))}`,
    bullets(criterionLines(evidence, t, facts), none),
    `## ${t(say('deliver.doc.commands'))}`,
    bullets(commands, none),
    `## ${t(say('deliver.doc.approvals'))}`,
    bullets(approvals, none),
    ...(judged && judged.alters_checks.length > 0
      ? [`## ${t(say('deliver.doc.alters_checks'))}`, bullets(judged.alters_checks, '')]
      : []),
    ...(facts.cost ? [`## ${t(say('deliver.doc.cost'))}`, costLine(facts.cost, t)] : []),
  ]);
}

/** How workers and checks ran. Empty for older runs, which did not record it. */
function containmentLine({ containment, unsandboxed }: DocumentFacts): Msg[] {
  if (!containment) return [];
  if (unsandboxed !== undefined) return [{ msg: 'engine.sandbox.gate', args: { why: unsandboxed } }];
  return [say('deliver.doc.sandbox', { network: containment.check_network ? 'yes' : 'no' })];
}

/** Warnings that a reader must see before the verdict. */
function warnings({ judged, closed, altered }: Evidence): Msg[] {
  return [
    ...(closed?.warnings ?? []),
    ...(altered ? [say('deliver.notice.altered')] : []),
    ...(judged?.nothing_executed ? [say('deliver.notice.layer1_nothing')] : []),
    ...(judged?.config === 'uncommitted' ? [say('deliver.config_uncommitted')] : []),
    ...(judged ? checksReported(judged) : []),
    ...gitTouched(judged ?? {}),
    ...ignoredWritten(judged ?? {}),
    ...(closed ? [] : controlsChanged(judged ?? {})),
    ...(judged?.refused ? [say('deliver.verify.refused', { what: judged.refused.join(', ') })] : []),
  ];
}

/** Findings of the checks in the judged pass, in addition to their results. */
function checksReported(judged: NonNullable<Evidence['judged']>): Msg[] {
  const { weakened = [], commands } = judged;
  return [
    ...weakened.map(weakenedText),
    ...cleanWarnings(judged),
    ...flakyLines(commands),
    ...cleanPass(judged),
  ];
}

/** Each criterion with its verdict and its locations, then its text. */
function criterionLines({ judged }: Evidence, t: Translate, facts: DocumentFacts): string[] {
  const asked = askedFor(facts);
  return verdicts(judged, asked).map(({ id, line }) => {
    const criterion = asked.get(id);
    if (!criterion) return line;
    const { given, when, outcome } = criterion;
    return `${line}\n${t(say('deliver.doc.criterion', { given, when, outcome }))}`;
  });
}

function verdicts(
  judged: Evidence['judged'],
  asked: ReadonlyMap<string, Criterion>,
): { readonly id: string; readonly line: string }[] {
  return (judged?.criteria ?? []).map(({ id, met, evidence }) => {
    const locations = evidence.map(({ file, line }) => `${file}:${line}`).join(', ');
    const name = asked.get(id)?.name;
    return { id, line: `${id}${name ? ` ${name}` : ''}: ${met}${locations === '' ? '' : ` (${locations})`}` };
  });
}

/**
 * The commit message below the subject: the whole task if the subject cuts it, the result, each criterion, and where
 * the evidence is.
 */
export function renderCommitBody(evidence: Evidence, t: Translate, facts: DocumentFacts): string {
  const { run, title, digests, rehearsal } = facts;
  const reason = evidence.passed
    ? 'passed'
    : evidence.altered
      ? 'altered'
      : (evidence.closed?.reason ?? 'none');
  const lines = verdicts(evidence.judged, askedFor(facts)).map(({ line }) => line);
  return page([
    ...(isCut(title) ? [title.trim()] : []),
    t(say('deliver.end.closed', { reason, old: evidence.old_failures })),
    ...(rehearsal ? [t(say('deliver.doc.rehearsal'))] : []),
    ...(lines.length > 0 ? [bullets(lines, '')] : []),
    [`Baton-Run: ${run}`, `Baton-Evidence: ${digests.evidence_json ?? 'none'}`].join('\n'),
  ]);
}

/** Maximum length of a commit subject. A longer task is repeated in the body. */
export const SUBJECT = 72;

function isCut(task: string): boolean {
  return task.trim().length > SUBJECT || task.trim().includes('\n');
}

function costLine({ money_usd, money_unknown, tokens, seconds, attempts }: Cost, t: Translate): string {
  const money = money_unknown ? 'unknown' : `$${money_usd.toFixed(2)}`;
  return t(say('deliver.doc.cost_line', { money, tokens, minutes: (seconds / 60).toFixed(1), attempts }));
}
