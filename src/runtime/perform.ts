import type { Effect } from '../contract/change.ts';
import type { Hash } from '../contract/ids.ts';
import type { CallOutcome, CheckResult, Outcome } from '../contract/outcome.ts';
import type { EffectKind, EffectStep, Look, Op } from '../contract/step.ts';
import { canonicalJson } from '../engine/canonical-json.ts';
import { AdapterError, InvariantError } from '../engine/errors.ts';
import type { Input } from '../engine/transition.ts';
import type { Outside } from '../ports/outside.ts';
import { callWorker, type EffectEnd, type PerformContext } from './call-worker.ts';
import type { Deps } from './deps.ts';
import { prepareOp } from './prepare-op.ts';
import { runCheck } from './run-check.ts';

/** Results up to this size stand in the row and the event; larger ones are files by hash. */
const INLINE_LIMIT = 8_192;

/** What to do with an effect that was started and has no result, per kind. `lookup` falls to `ask` without one. */
export const AFTER_CRASH: Readonly<Record<EffectKind, 'repeat' | 'lookup'>> = {
  work: 'repeat',
  check: 'repeat',
  look: 'repeat',
  workspace: 'lookup',
  tracker: 'lookup',
  deploy: 'lookup',
};

export type Performed =
  | { readonly kind: 'input'; readonly input: Input; readonly texts: ReadonlyMap<Hash, string> }
  | { readonly kind: 'interrupted' };

/**
 * Carries out the step a run is at. `taken_over`: the effects were started by a process that may have died, so each
 * is looked up or cleaned up before it is repeated. The last result comes back with the input and is stored with it.
 */
export async function perform(
  deps: Deps,
  effects: readonly Effect[],
  ctx: PerformContext,
  taken_over: boolean,
): Promise<Performed> {
  const texts = new Map<Hash, string>();
  const results = new Map<number, unknown>();
  let open = 0;
  for (const effect of effects) {
    if (effect.result === null) open++;
    else results.set(effect.n, effect.result);
  }
  const one = async (effect: Effect): Promise<EffectEnd> => {
    const end = await performEffect(deps, effect, ctx, taken_over && effect.started_at !== null);
    if (end.kind === 'done') {
      for (const [hash, text] of end.texts ?? []) texts.set(hash, text);
      const compact = await compactResult(deps, end.result);
      results.set(effect.n, compact);
      open--;
      if (open > 0) await deps.store.keepResult(effect.id, compact, deps.clock.now());
    } else if (end.kind === 'trouble' && end.result) {
      await deps.artefacts.put(canonicalJson(end.result.kind === 'ok' ? end.result.result : null));
      await deps.store.keepResult(effect.id, await compactResult(deps, end.result), deps.clock.now());
    }
    return end;
  };
  const ends = await Promise.all(effects.filter((effect) => effect.result === null).map(one));
  const trouble = ends.find((end) => end.kind === 'trouble');
  if (ends.some((end) => end.kind === 'interrupted')) return { kind: 'interrupted' };
  if (trouble) {
    await keepSiblings(deps, effects, results);
    return { kind: 'input', input: { kind: 'trouble', trouble: trouble.trouble, args: trouble.args }, texts };
  }
  const outcome = await toOutcome(deps, ctx.run.step as EffectStep, effects, results);
  return { kind: 'input', input: { kind: 'outcome', outcome, results }, texts };
}

/** A sibling stopped for trouble: what the others delivered is kept now, since no settling commit follows. */
async function keepSiblings(
  deps: Deps,
  effects: readonly Effect[],
  results: ReadonlyMap<number, unknown>,
): Promise<void> {
  for (const effect of effects) {
    const result = results.get(effect.n);
    if (effect.result === null && result !== undefined)
      await deps.store.keepResult(effect.id, result, deps.clock.now());
  }
}

async function performEffect(
  deps: Deps,
  effect: Effect,
  ctx: PerformContext,
  orphan: boolean,
): Promise<EffectEnd> {
  if (orphan && AFTER_CRASH[effect.kind] === 'repeat') {
    const { ended, left } = await deps.processes.sweep(effect.id);
    if (left.length > 0) return processTrouble(effect, left);
    if (effect.kind === 'work') tellRecovered(ctx, effect, ended.length);
  }
  try {
    return await PERFORM[effect.kind](deps, effect, ctx, orphan);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    if (ctx.signal.aborted) return { kind: 'interrupted' };
    return error.failure.retry === 'transient'
      ? worldTrouble(effect, error)
      : { kind: 'done', result: { failure: error.failure } };
  }
}

