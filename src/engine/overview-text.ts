import type { OverviewLine, Translate } from './workflow.ts';

/** One phase as a line: a box (ticked only when completed), its name and its status (CON-112). */
export function overviewText({ status, label, says, plan, badges }: OverviewLine, t: Translate): string {
  const box = status === 'completed' ? '[x]' : '[ ]';
  const current = badges.length > 0 ? ` <- ${badges.map(t).join(', ')}` : '';
  return `${box} ${t(label)}: ${t(says)}${plan ? ` (${t(plan)})` : ''}${current}`;
}
