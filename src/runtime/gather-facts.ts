import type { Hash, RunId } from '../contract/ids.ts';
import type { Containment, Policy, Run } from '../contract/run.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import { refuseUnsandboxed, unsandboxedBecause } from '../engine/unsandboxed.ts';
import type { LiveRun, StartFacts, Workflow } from '../engine/workflow.ts';
import type { Deps } from './deps.ts';

/** The fixed set of facts for a workflow's `start`, the same for a person's run and for a child. */
export async function gatherFacts(
  deps: Deps,
  seed: { run: RunId; def: Workflow; input: unknown; policy: Policy; parent: Run | null },
): Promise<StartFacts | Rejection> {
  const { run, def, input, parent } = seed;
  const reference = await checkedReference(deps, (input as { reference?: string | null }).reference ?? null);
  if (isRejection(reference)) return reference;
  const approved_spec = await approvedSpec(deps, input, parent);
  if (isRejection(approved_spec)) return approved_spec;
  const facts = await deps.workspace.facts();
  const cloned = def.own_tree === true && facts.git !== null && !seed.policy.in_place;
  const { bound, unbound } = await bindRoles(deps, def, seed.policy);
  const containment = await containmentOf(deps, seed.policy);
  const policy: Policy = {
    ...{ ...seed.policy, bound, tree: cloned ? 'clone' : 'checkout' },
    ...(containment && { containment }),
  };
  const bare = await refuseBare(deps, policy);
  if (bare) return bare;
  return {
    now: deps.clock.now(),
    run,
    short_id: run.slice(run.indexOf('-') + 1),
    ...facts,
    policy,
    reference,
    approved_spec,
    unbound,
    live: await liveRuns(deps),
    measured: def.measures === true ? await measuredRuns(deps, def.name) : [],
    uuid: uuidOf(deps.hash(`${run} ${deps.clock.now()} ${deps.ids.short(12)}`)),
  };
}

/**
 * Resolved once, when a run starts. The child of a contained run is contained too, even if the machine can no longer do
 * it.
 */
async function containmentOf(deps: Deps, policy: Policy): Promise<Containment | undefined> {
  return policy.containment?.kind === 'bwrap' ? policy.containment : await deps.containment?.(policy);
}

/** If a sandbox is required, no run starts without one. */
async function refuseBare(deps: Deps, policy: Policy): Promise<Rejection | null> {
  if (policy.sandbox !== 'required' || unsandboxedBecause(policy) === null) return null;
  return refuseUnsandboxed(policy, await deps.warnings?.(policy));
}

/** Builds a UUID (version 8) from a content hash. */
function uuidOf(hash: Hash): string {
  const hex = hash.slice('sha256:'.length);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/**
 * Splits the configured bindings into those the agent offers and those it does not. Checked once, at the start (WF-96).
 */
export async function bindRoles(
  deps: Deps,
  def: Workflow,
  policy: Policy,
): Promise<{ bound: Record<string, string>; unbound: { role: string; name: string }[] }> {
  const wanted = Object.entries(policy.bound ?? {}).filter(([role]) => Object.hasOwn(def.roles, role));
  const bound: Record<string, string> = {};
  const unbound: { role: string; name: string }[] = [];
  for (const [role, name] of wanted) {
    if ((await deps.agent(policy, role)).offers?.includes(name)) bound[role] = name;
    else unbound.push({ role, name });
  }
  return { bound, unbound };
}

/** The module is loaded only if the input names a specification. */
async function approvedSpec(
  deps: Deps,
  input: unknown,
  parent: Run | null,
): Promise<StartFacts['approved_spec'] | Rejection> {
  const named = input as { from_spec?: string | null; output_dir?: string | null };
  if (!named.from_spec && !named.output_dir) return null;
  return (await import('./find-approved-spec.ts')).findApprovedSpec(deps, named, parent);
}

/** Runs all checks of the reference before the run is created. The hash allows comparing the text later. */
async function checkedReference(
  deps: Deps,
  path: string | null,
): Promise<{ path: string; hash: Hash } | Rejection | null> {
  if (path === null) return null;
  const checked = await deps.workspace.checkReference(path);
  if (!checked.ok)
    return reject('reference_refused', { ...checked.args, check: checked.check }, { msg: checked.msg });
  return { path: checked.path, hash: deps.hash(checked.text) };
}

/** How many runs are read to measure what a run costs. */
const MEASURED = 20;

/** Runs without any cost are left out, because a rehearsal says nothing about the cost of a run. */
async function measuredRuns({ store }: Deps, workflow: string): Promise<StartFacts['measured']> {
  const newest = await store.states(workflow, { limit: MEASURED });
  const runs = await Promise.all(
    newest.map(async ({ id, state }) => ({ state, cost: await store.spend(id) })),
  );
  return runs.filter(({ cost }) => cost.tokens > 0 || cost.money_usd > 0);
}

async function liveRuns(deps: Deps): Promise<LiveRun[]> {
  const runs = await deps.store.owners();
  return runs.flatMap(({ id, workflow, subject, phase, status, title }) =>
    subject === null ? [] : [{ run: id, workflow, subject, phase, status, title }],
  );
}
