import path from 'node:path';
import type { Text } from '../contract/brief.ts';
import type { Policy } from '../contract/run.ts';
import type { BaseState, StatusLine, Workflow } from '../engine/workflow.ts';
import type { Deps } from './deps.ts';

/** Status lines that every run shows: its folder, the workflow's own lines, the agent and the budget. */
export function runLines(
  deps: Deps,
  def: Workflow,
  run: { readonly id: string; readonly policy: Policy },
  state: BaseState,
): StatusLine[] {
  const { policy } = run;
  const own = policy.tree === 'clone' ? [deps.treeOf(run).root] : [];
  return [
    { label: { msg: 'engine.label.folder' }, value: path.basename(deps.workspace.root) },
    ...own.map((root) => ({ label: { msg: 'engine.label.tree' }, value: root })),
    ...def.status(state),
    { label: { msg: 'engine.label.agent' }, value: agentText(policy) },
    { label: { msg: 'engine.label.budget' }, value: budgetText(policy.budget) },
  ];
}

function agentText({ agent }: Policy): Text {
  return agent === 'rehearsal' ? { msg: 'engine.agent.rehearsal' } : agent;
}

/** Lists only the limits that are set. */
function budgetText({ money_usd, tokens, worker_minutes, attempts }: Policy['budget']): Text {
  const parts = [
    money_usd === null ? '' : `$${money_usd.toFixed(2)}`,
    worker_minutes === null ? '' : `${worker_minutes} min`,
    tokens === null ? '' : `${tokens} tokens`,
    attempts === null ? '' : `${attempts} attempts`,
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join(', ') : { msg: 'engine.budget.none' };
}
