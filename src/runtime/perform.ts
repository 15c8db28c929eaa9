import path from 'node:path';
import type { Effect } from '../contract/change.ts';
import type { Hash } from '../contract/ids.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { CallOutcome, CheckResult, Failure, Outcome } from '../contract/outcome.ts';
import type { Check, EffectKind, EffectStep, Op, Query } from '../contract/step.ts';
import { canonicalJson } from '../engine/canonical-json.ts';
import type { DescribedCommand } from '../engine/checks/describe-command.ts';
import { type AdapterError, InvariantError } from '../engine/errors.ts';
import type { Input } from '../engine/input.ts';
import type { BaseState } from '../engine/workflow.ts';
import type { Outside } from '../ports/outside.ts';
import type { Workspace } from '../ports/workspace.ts';
import { attemptNotices, callNotices } from './attempt-notices.ts';
import { inUntouchedTree } from './check-tree.ts';
import type { Deps } from './deps.ts';
import { type EffectEnd, type PerformContext, troubleAt } from './job.ts';
import { prepareOp } from './prepare-op.ts';
import { toAdapterError } from './system-failure.ts';
import { watchControls } from './watch-controls.ts';

/** Results up to this size are stored in the row and the event. Larger ones are files named by hash. */
const INLINE_LIMIT = 8_192;

export type Performed =
  | { readonly kind: 'input'; readonly input: Input; readonly texts: ReadonlyMap<Hash, string> }
  | { readonly kind: 'interrupted' };

/**
 * Performs the current step of a run. Effects that a dead process may have started are looked up or cleaned up before
 * they are repeated. The last result is returned with the input and stored with it.
 */
export async function perform(
  deps: Deps,
  effects: readonly Effect[],
  ctx: PerformContext,
): Promise<Performed> {
  const { taken_over } = ctx;
  const recovered: MoveRecord[] = [];
  const watched = taken_over ? { ...ctx, tell: noteRecovered(ctx, recovered) } : ctx;
  const texts = new Map<Hash, string>();
  const results = new Map<number, unknown>();
  for (const { n, result } of effects) if (result !== null) results.set(n, result);
  const open = effects.filter((effect) => effect.result === null);
  const controls = await watchControls(deps, ctx);
  let running = open.length;
  const one = async (effect: Effect, made?: (effect: Effect) => Promise<void>): Promise<EffectEnd> => {
    const orphan = taken_over && effect.started_at !== null;
    const skipped = await skip(effect, results.values());
    const end = skipped ?? (await performEffect(deps, effect, watched, orphan));
    wakeOthers(ctx, end);
    running--;
    if (end.kind === 'done') {
      for (const [hash, text] of end.texts ?? []) texts.set(hash, text);
      results.set(effect.n, await compactResult(deps, end));
      if (running > 0) {
        await putTexts(deps, end);
        await made?.(effect);
        await deps.store.storeResult(effect.id, results.get(effect.n), deps.clock.now());
      }
    }
    return end;
  };
  const ends = await (open[0]?.kind === 'check'
    ? inUntouchedTree(deps, ctx, { effects, taken_over }, (made) =>
        inOrder(open, (effect) => one(effect, made)),
      )
    : Promise.all(open.map((effect) => one(effect))));
  if (ends.some((end) => end.kind === 'interrupted')) return { kind: 'interrupted' };
  const trouble = ends.find((end) => end.kind === 'trouble');
  if (trouble) {
    await keepBeforeTrouble(deps, open, ends, results);
    const { args } = trouble;
    const input = { kind: 'trouble', trouble: trouble.trouble, args, records: recovered } as const;
    return { kind: 'input', input, texts };
  }
  const outcome = await controls(await toOutcome(deps, ctx.run.step as EffectStep, effects, results));
  const notices = effects.flatMap((effect) => [
    ...attemptNotices(effect, ends[open.indexOf(effect)]),
    ...callNotices(effect, results.get(effect.n)),
  ]);
  const records = [...recovered, ...notices];
  return { kind: 'input', input: { kind: 'outcome', outcome, results, records }, texts };
}

/** Recovery notices are also logged, together with the result of the step. */
function noteRecovered({ tell }: PerformContext, records: MoveRecord[]): PerformContext['tell'] {
  return (progress) => {
    if (progress.type === 'recovered') records.push({ kind: 'notice', level: 'info', text: progress.text });
    tell(progress);
  };
}

/** A person will be asked, so parallel calls stop sleeping. */
function wakeOthers({ troubled }: PerformContext, end: EffectEnd): void {
  if (end.kind === 'trouble') troubled?.abort();
}

/** Runs the checks one after the other. The first that does not finish is the last. */
async function inOrder(
  effects: readonly Effect[],
  one: (effect: Effect) => Promise<EffectEnd>,
): Promise<EffectEnd[]> {
  const ends: EffectEnd[] = [];
  for (const effect of effects) {
    const end = await one(effect);
    ends.push(end);
    if (end.kind !== 'done') break;
  }
  return ends;
}

/**
 * After a trouble there is no commit with the results. The results of all calls, including the one in question, are
 * therefore stored now.
 */
