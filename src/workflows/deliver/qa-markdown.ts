import type { OpenItem, Qa } from '../../contract/deliver-report.ts';
import type { Evaluation } from '../../contract/deliver-work.ts';
import type { Translate } from '../../engine/workflow.ts';
import { bullet, bullets, page, plain } from './markdown-parts.ts';
import { say } from './messages.ts';

interface QaEntry {
  readonly round: number;
  readonly attempt: number;
  readonly verdict: Qa['verdict'];
  readonly evaluation: Evaluation | null;
  readonly failing: readonly OpenItem[];
  readonly warnings?: readonly OpenItem[];
}

/** qa_report.md. The verdict line is English in every language, so that it can be found (WF-64). */
export function renderQaReport(entries: readonly unknown[], t: Translate): string {
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
