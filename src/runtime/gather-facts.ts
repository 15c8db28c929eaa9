import type { Hash, RunId } from '../contract/ids.ts';
import type { Policy, Run } from '../contract/run.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { LiveRun, StartFacts, Workflow } from '../engine/workflow.ts';
import type { Deps } from './deps.ts';

/** The one fixed set of facts a workflow's `start` gets, for a run of a person and for a child alike. */
export async function gatherFacts(
  deps: Deps,
  seed: { run: RunId; def: Workflow; input: unknown; policy: Policy; parent: Run | null },
): Promise<StartFacts | Rejection> {
  const { run, def, input, parent } = seed;
  const reference = await checkedReference(deps, (input as { reference?: string | null }).reference ?? null);
  if (isRejection(reference)) return reference;
  const approved_spec = await approvedSpec(deps, input, parent);
  if (isRejection(approved_spec)) return approved_spec;
  const { git_missing, ...facts } = await deps.workspace.facts();
  if (git_missing && def.own_branch === true && !seed.policy.in_place) return reject('git_missing');
  const cloned = def.own_tree === true && facts.git !== null && !seed.policy.in_place;
  const { bound, unbound } = await bindRoles(deps, def, seed.policy);
  const policy: Policy = { ...seed.policy, bound, tree: cloned ? 'clone' : 'checkout' };
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
    uuid: uuidOf(deps.hash(`${run} ${deps.clock.now()} ${deps.ids.short(12)}`)),
  };
}

/** A UUID of our own making (version 8) from a content hash. */
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

/** Which of the configured bindings the agent program really has; looked at once, at the start (WF-96). */
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

/** Loaded only for an input that names one. */
async function approvedSpec(
  deps: Deps,
  input: unknown,
  parent: Run | null,
): Promise<StartFacts['approved_spec'] | Rejection> {
  const named = input as { from_spec?: string | null; output_dir?: string | null };
  if (!named.from_spec && !named.output_dir) return null;
  return (await import('./find-approved-spec.ts')).findApprovedSpec(deps, named, parent);
}

/** The whole check chain runs before anything exists; the text is kept so that its hash can be compared later. */
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

async function liveRuns(deps: Deps): Promise<LiveRun[]> {
  const runs = await deps.store.owners();
  return runs.flatMap(({ id, workflow, subject, phase, status, title }) =>
    subject === null ? [] : [{ run: id, workflow, subject, phase, status, title }],
  );
}
