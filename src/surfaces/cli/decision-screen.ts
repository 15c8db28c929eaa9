import type { StoredKnowledge } from '../../contract/knowledge.ts';
import type { ShownDecision } from '../../runtime/knowledge-api.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit.ts';
import { showRows } from './stop-blocks.ts';
import { cut, pad, widthOf } from './width.ts';

/** One line each: id, status, type, title. */
export function showDecisions(context: Context, entries: readonly StoredKnowledge[]): number {
  const { screen, words } = context;
  if (screen.json) screen.printJson(entries);
  if (entries.length === 0) screen.text(words('cli.no_decisions'));
  const widest = (of: (entry: StoredKnowledge) => string) =>
    Math.max(...entries.map((entry) => of(entry).length));
  for (const entry of entries) {
    const { id, status, type, title } = entry;
    const columns = [
      pad(
        id,
        widest((one) => one.id),
      ),
      pad(
        status,
        widest((one) => one.status),
      ),
    ];
    const lead = `${[
      ...columns,
      pad(
        type,
        widest((one) => one.type),
      ),
    ].join('  ')}  `;
    const line = lead + cut(title, screen.columns - widthOf(lead));
    screen.line(status === 'Superseded' || status === 'Archived' ? screen.paint('faint', line) : line);
  }
  return EXIT.done;
}

/** Shows one entry in full, with its body unchanged. */
export function showDecision(context: Context, { entry, supersedes, tickets }: ShownDecision): number {
  const { screen, words } = context;
  if (screen.json) screen.printJson({ ...entry, supersedes, tickets });
  screen.text(`${screen.paint('strong', entry.id)}  ${entry.title}`, '  ');
  const status = entry.superseded_by === null ? entry.status : `${entry.status} (${entry.superseded_by})`;
  const source = [entry.source_type, entry.source_activity, entry.source_task_id].filter(Boolean).join(', ');
  const rows: [string, string][] = [
    [words('cli.decision_label.type'), entry.type],
    [words('cli.decision_label.status'), status],
    [words('cli.decision_label.domains'), entry.domains.join(', ')],
    [words('cli.decision_label.source'), source],
    [words('cli.decision_label.recorded'), `${entry.recorded_at.slice(0, 10)}, ${entry.recorded_by}`],
    [words('cli.decision_label.review'), entry.review_by ?? ''],
    [words('cli.decision_label.supersedes'), supersedes.join(', ')],
    [words('cli.decision_label.tickets'), tickets.join(', ')],
  ];
  showRows(
    screen,
    rows.filter(([, value]) => value !== ''),
  );
  if (entry.body !== '') {
    screen.line();
    screen.text(entry.body);
  }
  return EXIT.done;
}
