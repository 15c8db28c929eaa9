import type { Changes, Report } from '../../contract/deliver-report.ts';
import type { ChangeNotes } from '../../contract/deliver-work.ts';
import type { DocumentFacts, Translate } from '../../engine/workflow.ts';
import { bullet, bullets, location, page, plain } from './markdown-parts.ts';
import { type DeliverMessageId, say } from './messages.ts';
import { cleanPass, cleanWarnings, flakyLines } from './recheck.ts';
import { checkHints } from './sandbox-hints.ts';
import { weakenedParts, weakenedText } from './weakened-checks.ts';

type ChangesEntry =
  | { readonly part: 'notes'; readonly round: number; readonly attempt: number; readonly notes: ChangeNotes }
  | { readonly part: 'set'; readonly round: number; readonly changes: Changes };

/** changes.md: first the change set, then the author's notes, the newest of each. */
export function renderChanges(entries: readonly unknown[], t: Translate): string {
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
export function renderVerifyReport(
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
