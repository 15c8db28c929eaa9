import path from 'node:path';
import type { Effect } from '../contract/change.ts';
import type { Hash } from '../contract/ids.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { CallOutcome, CheckResult, Failure, Outcome } from '../contract/outcome.ts';
import type { EffectKind, EffectStep, Look, Op } from '../contract/step.ts';
import { canonicalJson } from '../engine/canonical-json.ts';
import { type AdapterError, InvariantError } from '../engine/errors.ts';
import type { Input } from '../engine/input.ts';
import type { BaseState } from '../engine/workflow.ts';
import type { Outside } from '../ports/outside.ts';
import { attemptNotices, callNotices } from './attempt-notices.ts';
import { callWorker, endOrphan } from './call-worker.ts';
import { inUntouchedTree } from './check-tree.ts';
import type { Deps } from './deps.ts';
import { type EffectEnd, type PerformContext, troubleAt } from './job.ts';
import { prepareOp } from './prepare-op.ts';
import { runCheck, skipCheck } from './run-check.ts';
import { toAdapterError } from './system-failure.ts';

/** Results up to this size stand in the row and the event; larger ones are files by hash. */
const INLINE_LIMIT = 8_192;

export type Performed =
  | { readonly kind: 'input'; readonly input: Input; readonly texts: ReadonlyMap<Hash, string> }
  | { readonly kind: 'interrupted' };

/**
 * Carries out the step a run is at. Effects started by a process that may have died are looked up or cleaned up before
 * they are repeated. The last result comes back with the input and is stored with it.
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
  let running = open.length;
  const one = async (effect: Effect, made?: (effect: Effect) => Promise<void>): Promise<EffectEnd> => {
    const orphan = taken_over && effect.started_at !== null;
    const end = skipCheck(effect, results.values()) ?? (await performEffect(deps, effect, watched, orphan));
    wakeOthers(ctx, end);
    running--;
    if (end.kind === 'done') {
      for (const [hash, text] of end.texts ?? []) texts.set(hash, text);
      results.set(effect.n, await compactResult(deps, end));
      if (running > 0) {
        await putTexts(deps, end);
        await made?.(effect);
        await deps.store.keepResult(effect.id, results.get(effect.n), deps.clock.now());
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
  const outcome = await toOutcome(deps, ctx.run.step as EffectStep, effects, results);
  const notices = effects.flatMap((effect) => [
    ...attemptNotices(effect, ends[open.indexOf(effect)]),
    ...callNotices(effect, results.get(effect.n)),
  ]);
  const records = [...recovered, ...notices];
  return { kind: 'input', input: { kind: 'outcome', outcome, results, records }, texts };
}

/** What is told of a life before this one stands in the log too, with what came of the step. */
function noteRecovered({ tell }: PerformContext, records: MoveRecord[]): PerformContext['tell'] {
  return (progress) => {
    if (progress.type === 'recovered') records.push({ kind: 'notice', level: 'info', text: progress.text });
    tell(progress);
  };
}

/** A person will be asked: calls beside this one sleep no longer. */
function wakeOthers({ troubled }: PerformContext, end: EffectEnd): void {
  if (end.kind === 'trouble') troubled?.abort();
}

/** Checks run one after the other; the first that does not come to its end is the last. */
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

/** No settling commit follows a trouble: what the calls delivered, the questioned one included, is kept now. */
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
    if (result !== undefined) await deps.store.keepResult(effect.id, result, deps.clock.now());
  }
}

/** A result kept outside the settling commit may be all a later process has: its texts are on disk before it. */
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
    const left = orphan ? await sweepOrphan(deps, effect, ctx) : [];
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

/** Ends what an interrupted worker or command left running, before anything is looked up; gives what would not go. */
async function sweepOrphan(deps: Deps, effect: Effect, ctx: PerformContext): Promise<readonly number[]> {
  if (effect.kind === 'work') return await endOrphan(deps, effect, ctx);
  return (await deps.processes.sweep(effect.id)).left;
}

/** A read or write that cannot be helped is an outcome the workflow decides on; all else is asked about. */
function worldFailed(deps: Deps, effect: Effect, error: AdapterError): EffectEnd {
  const failure = { ...error.failure, detail: withoutPlaces(deps, error.failure.detail) };
  if (failure.retry === 'permanent' && effect.kind !== 'work') return { kind: 'done', result: { failure } };
  const kind = failure.code === 'disk_full' ? 'disk' : 'infrastructure';
  const problem = `${failure.code}: ${failure.detail}`;
  const cause = NO_AGENT.has(failure.code) ? 'agent' : 'world';
  return troubleAt(effect, kind, { problem, cause, free: 0, run: effect.run }, effect.attempts.length);
}