async function keepBeforeTrouble(
  deps: Deps,
  effects: readonly Effect[],
  ends: readonly EffectEnd[],
  results: ReadonlyMap<number, unknown>,
): Promise<void> {
  for (const [index, effect] of effects.entries()) {
    const end = ends[index];
    const questioned =
      end?.kind === 'trouble' && end.result
        ? await compactResult(deps, { ...end, result: end.result })
        : undefined;
    const result = results.get(effect.n) ?? questioned;
    if (end) await putTexts(deps, end);
    if (result !== undefined) await deps.store.storeResult(effect.id, result, deps.clock.now());
  }
}

/**
 * A result stored before the settling commit may be all that a later process has. Its texts are therefore written to
 * disk first.
 */
async function putTexts(deps: Deps, end: EffectEnd): Promise<void> {
  if (!('texts' in end)) return;
  for (const text of end.texts?.values() ?? []) await deps.artefacts.put(text);
}

async function performEffect(
  deps: Deps,
  effect: Effect,
  ctx: PerformContext,
  orphan: boolean,
): Promise<EffectEnd> {
  try {
    const left = orphan ? await killOrphan(deps, effect, ctx) : [];
    if (left.length > 0)
      return troubleAt(effect, 'processes_left', { pids: left.join(', ') }, effect.attempts.length);
    return await PERFORM[effect.kind](deps, effect, ctx, orphan);
  } catch (error) {
    const failed = toAdapterError(error);
    if (!failed) throw error;
    if (ctx.signal.aborted) return { kind: 'interrupted' };
    return worldFailed(deps, effect, failed);
  }
}

/**
 * Ends what an interrupted worker or command left running, before any lookup. Returns the processes that could not be
 * ended.
 */
async function killOrphan(deps: Deps, effect: Effect, ctx: PerformContext): Promise<readonly number[]> {
  if (effect.kind === 'work') return (await loadCallWorker()).endOrphan(deps, effect, ctx);
  return (await deps.processes.killLeftovers(effect.id)).left;
}

/** A permanent failure of a read or write is an outcome for the workflow. For all other failures a person is asked. */
function worldFailed(deps: Deps, effect: Effect, error: AdapterError): EffectEnd {
  const failure = { ...error.failure, detail: withoutLocations(deps, error.failure.detail) };
  if (failure.retry === 'permanent' && effect.kind !== 'work') return { kind: 'done', result: { failure } };
  const kind = failure.code === 'disk_full' ? 'disk' : 'infrastructure';
  const problem = `${failure.code}: ${failure.detail}`;
  const cause = NO_AGENT.has(failure.code) ? 'agent' : 'world';
  return troubleAt(effect, kind, { problem, cause, free: 0, run: effect.run }, effect.attempts.length);
}

/** Codes of an agent that existed when the run began and cannot be opened now. */
const NO_AGENT: ReadonlySet<string> = new Set([
  'agent_not_installed',
  'agent_without_command',
  'no_such_agent',
  'no_sandbox',
]);

/** A failure is stored with the run, and a stored row must not name a folder of this machine (SP-17). */
function withoutLocations(deps: Deps, detail: string): string {
  return detail.replaceAll(deps.workspace.root, '.').replaceAll(path.dirname(deps.calls), 'state');
}

type PerformEffect = (deps: Deps, effect: Effect, ctx: PerformContext, orphan: boolean) => Promise<EffectEnd>;

/** Loaded on the first worker and the first check, because an answer often leads to the next gate without either. */
const loadCallWorker = () => import('./call-worker.ts');
const loadRunCheck = () => import('./run-check.ts');

async function skip(effect: Effect, results: Iterable<unknown>): Promise<EffectEnd | null> {
  return effect.kind === 'check' ? (await loadRunCheck()).skipCheck(effect, results) : null;
}

/**
 * After a crash, workers, checks and queries are repeated. Writes are looked up first. If a lookup is not possible, a
 * person is asked.
 */
const PERFORM: Readonly<Record<EffectKind, PerformEffect>> = {
  work: async (deps, effect, ctx) => (await loadCallWorker()).callWorker(deps, effect, ctx),
  check: async (deps, effect, { run, tree, signal }) =>
    (await loadRunCheck()).runCheck(deps, effect, {
      ...(await checkFolder(tree, effect)),
      ...{ own: run.policy.tree === 'clone', signal, policy: run.policy },
      describe: (check) => describeCheck(deps, tree, check),
    }),
  query: async (deps, effect, ctx) => ({ kind: 'done', result: { found: await query(deps, effect, ctx) } }),
  workspace: write,
  tracker: write,
  deploy: write,
};

/** The tree, or a clean checkout of what would be committed. In a new checkout, packages are installed. */
async function checkFolder(
  tree: Workspace,
  { run, turn, spec }: Effect,
): Promise<{ readonly root: string; readonly install?: string | null }> {
  const { clean } = spec as Check;
  if (!clean) return { root: tree.root };
  if (!tree.checkOut) throw new InvariantError('a clean checkout of a folder that is not ours');
  const { root, fresh } = await tree.checkOut(`${run}/${turn}`, clean);
  return { root, install: fresh ? clean.install : null };
}

