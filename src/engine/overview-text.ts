import type { OverviewLine, Translate } from './workflow.ts';

/** One phase of the way as a line: a box that is ticked only when it is done, its name and its status (CON-112). */
export function overviewText({ status, label, says, plan, marks }: OverviewLine, t: Translate): string {
  const box = status === 'completed' ? '[x]' : '[ ]';
  const current = marks.length > 0 ? ` <- ${marks.map(t).join(', ')}` : '';
  return `${box} ${t(label)}: ${t(says)}${plan ? ` (${t(plan)})` : ''}${current}`;
}
