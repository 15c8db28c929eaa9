import { existsSync } from 'node:fs';
import type { Msg } from '../contract/brief.ts';
import type { Effect, FailedAttempt } from '../contract/change.ts';
import type { CallOutcome } from '../contract/outcome.ts';
import type { WorkerCall } from '../contract/step.ts';
import { InvariantError } from '../engine/errors.ts';
import { admitAttempt, budgetTrouble } from './admit-attempt.ts';
import type { Deps } from './deps.ts';
import { reasonOf, shortReason, toFailedAttempt } from './failed-attempt.ts';
import { startsBefore } from './guard-attempt.ts';
import { type EffectEnd, type Job, type PerformContext, tellCall, troubleAt } from './job.ts';
import { type AttemptEnd, prepareCall, runAttempt, type Tried } from './run-attempt.ts';
import { forgetEdits, forgetWords, isOwn } from './worker-tree.ts';

/**
 * One logical call of a worker, with its corrections, fresh tries, infrastructure repeats and sleeps. Each failed
 * attempt is kept before the next one starts, so that a crash goes on with the same attempt, spends no cap twice and
 * sleeps only what is left.
 */
export async function callWorker(deps: Deps, effect: Effect, ctx: PerformContext): Promise<EffectEnd> {
  const failed: FailedAttempt[] = [...effect.attempts];
  const job = await jobOf(deps, effect, ctx, failed);
  for (;;) {
    const admitted = await admitAttempt(job);
    if (admitted.kind === 'no_tries') return giveUp(job);
    if (admitted.kind !== 'go') return admitted;
    const before = failed.at(-1);
    tellCall(job, before ? 'retry' : 'started', before && shortReason(before));
    const tried = await runAttempt(job, admitted);
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
  const call = await prepareCall(job, null);
  if (await job.agent.isUnderWay?.(call)) return [];
  const begun = existsSync(call.dir);
  const finished = await job.agent.isFinished(call);
  const { ended, left } = await deps.processes.sweep(effect.id);
  if (left.length > 0) return left;
  if (!finished) forgetWords(call);
  // It slept, or a person was asked, before this attempt: nothing was interrupted.
  if (!begun && ended.length === 0) return [];
  const { run } = ctx;
  const role = (effect.role ?? effect.kind).replaceAll('_', ' ');
  const way = finished ? 'taken' : 'again';
  const args = { run: run.id, role, attempt: call.attempt, ended: ended.length, way };
  const tell = (text: Msg) => ctx.tell({ type: 'recovered', run: run.id, text });
  tell({ msg: 'engine.recovered', args });
  // What a life that was cut off too had told went with it; how many there were stands beside the stream.
  const times = startsBefore(call) - 1;
  if (times > 0) tell({ msg: 'engine.recovered_before', args: { role, times } });
  return [];
}

/** What an attempt makes of the whole call; null when another one is due. */
function endOf(job: Job, { end, strayed }: Tried): EffectEnd | null {
  if (end.kind === 'interrupted') return end;
  if (end.kind === 'over') return budgetTrouble(job, end.passed, 'yes');
  if (strayed.length > 0) return isOwn(job) ? null : treeTrouble(job, strayed, end);
  if (end.kind !== 'valid') return null;
  tellCall(job, 'done', end.outcome.line);
  const texts = new Map([[end.outcome.artefact, end.text]]);
  return { kind: 'done', result: end.outcome, texts, failed: job.failed };
}

async function giveUp(job: Job): Promise<EffectEnd> {
  const { failed } = job;
  await forgetEdits(job);
  const last = failed.findLast((attempt) => attempt.text !== null);
  const end = failed.at(-1);
  const detail = end ? reasonOf(end) : '';
  tellCall(job, 'failed', detail);
  const kind = last ? 'parse_failed' : 'dispatch_failed';
  const result: CallOutcome = {
    kind,
    detail,
    text: last?.text ?? null,
    attempts: failed.length,
    ...(end ? { cause: end.kind } : {}),
  };
  return { kind: 'done', result, failed };
}

/** A worker that may only read left traces. Nothing is reverted in the person's folder; the person decides. */
function treeTrouble(job: Job, paths: readonly string[], end: AttemptEnd): EffectEnd {
  const args = { count: paths.length, paths: paths.slice(0, 5).join(', ') };
  const trouble = troubleAt(job.effect, 'tree_changed', args, job.failed.length);
  if (end.kind !== 'valid') return trouble;
  return { ...trouble, result: end.outcome, texts: new Map([[end.outcome.artefact, end.text]]) };
}
