import type { ConductState } from '../../contract/conduct.ts';
import type { DocumentTable, StatusLine, Translate } from '../../engine/workflow.ts';
import { say } from './messages.ts';

/** The lines that `baton status` shows for a ticket. Read-only. */
export function status(state: ConductState): readonly StatusLine[] {
  const { phase, priority, labels, parent, children, criteria, build_pr, stale } = state;
  const done = criteria.filter(({ checked }) => checked).length;
  const lines: readonly (StatusLine | null)[] = [
    { label: say('conduct.status.state'), value: phase },
    { label: say('conduct.status.priority'), value: priority },
    labels.length > 0 ? { label: say('conduct.status.labels'), value: labels.join(', ') } : null,
    parent ? { label: say('conduct.status.parent'), value: parent } : null,
    children.length > 0 ? { label: say('conduct.status.children'), value: childrenText(state) } : null,
    criteria.length > 0
      ? { label: say('conduct.status.criteria'), value: `${done}/${criteria.length}` }
      : null,
    build_pr ? { label: say('conduct.status.pull'), value: build_pr.pr_url } : null,
    stale
      ? { label: say('conduct.status.stale'), value: say('conduct.status.stale_by', { id: stale.id }) }
      : null,
  ];
  return lines.filter((line) => line !== null);
}

function childrenText({ children }: ConductState): string {
  return children
    .filter(({ archived }) => !archived)
    .map(({ id, key, state }) => `${id ?? key} ${state}`)
    .join(', ');
}

/** The accepted plan as the build run reads it. It is complete in itself and lists criteria with their ids. */
function planText(source: unknown, t: Translate): string {
  const state = source as ConductState;
  const { run, title, description, plan, criteria, checklist } = state;
  const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  const parts = [
    `# ${t(say('conduct.plan.title', { run, title }))}`,
    description,
    plan?.text ?? '',
    `## ${t(say('conduct.plan.criteria'))}`,
    list(criteria.map(({ id, text }) => `${id}: ${text}`)),
    `## ${t(say('conduct.plan.steps'))}`,
    list(checklist.map(({ text }) => text)),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

export const conductDocuments: DocumentTable = { plan: { file: 'plan.md', render: planText } };
