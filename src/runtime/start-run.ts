import { AGENT_KINDS } from '../contract/agent-settings.ts';
import type { Change } from '../contract/change.ts';
import type { RunId } from '../contract/ids.ts';
import type { Move, MoveRecord } from '../contract/move.ts';
import type { Policy } from '../contract/run.ts';
import { nearest } from '../engine/nearest.ts';
import { refuseInput } from '../engine/refuse-input.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import { ticketKey } from '../engine/ticket-id.ts';
import { createRun } from '../engine/transition.ts';
import type { BaseState, StartFacts, Workflow } from '../engine/workflow.ts';
import type { Deps } from './deps.ts';
import { invokedDrive, overrideOf, staysAt } from './drive-row.ts';
import { gatherFacts } from './gather-facts.ts';
import type { Service } from './live.ts';
import { runLines } from './run-lines.ts';
import type { DriveHandle, StartOptions } from './views.ts';

/**
 * Creates a run: validates the input, gathers facts, calls the workflow's `start`. One commit then writes the row, its
 * first step and this process's lease. A refusal at any point leaves no row, file or folder behind.
 */
export async function startRun(
  service: Service,
  workflow: string,
  input: unknown,
  options: StartOptions,
): Promise<DriveHandle | Rejection> {
  const { deps } = service;
  const def = await deps.workflow(workflow);
  if (!def) return reject('unknown_workflow', { workflow });
  const parsed = def.input.safeParse(input);
  if (!parsed.success) return refuseInput(parsed.error, input);
  const wanted = await policyOf(deps, options);
  const unknown = refuseAgents(wanted, options.agent);
  if (unknown) return unknown;
  // Only a bound role queries what the agent offers. That query needs the script.
  if (options.script !== null && Object.keys(wanted.bound ?? {}).length > 0)
    await deps.artefacts.put(options.script);
  await openAgents(deps, def, wanted);
  const run = await freeId(deps, def, wanted);
  const drive = await invokedDrive(deps, { id: run, def }, options.opened_by, options.invocation);
  if (isRejection(drive)) return drive;
  const gathered = await gatherFacts(deps, { run, def, input: parsed.data, policy: wanted, parent: null });
  if (isRejection(gathered)) return gathered;
  const move = await firstMove(deps, def, parsed.data, gathered);
  if (isRejection(move)) return move;
  if (options.script !== null) await deps.artefacts.put(options.script);
  const { run: id, policy } = gathered;
  if (def.own_tree) await collectTrees(deps);
  const lease = {
    holder: deps.processes.self(),
    epoch: 1,
    while_idle: staysAt(def, options.attended),
    drive: { kind: 'opened', drive } as const,
  };
  const context = { now: gathered.now, by: options.opened_by, hash: deps.hash, lease };
  const override = overrideOf(drive);
  const seed = { id, move, policy, parent: null, parent_key: null, override };
  const change = createRun(def, seed, context);
  const result = await deps.store.commit([change]);
  if (result.kind !== 'committed') return startRun(service, workflow, input, options);
  reportCreated(service, def, change);
  const applied = { def, change, at: { run: change.run, gate: change.gate_opened }, moved: false };
  return service.adopt({ id, epoch: 1, attended: options.attended, applied });
}

function reportCreated({ deps, tell }: Service, def: Workflow, { run }: Change): void {
  const status = runLines(deps, def, run, run.state as unknown as BaseState);
  tell({ type: 'run_created', run: run.id, title: run.title, status });
}

/** Calls the workflow's `start` and puts the warnings for the person first. */
async function firstMove(
  deps: Deps,
  def: Workflow,
  input: unknown,
  facts: StartFacts,
): Promise<Move<BaseState> | Rejection> {
  const warnings = (await deps.warnings?.(facts.policy)) ?? [];
  const move = def.start(input, facts);
  if (isRejection(move)) return move;
  const notices = warnings.map((text): MoveRecord => ({ kind: 'notice', level: 'warning', text }));
  return { ...move, records: [...notices, ...move.records] };
}

/** Opens every agent of the run, so that an unknown or missing agent is reported before the run is created. */
export async function openAgents(deps: Deps, { roles }: Workflow, policy: Policy): Promise<void> {
  const set = Object.keys(policy.by_role ?? {}).filter((role) => Object.hasOwn(roles, role));
  if (policy.agent !== 'rehearsal') await deps.agent(policy);
  for (const role of set) if (policy.by_role?.[role]?.agent !== undefined) await deps.agent(policy, role);
}

/** Removes trees of earlier runs to make room for the next one. */
async function collectTrees(deps: Deps): Promise<void> {
  const live = await deps.store.list({ ended: false });
  await deps.collect?.(live.map(({ id }) => id));
}

async function policyOf(deps: Deps, options: StartOptions): Promise<Policy> {
  const defaults = await deps.policy();
  const script = options.script === null ? defaults.script : deps.hash(options.script);
  const { in_place, unattended } = options;
  return { ...defaults, agent: options.agent ?? defaults.agent, script, in_place, unattended };
}

/** Refuses a policy with an unknown agent. The refusal says where the agent was named. */
export function refuseAgents(
  { agent, agents = {}, by_role = {} }: Policy,
  asked: string | null | undefined,
): Rejection | null {
  const known = [...new Set(['rehearsal', ...AGENT_KINDS, ...Object.keys(agents)])];
  const own = { at: asked ? '--agent' : 'baton.yaml: agent', name: agent };
  const roles = Object.entries(by_role).map(([role, { agent: name = agent }]) => ({
    at: `baton.yaml: roles.${role}.agent`,
    name,
  }));
  const unknown = [own, ...roles].find(({ name }) => !known.includes(name));
  if (!unknown) return null;
  const near = nearest(unknown.name, known) ?? 'none';
  return reject('no_such_agent', { at: unknown.at, agent: unknown.name, known: known.join(', '), near });
}

/** Two simultaneous starts may get the same number. The store refuses the second, which then starts again. */
async function freeId(deps: Deps, { prefix, numbered }: Workflow, policy: Policy): Promise<RunId> {
  const key = ticketKey(policy);
  if (numbered) return `${key}-${await deps.store.nextNumber(key)}`;
  for (let length = 3; ; length++) {
    const id = `${prefix}-${deps.ids.short(length)}`;
    if (!(await deps.store.load(id))) return id;
  }
}
