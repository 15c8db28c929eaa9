import type { FailedAttempt } from '../contract/change.ts';
import type { Instant } from '../contract/ids.ts';
import { amountText } from '../engine/budget.ts';
import type { Permit } from './breakers.ts';
import { type EffectEnd, type Job, reportAsleep, troubleAt } from './job.ts';
import type { Metered, Passed } from './meter.ts';

/** Below this many free bytes no worker is started. */
const DISK_FLOOR = 64 * 1024 * 1024;
/** Limits for waiting, in one call, on a provider that takes no calls. After that a person is asked. */
const MOST_SLEEPS = 50;
const LONGEST_SLEEP_MS = 24 * 60 * 60 * 1000;

/**
 * Permission to make the next attempt. `leave` gives it back. Call it after signing the permit and ending the meter.
 */
export interface Admitted {
  readonly kind: 'go';
  readonly metered: Metered;
  readonly permit: Permit;
  readonly leave: () => void;
}

/**
 * What must be true before money is spent: attempts left, the waiting time over, a callable agent, room on disk, and
 * budget left. The waiting time is stored: after a crash only the remainder is slept.
 */
export async function admitAttempt(job: Job): Promise<Admitted | EffectEnd | { readonly kind: 'no_tries' }> {
  const { ctx, role, failed } = job;
  const forgiven = ctx.run.counters.forgiven ?? 0;
  const spent = spentCaps(failed, forgiven);
  if (spent.tries > role.caps.correct + role.caps.fresh) return { kind: 'no_tries' };
  if (failed.some(({ kind, attempt }) => kind === 'blocked' && attempt > forgiven)) return outOfOrder(job, 1);
  if (spent.infra > role.caps.infra) return outOfOrder(job, spent.infra);
  const sleeps = failed.filter(({ kind, attempt }) => kind === 'limited' && attempt > forgiven);
  if (isTooLong(sleeps)) return outOfOrder(job, sleeps.length);
  const until = notBefore(failed, forgiven);
  return (until === null ? null : await sleepFirst(job, until)) ?? (await atTheAgent(job));
}

/** When the next attempt of a call may be made. Null: at once. "Try again" from a person ends the waiting. */
export function notBefore(failed: readonly FailedAttempt[], forgiven: number): Instant | null {
  const last = failed.at(-1);
  return last && last.attempt > forgiven ? (last.not_before ?? null) : null;
}

/**
 * The worker's own failures are counted together. Infrastructure faults do not use up its attempts and can be forgiven.
 */
function spentCaps(failed: readonly FailedAttempt[], forgiven: number): { tries: number; infra: number } {
  const infra = failed.filter(({ kind, attempt }) => kind === 'infrastructure' && attempt > forgiven).length;
  return { tries: failed.filter((attempt) => !isFault(attempt)).length, infra };
}

/** The failure was not caused by the worker. */
export function isFault({ kind }: FailedAttempt): boolean {
  return kind === 'infrastructure' || kind === 'limited' || kind === 'blocked';
}

function isTooLong(sleeps: readonly FailedAttempt[]): boolean {
  const [from, until] = [sleeps[0]?.at, sleeps.at(-1)?.not_before];
  if (from === undefined || until === undefined) return false;
  return sleeps.length > MOST_SLEEPS || Date.parse(until) - Date.parse(from) > LONGEST_SLEEP_MS;
}

async function sleepFirst(job: Job, until: Instant): Promise<EffectEnd | null> {
  const { deps, ctx, failed } = job;
  if (until <= deps.clock.now()) return null;
  reportAsleep(job, failed.at(-1)?.kind === 'limited' ? 'limited' : 'infrastructure', until);
  await deps.sleep(until, wakers(job));
  return woken(ctx);
}

/** Aborts when the step is stopped from outside, or when a parallel call needs a person. */
function wakers({ ctx }: Job): AbortSignal {
  return ctx.troubled ? AbortSignal.any([ctx.signal, ctx.troubled.signal]) : ctx.signal;
}

function woken({ signal, troubled }: Job['ctx']): EffectEnd | null {
  if (signal.aborted) return { kind: 'interrupted' };
  return troubled?.signal.aborted ? { kind: 'asleep' } : null;
}

async function atTheAgent(job: Job): Promise<Admitted | EffectEnd> {
  const { ctx, agent } = job;
  const over = woken(ctx);
  if (over) return over;
  const told = (until: Instant | null) => reportAsleep(job, 'breaker', until);
  const permit = ctx.breakers.ready(agent.name) ?? (await ctx.breakers.admit(agent.name, wakers(job), told));
  if (permit === null) return woken(ctx) ?? { kind: 'interrupted' };
  // Signs the unused permit, so that a caller waiting for the result of this probe is not blocked forever.
  const leave = () => permit.sign('unknown');
  try {
    const metered = await withMeans(job);
    if ('kind' in metered) leave();
    return 'kind' in metered ? metered : { kind: 'go', metered, permit, leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Checks the free space on disk and opens the meter, within the budget that parallel calls leave. */
async function withMeans(job: Job): Promise<Metered | EffectEnd> {
  const { ctx, effect, failed } = job;
  const free = await ctx.tree.freeBytes();
  if (free < DISK_FLOOR) return troubleAt(effect, 'disk', { free: Math.floor(free / 1e6) }, failed.length);
  const opened = await ctx.meter.open(effect);
  return 'scope' in opened ? budgetTrouble(job, opened, 'no') : opened;
}

/** Trouble that names the limit, its figures, and whether a worker was stopped in the middle of its work. */
export function budgetTrouble(
  { effect, failed }: Job,
  { kind, scope, used, limit }: Passed,
  stopped: 'yes' | 'no',
): EffectEnd {
  const figures = { used: amountText(kind, used), limit: amountText(kind, limit) };
  return troubleAt(effect, 'budget', { budget: kind, scope, ...figures, stopped }, failed.length);
}

/** How the process agent reports that a worker was silent for too long. */
const STALLED = /^no sign of life/;

/** Asks a person about an agent that cannot be run, is silent, takes no calls, or needs something from them. */
function outOfOrder({ effect, failed, agent }: Job, tries: number): EffectEnd {
  const last = failed.at(-1);
  const problem = last?.problems[0] ?? '';
  const stalled = STALLED.test(problem) ? 'stalled' : 'other';
  const cause = last?.kind === 'limited' || last?.kind === 'blocked' ? last.kind : stalled;
  const until = (last?.not_before ?? '').slice(0, 16).replace('T', ' ');
  const args = { tries, problem, cause, agent: agent.name, until, run: effect.run };
  return troubleAt(effect, 'infrastructure', args, failed.length);
}