/** An agent that was there when the run began and cannot be opened now. */
const NO_AGENT: ReadonlySet<string> = new Set([
  'agent_not_installed',
  'agent_without_command',
  'no_such_agent',
  'no_sandbox',
]);

/** A failure is stored with the run, and no stored row names a folder of this machine (SP-17). */
function withoutPlaces(deps: Deps, detail: string): string {
  return detail.replaceAll(deps.workspace.root, '.').replaceAll(path.dirname(deps.calls), 'state');
}

type PerformEffect = (deps: Deps, effect: Effect, ctx: PerformContext, orphan: boolean) => Promise<EffectEnd>;

/** After a crash workers, checks and looks are done again; writes are looked up first, and asked about without one. */
const PERFORM: Readonly<Record<EffectKind, PerformEffect>> = {
  work: (deps, effect, ctx) => callWorker(deps, effect, ctx),
  check: (deps, effect, { run, tree, signal }) =>
    runCheck(deps, effect, { root: tree.root, own: run.policy.tree === 'clone', signal }),
  look: async (deps, effect, ctx) => ({ kind: 'done', result: { found: await look(deps, effect, ctx) } }),
  workspace: write,
  tracker: write,
  deploy: write,
};

/** Reads the ledger, the code host, or the run's tree. */
async function look(deps: Deps, effect: Effect, { run, tree, signal }: PerformContext): Promise<unknown> {
  const spec = effect.spec as Look;
  const keep = (text: string) => deps.artefacts.put(text);
  if (spec.what === 'knowledge') return (await import('./look-knowledge.ts')).lookKnowledge(deps, spec.input);
  if (!spec.what.startsWith('host.')) return tree.look(spec, keep);
  const host = deps.host?.(run.policy);
  if (!host) throw new InvariantError(`no code host for the look '${spec.what}'`);
  return host.look(spec, { effect: effect.id, keep, signal });
}

/** Where a step of this kind writes. */
function placeOf({ outside, host }: Deps, kind: EffectKind, { run, tree }: PerformContext): Outside {
  const own = outside.tracker && outside.deploy ? undefined : host?.(run.policy);
  const places: Partial<Record<EffectKind, Outside | undefined>> = {
    workspace: tree,
    tracker: outside.tracker ?? own?.changes,
    deploy: outside.deploy ?? own?.deploys,
  };
  const place = places[kind];
  if (!place) throw new InvariantError(`no adapter for a '${kind}' step`);
  return place;
}

/** One outside write. After a crash it is looked up; where nobody can tell what happened, a person is asked. */
async function write(deps: Deps, effect: Effect, ctx: PerformContext, orphan: boolean): Promise<EffectEnd> {
  const place = placeOf(deps, effect.kind, ctx);
  const op = await prepareOp(deps, effect.spec as Op, effect.id, ctx);
  const found = orphan ? await (place.lookup?.(op) ?? 'unknown') : null;
  if (found === 'unknown') return troubleAt(effect, 'unknown_effect', { what: `${effect.kind} ${op.op}` });
  if (found === null && !isWanted(effect, ctx)) return { kind: 'done', result: { failure: NOT_WANTED } };
  return {
    kind: 'done',
    result: { written: found ?? (await place.perform(op, (text) => deps.artefacts.put(text))) },
  };
}

const NOT_WANTED: Failure = {
  code: 'not_wanted',
  retry: 'permanent',
  detail: 'not done: the run was moved on before',
};

/**
 * Whether the run still asks for what others would see. Somebody may have parked or cancelled it while nobody carried
 * the write out; then it is not done, least of all by whoever takes the run up after a crash.
 */
function isWanted({ kind, spec }: Effect, { def, run }: PerformContext): boolean {
  if (kind === 'workspace') return true;
  const step = def.next(run.state as unknown as BaseState);
  return step.kind === kind && 'op' in step && step.op.op === (spec as Op).op;
}

/** What is stored of a result: a large worker result is only its hash, read back when it is needed. */
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

/** All results in declared order, as the one outcome the workflow settles. */
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
  if (step.kind === 'look') return { kind: 'looked', found: only.found, at };
  return { kind: 'written', result: only.written, at };
}
