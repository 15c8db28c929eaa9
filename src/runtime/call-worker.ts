import type { Effect, FailedAttempt } from '../contract/change.ts';
import type { CallOutcome } from '../contract/outcome.ts';
import type { Run } from '../contract/run.ts';
import type { WorkerCall } from '../contract/step.ts';
import { exceeded } from '../engine/budget.ts';
import { InvariantError } from '../engine/errors.ts';
import type { Deps } from './deps.ts';
import { type EffectEnd, type Job, type PerformContext, tellCall, troubleAt } from './job.ts';
import { type AttemptEnd, prepareCall, runAttempt, type Tried } from './run-attempt.ts';
import { forgetEdits, forgetWords, isOwn } from './worker-tree.ts';

/** Below this many free bytes no worker is started. */
const DISK_FLOOR = 64 * 1024 * 1024;

/**
 * One logical call of a worker, with its corrections, fresh tries and infrastructure repeats. Each failed attempt is
 * kept before the next one starts, so that a crash goes on with the same attempt and spends no cap twice.
 */
export async function callWorker(deps: Deps, effect: Effect, ctx: PerformContext): Promise<EffectEnd> {
  const failed: FailedAttempt[] = [...effect.attempts];
  const job = await jobOf(deps, effect, ctx, failed);
  for (;;) {
    const over = await beforeAttempt(job);
    if (over) return over;
    tellCall(job, failed.length === 0 ? 'started' : 'retry');
    const tried = await runAttempt(job).finally(() => ctx.in_flight.count--);
    const ended = endOf(job, tried);
    if (ended) return ended;
    const attempt = await toFailedAttempt(job, tried);
    await deps.store.keepAttempt(effect.id, attempt);
    failed.push(attempt);
  }
}

async function jobOf(
  deps: Deps,
  effect: Effect,
  ctx: PerformContext,
  failed: readonly FailedAttempt[],
): Promise<Job> {
  const call = effect.spec as WorkerCall;
  const role = ctx.def.roles[call.role];
  if (!role) throw new InvariantError(`no role '${call.role}' in the role table`);
  return { deps, ctx, effect, call, role, agent: await deps.agent(ctx.run.policy, call.role), failed };
}

/**
 * Ends what a worker of a process before us left running; gives what would not go. Whether it had come to its end is
 * asked first: what it says in answer to our signal does not count.
 */
export async function endOrphan(deps: Deps, effect: Effect, ctx: PerformContext): Promise<readonly number[]> {
  const job = await jobOf(deps, effect, ctx, effect.attempts);
  const call = await prepareCall(job);
  const finished = await job.agent.isFinished(call);
  const { ended, left } = await deps.processes.sweep(effect.id);
  if (left.length > 0) return left;
  if (!finished) forgetWords(call);
  const { run } = ctx;
  const role = (effect.role ?? effect.kind).replaceAll('_', ' ');
  const args = { run: run.id, role, attempt: call.attempt, ended: ended.length };
  ctx.tell({ type: 'recovered', run: run.id, text: { msg: 'engine.recovered', args } });
  return [];
}

/** What an attempt makes of the whole call; null when another one is due. */
function endOf(job: Job, { end, strayed }: Tried): EffectEnd | null {
  if (end.kind === 'interrupted') return end;
  if (strayed.length > 0) return isOwn(job) ? null : treeTrouble(job, strayed, end);
  if (end.kind !== 'valid') return null;
  tellCall(job, 'done', end.outcome.line);
  const texts = new Map([[end.outcome.artefact, end.text]]);
  return { kind: 'done', result: end.outcome, texts, failed: job.failed };
}

/** What must be true before money is spent: caps left, budget left, room on disk. */
async function beforeAttempt(job: Job): Promise<EffectEnd | null> {
  const { deps, ctx, effect, role, failed } = job;
  const spent = spentCaps(failed, ctx.run.counters.forgiven ?? 0);
  if (spent.tries > role.caps.correct + role.caps.fresh) {
    await forgetEdits(job);
    return { kind: 'done', result: gaveUp(job), failed };
  }
  if (spent.infra > role.caps.infra) {
    const problem = failed.at(-1)?.problems[0] ?? '';
    return troubleAt(effect, 'infrastructure', { tries: spent.infra, problem }, failed.length);
  }
  const free = await ctx.tree.freeBytes();
  if (free < DISK_FLOOR) return troubleAt(effect, 'disk', { free: Math.floor(free / 1e6) }, failed.length);
  const total = await deps.store.spend(ctx.run.id);
  const budget = scaled(ctx.run.policy.budget, 1 + (ctx.run.counters.extensions ?? 0));
  const reserve = { attempts: 1 + ctx.in_flight.count };
  const over = exceeded(budget, { ...total, worker_minutes: total.seconds / 60 }, reserve);
  if (over) return troubleAt(effect, 'budget', { budget: over }, failed.length);
  // Counted in the same breath as the check: calls that start together must not all take the last one.
  ctx.in_flight.count++;
  return null;
}

/** Corrections and fresh tries count together; faults of the infrastructure never spend them and can be forgiven. */
function spentCaps(failed: readonly FailedAttempt[], forgiven: number): { tries: number; infra: number } {
  const faults = failed.filter((attempt) => attempt.kind === 'infrastructure');
  const infra = faults.filter((attempt) => attempt.attempt > forgiven).length;
  return { tries: failed.length - faults.length, infra };
}

function scaled(budget: Run['policy']['budget'], factor: number): Run['policy']['budget'] {
  const times = (value: number | null) => (value === null ? null : value * factor);
  const { money_usd, tokens, worker_minutes, attempts } = budget;
  return {
    money_usd: times(money_usd),
    tokens: times(tokens),
    worker_minutes: times(worker_minutes),
    attempts: times(attempts),
  };
}

function gaveUp(job: Job): CallOutcome {
  const { failed } = job;
  const last = failed.findLast((attempt) => attempt.text !== null);
  const end = failed.at(-1);
  const problems = end?.problems.join('; ') ?? '';
  const detail = end?.kind === 'wrote' ? `wrote although the role may only read: ${problems}` : problems;
  tellCall(job, 'failed', detail);
  const kind = last ? 'parse_failed' : 'dispatch_failed';
  return { kind, detail, text: last?.text ?? null, attempts: failed.length };
}

/** A worker that may only read left traces. Nothing is reverted in the person's folder; the person decides. */
function treeTrouble(job: Job, paths: readonly string[], end: AttemptEnd): EffectEnd {
  const args = { count: paths.length, paths: paths.slice(0, 5).join(', ') };
  const trouble = troubleAt(job.effect, 'tree_changed', args, job.failed.length);
  if (end.kind !== 'valid') return trouble;
  return { ...trouble, result: end.outcome, texts: new Map([[end.outcome.artefact, end.text]]) };
}

async function toFailedAttempt({ deps, failed }: Job, { end, strayed }: Tried): Promise<FailedAttempt> {
  const attempt = failed.length + 1;
  if (strayed.length > 0) {
    return { attempt, kind: 'wrote', problems: strayed.slice(0, 5), text: null };
  }
  if (end.kind === 'infrastructure') {
    return { attempt, kind: 'infrastructure', problems: [end.problem], text: null };
  }
  if (end.kind === 'late')
    return { attempt, kind: 'deadline', problems: ['it did not end in time'], text: null };
  if (end.kind !== 'invalid') {
    return { attempt, kind: 'silent', problems: ['no text on any result channel'], text: null };
  }
  return { attempt, kind: 'invalid', problems: end.problems, text: await deps.artefacts.put(end.text) };
}
