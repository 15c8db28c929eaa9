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
import { type EffectEnd, type Job, type PerformContext, reportCall, troubleAt } from './job.ts';
import { type AttemptEnd, prepareCall, runAttempt, type Tried } from './run-attempt.ts';
import { forgetEdits, forgetWords, isOwn } from './worker-tree.ts';

/**
 * One logical call of a worker, with its corrections, fresh attempts, infrastructure retries and sleeps. Each failed
 * attempt is stored before the next one starts. After a crash the call therefore continues with the same attempt. It
 * counts against no cap twice and sleeps only the remaining time.
 */
export async function callWorker(deps: Deps, effect: Effect, ctx: PerformContext): Promise<EffectEnd> {
  const failed: FailedAttempt[] = [...effect.attempts];
  const job = await jobOf(deps, effect, ctx, failed);
  for (;;) {
    const admitted = await admitAttempt(job);
    if (admitted.kind === 'no_tries') return giveUp(job);
    if (admitted.kind !== 'go') return admitted;
    const before = failed.at(-1);
    reportCall(job, before ? 'retry' : 'started', before && shortReason(before));
    const tried = await runAttempt(job, admitted);
    const ended = endOf(job, tried);
    if (ended) return ended;
    const attempt = await toFailedAttempt(job, tried);
    await deps.store.storeAttempt(effect.id, attempt);
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
 * Ends what a worker of an earlier process left running. Returns the processes that could not be ended. Whether the
 * worker had finished is checked first, because its reaction to our signal must not count as a result.
 */
export async function endOrphan(deps: Deps, effect: Effect, ctx: PerformContext): Promise<readonly number[]> {
  const job = await jobOf(deps, effect, ctx, effect.attempts);
  const call = await prepareCall(job, null);
  if (await job.agent.isUnderWay?.(call)) return [];
  const begun = existsSync(call.dir);
  const finished = await job.agent.isFinished(call);
  const { ended, left } = await deps.processes.killLeftovers(effect.id);
  if (left.length > 0) return left;
  if (!finished) forgetWords(call);
  // The call was asleep or a person was asked before this attempt, so nothing was interrupted.
  if (!begun && ended.length === 0) return [];
  const { run } = ctx;
  const role = (effect.role ?? effect.kind).replaceAll('_', ' ');
  const way = finished ? 'taken' : 'again';
  const args = { run: run.id, role, attempt: call.attempt, ended: ended.length, way };
  const tell = (text: Msg) => ctx.tell({ type: 'recovered', run: run.id, text });
  tell({ msg: 'engine.recovered', args });
  // Earlier process runs that were also cut off could not report this. Their number is stored next to the stream.
  const times = startsBefore(call) - 1;
  if (times > 0) tell({ msg: 'engine.recovered_before', args: { role, times } });
  return [];
}

/** The end of the whole call after this attempt. Null if another attempt is due. */
function endOf(job: Job, { end, unauthorised }: Tried): EffectEnd | null {
  if (end.kind === 'interrupted') return end;
  if (end.kind === 'over') return budgetTrouble(job, end.passed, 'yes');
  if (unauthorised.length > 0) return isOwn(job) ? null : treeTrouble(job, unauthorised, end);
  if (end.kind !== 'valid') return null;
  reportCall(job, 'done', end.outcome.line);
  const texts = new Map([[end.outcome.artefact, end.text]]);
  return { kind: 'done', result: end.outcome, texts, failed: job.failed };
}

async function giveUp(job: Job): Promise<EffectEnd> {
  const { failed } = job;
  await forgetEdits(job);
  const last = failed.findLast((attempt) => attempt.text !== null);
  const end = failed.at(-1);
  const detail = end ? reasonOf(end) : '';
  reportCall(job, 'failed', detail);
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

/** A worker that may only read has written. Baton reverts nothing in the person's folder. The person decides. */
function treeTrouble(job: Job, paths: readonly string[], end: AttemptEnd): EffectEnd {
  const args = { count: paths.length, paths: paths.slice(0, 5).join(', ') };
  const trouble = troubleAt(job.effect, 'tree_changed', args, job.failed.length);
  if (end.kind !== 'valid') return trouble;
  return { ...trouble, result: end.outcome, texts: new Map([[end.outcome.artefact, end.text]]) };
}
