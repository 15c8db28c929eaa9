import type { RunId } from '../contract/ids.ts';
import type { AgentPolicy, Policy, Run } from '../contract/run.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { Workflow } from '../engine/workflow.ts';
import { apply } from './apply.ts';
import type { Deps } from './deps.ts';
import { bindRoles } from './gather-facts.ts';
import { holderState } from './holder.ts';
import type { Service } from './live.ts';
import { loadRun, unleased } from './load.ts';
import { heldBy } from './open-drive.ts';
import { openAgents, refuseAgents } from './start-run.ts';

/**
 * Switches a run to another agent, with agents and roles as baton.yaml defines them now. The rest of its policy stays.
 * Refused while a process drives the run, because a call under way would continue with the old agent.
 */
export async function changeAgent(
  { deps, drives }: Service,
  id: RunId,
  { agent, by }: { readonly agent: string; readonly by: string },
): Promise<{ readonly ok: true; readonly run: RunId } | Rejection> {
  const loaded = await loadRun(deps, id);
  if (isRejection(loaded)) return loaded;
  const { def, at } = loaded;
  const { run } = at;
  if (run.status === 'ended') return reject('run_ended', { run: id });
  const state = await holderState(deps, run);
  if (run.holder && (state === 'alive' || state === 'mine')) return heldBy(deps, id, run.holder);
  // The documents state for a whole run whether a model wrote it, so a rehearsal stays one.
  if ((run.policy.agent === 'rehearsal') !== (agent === 'rehearsal'))
    return reject('wrong_moment', { run: id }, { msg: 'engine.rejection.rehearsal_stays' });
  const agents = await agentsNow(deps, def, run, agent);
  if (isRejection(agents)) return agents;
  // No drive waits for the open orders any more. An outside worker with an order must not work in parallel with the
  // next worker.
  await (await deps.orders()).withdraw(id);
  const forgiven = await attemptsOf(deps, run);
  const applied = await apply(deps, id, {
    input: (now) =>
      now.run.epoch === run.epoch && now.run.turn === run.turn
        ? { kind: 'agent', agents, forgiven }
        : reject('wrong_moment', { run: id, command: 'resume' }),
    context: (now) => unleased(deps, now, by),
    held: loaded,
  });
  if (isRejection(applied)) return applied;
  drives.get(id)?.accept(applied);
  return { ok: true, run: id };
}

/** Checks that every agent the run would use from now on can be opened. */
async function agentsNow(
  deps: Deps,
  def: Workflow,
  run: Run,
  agent: string,
): Promise<AgentPolicy | Rejection> {
  const { agents = {}, by_role = {}, bound = {} } = await deps.policy();
  const policy: Policy = { ...run.policy, agent, agents, by_role, bound };
  const unknown = refuseAgents(policy, agent);
  if (unknown) return unknown;
  await openAgents(deps, def, policy);
  return { agent, agents, by_role, bound: (await bindRoles(deps, def, policy)).bound };
}

/** Attempts that are forgiven: failures of the previous agent do not count against the next one. */
async function attemptsOf(deps: Deps, { id, turn }: Run): Promise<number> {
  const effects = await deps.store.effects(id, turn);
  return Math.max(0, ...effects.map(({ attempts }) => attempts.length));
}