/**
 * Queries what a check's command means in the tree. An unreadable tree is handled like any system failure around the
 * check.
 */
async function describeCheck(
  deps: Deps,
  tree: Workspace,
  { name, command }: Check,
): Promise<DescribedCommand> {
  const what: Query = { what: 'check_command', input: { name, command } };
  return (await tree.query(what, (text) => deps.artefacts.put(text))) as DescribedCommand;
}

/** Queries the ledger, the code host, or the run's tree. */
async function query(deps: Deps, effect: Effect, { run, tree, signal }: PerformContext): Promise<unknown> {
  const spec = effect.spec as Query;
  const keep = (text: string) => deps.artefacts.put(text);
  if (spec.what === 'knowledge')
    return (await import('./query-knowledge.ts')).queryKnowledge(deps, spec.input);
  if (!spec.what.startsWith('host.')) return tree.query(spec, keep);
  const host = deps.host?.(run.policy);
  if (!host) throw new InvariantError(`no code host for the look '${spec.what}'`);
  return host.query(spec, { effect: effect.id, keep, signal });
}

/** The target of a write of this kind. */
function locationOf({ outside, host }: Deps, kind: EffectKind, { run, tree }: PerformContext): Outside {
  const own = outside.tracker && outside.deploy ? undefined : host?.(run.policy);
  const locations: Partial<Record<EffectKind, Outside | undefined>> = {
    workspace: tree,
    tracker: outside.tracker ?? own?.changes,
    deploy: outside.deploy ?? own?.deploys,
  };
  const location = locations[kind];
  if (!location) throw new InvariantError(`no adapter for a '${kind}' step`);
  return location;
}

/** One outside write. After a crash it is looked up. If its result stays unknown, a person is asked. */
async function write(deps: Deps, effect: Effect, ctx: PerformContext, orphan: boolean): Promise<EffectEnd> {
  const location = locationOf(deps, effect.kind, ctx);
  const op = await prepareOp(deps, effect.spec as Op, effect.id, ctx);
  const found = orphan ? await (location.lookup?.(op) ?? 'unknown') : null;
  if (found === 'unknown') return troubleAt(effect, 'unknown_effect', { what: `${effect.kind} ${op.op}` });
  if (found === null && !isWanted(effect, ctx)) return { kind: 'done', result: { failure: NOT_WANTED } };
  return {
    kind: 'done',
    result: { written: found ?? (await location.perform(op, (text) => deps.artefacts.put(text))) },
  };
}

const NOT_WANTED: Failure = {
  code: 'not_wanted',
  retry: 'permanent',
  detail: 'not done: the run was moved on before',
};

/**
 * True if the run still wants a write that others would see. A person may have parked or cancelled the run while no
 * process performed the write. It is then not performed, in particular not by a process that takes the run over after a
 * crash.
 */
function isWanted({ kind, spec }: Effect, { def, run }: PerformContext): boolean {
  if (kind === 'workspace') return true;
  const step = def.next(run.state as unknown as BaseState);
  return step.kind === kind && 'op' in step && step.op.op === (spec as Op).op;
}

/** The stored form of a result. A large worker result is stored as its hash and read back when needed. */
async function compactResult(
  deps: Deps,
  { result, texts }: { readonly result: unknown; readonly texts?: ReadonlyMap<Hash, string> },
): Promise<unknown> {
  const call = result as CallOutcome;
  if (call?.kind !== 'ok') return result;
  const json = texts?.get(call.artefact) ?? canonicalJson(call.result);
  if (json.length <= INLINE_LIMIT) return result;
  await deps.artefacts.put(json);
  const { result: _, ...compact } = call;
  return compact;
}

async function fullResult(deps: Deps, kept: unknown): Promise<CallOutcome> {
  const call = kept as Extract<CallOutcome, { kind: 'ok' }>;
  return isCompact(call) ? { ...call, result: JSON.parse(await deps.artefacts.get(call.artefact)) } : call;
}

function isCompact(kept: unknown): boolean {
  const call = kept as CallOutcome;
  return call.kind === 'ok' && !('result' in call);
}

/** All results in declared order, combined into the outcome that the workflow settles. */
async function toOutcome(
  deps: Deps,
  step: EffectStep,
  effects: readonly Effect[],
  results: ReadonlyMap<number, unknown>,
): Promise<Outcome> {
  const at = deps.clock.now();
  const ordered = effects.map((effect) => results.get(effect.n));
  if (step.kind === 'work') {
    const calls = ordered.some(isCompact)
      ? await Promise.all(ordered.map((result) => fullResult(deps, result)))
      : (ordered as CallOutcome[]);
    return { kind: 'worked', calls, at };
  }
  if (step.kind === 'check') return { kind: 'checked', checks: ordered as CheckResult[], at };
  const [only] = ordered as [Record<string, unknown>];
  if ('failure' in only) return { kind: 'failed', failure: only.failure as never, at };
  if (step.kind === 'query') return { kind: 'queried', found: only.found, at };
  return { kind: 'written', result: only.written, at };
}