type PerformEffect = (deps: Deps, effect: Effect, ctx: PerformContext, orphan: boolean) => Promise<EffectEnd>;

const PERFORM: Readonly<Record<EffectKind, PerformEffect>> = {
  work: (deps, effect, ctx) => callWorker(deps, effect, ctx),
  check: (deps, effect, ctx) => runCheck(deps, effect, ctx.signal),
  look: async (deps, effect) => {
    const found = await deps.workspace.look(effect.spec as Look, (text) => deps.artefacts.put(text));
    return { kind: 'done', result: { found } };
  },
  workspace: (deps, effect, ctx, orphan) => write(deps, deps.workspace, effect, ctx, orphan),
  tracker: (deps, effect, ctx, orphan) => write(deps, deps.outside.tracker, effect, ctx, orphan),
  deploy: (deps, effect, ctx, orphan) => write(deps, deps.outside.deploy, effect, ctx, orphan),
};

/** One outside write. After a crash it is looked up; where nothing can be looked up, a person is asked. */
async function write(
  deps: Deps,
  place: Outside | undefined,
  effect: Effect,
  ctx: PerformContext,
  orphan: boolean,
): Promise<EffectEnd> {
  if (!place) throw new InvariantError(`no adapter for a '${effect.kind}' step`);
  const op = await prepareOp(deps, effect.spec as Op, effect.id, ctx);
  if (orphan) {
    if (!place.lookup) {
      const trouble = { kind: 'unknown_effect' as const, effect: effect.n, attempts: 0 };
      return { kind: 'trouble', trouble, args: { what: `${effect.kind} ${op.op}` } };
    }
    const found = await place.lookup(op);
    if (found !== null) return { kind: 'done', result: { written: found } };
  }
  return { kind: 'done', result: { written: await place.perform(op) } };
}

function processTrouble(effect: Effect, left: readonly number[]): EffectEnd {
  const trouble = { kind: 'processes_left' as const, effect: effect.n, attempts: effect.attempts.length };
  return { kind: 'trouble', trouble, args: { pids: left.join(', ') } };
}

function worldTrouble(effect: Effect, error: AdapterError): EffectEnd {
  const kind = error.failure.code === 'disk_full' ? 'disk' : 'infrastructure';
  const trouble = { kind, effect: effect.n, attempts: effect.attempts.length } as const;
  const args = { role: effect.role ?? effect.kind, tries: 1, problem: error.message, free: 0 };
  return { kind: 'trouble', trouble, args };
}

function tellRecovered(ctx: PerformContext, effect: Effect, ended: number): void {
  const args = { role: effect.role ?? effect.kind, attempt: effect.attempts.length + 1, ended };
  ctx.tell({ type: 'recovered', run: ctx.run.id, text: { msg: 'engine.recovered', args } });
}

/** What is stored of a result: a large worker result is only its hash, read back when it is needed. */
async function compactResult(deps: Deps, result: unknown): Promise<unknown> {
  const call = result as CallOutcome;
  if (call?.kind !== 'ok') return result;
  const json = canonicalJson(call.result);
  if (json.length <= INLINE_LIMIT) return result;
  await deps.artefacts.put(json);
  const { result: _, ...compact } = call;
  return compact;
}

async function fullResult(deps: Deps, stored: unknown): Promise<CallOutcome> {
  const call = stored as CallOutcome;
  if (call.kind !== 'ok' || 'result' in call) return call;
  const { artefact, line } = call as Extract<CallOutcome, { kind: 'ok' }>;
  return { kind: 'ok', result: JSON.parse(await deps.artefacts.get(artefact)), artefact, line };
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
    return {
      kind: 'worked',
      calls: await Promise.all(ordered.map((result) => fullResult(deps, result))),
      at,
    };
  }
  if (step.kind === 'check') return { kind: 'checked', checks: ordered as CheckResult[], at };
  const [only] = ordered as [Record<string, unknown>];
  if ('failure' in only) return { kind: 'failed', failure: only.failure as never, at };
  if (step.kind === 'look') return { kind: 'looked', found: only.found, at };
  return { kind: 'written', result: only.written, at };
}
