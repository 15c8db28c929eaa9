import type { FailedAttempt } from '../contract/change.ts';
import type { Instant } from '../contract/ids.ts';
import { amountText } from '../engine/budget.ts';
import type { Ticket } from './breakers.ts';
import { type EffectEnd, type Job, tellAsleep, troubleAt } from './job.ts';
import type { Metered, Passed } from './meter.ts';

/** Below this many free bytes no worker is started. */
const DISK_FLOOR = 64 * 1024 * 1024;
/** A provider that takes no calls is waited for this often and this long, for one call; then a person is asked. */
const MOST_SLEEPS = 50;
const LONGEST_SLEEP_MS = 24 * 60 * 60 * 1000;

/** The right to make the next attempt. `leave` gives it back; the agent's sign and the meter's end come before. */
export interface Admitted {
  readonly kind: 'go';
  readonly metered: Metered;
  readonly ticket: Ticket;
  readonly leave: () => void;
}

/**
 * What must be true before money is spent: caps left, the time come, an agent that may be called, room on disk, and
 * budget left. The sleep is the stored one: after a crash only the rest of it is slept.
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

/** When the next attempt of a call may be made; null: at once. A person who says "try again" ends the waiting. */
export function notBefore(failed: readonly FailedAttempt[], forgiven: number): Instant | null {
  const last = failed.at(-1);
  return last && last.attempt > forgiven ? (last.not_before ?? null) : null;
}

/** The worker's own failures count together; faults of the infrastructure never spend its tries and can be forgiven. */
function spentCaps(failed: readonly FailedAttempt[], forgiven: number): { tries: number; infra: number } {
  const infra = failed.filter(({ kind, attempt }) => kind === 'infrastructure' && attempt > forgiven).length;
  return { tries: failed.filter((attempt) => !isFault(attempt)).length, infra };
}

/** Not the worker's doing. */
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
  tellAsleep(job, failed.at(-1)?.kind === 'limited' ? 'limited' : 'infrastructure', until);
  await deps.sleep(until, wakers(job));
  return woken(ctx);
}

/** Stopped from outside, or a person is asked about a call beside this one. */
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
  const told = (until: Instant | null) => tellAsleep(job, 'breaker', until);
  const ticket = ctx.breakers.ready(agent.name) ?? (await ctx.breakers.admit(agent.name, wakers(job), told));
  if (ticket === null) return woken(ctx) ?? { kind: 'interrupted' };
  // A ticket not used: whoever waits for it as a probe must not wait for ever.
  const leave = () => ticket.sign('unknown');
  try {
    const metered = await withMeans(job);
    if ('kind' in metered) leave();
    return 'kind' in metered ? metered : { kind: 'go', metered, ticket, leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Room on disk, and a place within the budget that calls beside this one leave. */
async function withMeans(job: Job): Promise<Metered | EffectEnd> {
  const { ctx, effect, failed } = job;
  const free = await ctx.tree.freeBytes();
  if (free < DISK_FLOOR) return troubleAt(effect, 'disk', { free: Math.floor(free / 1e6) }, failed.length);
  const opened = await ctx.meter.open(effect);
  return 'scope' in opened ? budgetTrouble(job, opened, 'no') : opened;
}

/** Which limit, its figures, and whether a worker was stopped in the middle of it. */
export function budgetTrouble(
  { effect, failed }: Job,
  { kind, scope, used, limit }: Passed,
  stopped: 'yes' | 'no',
): EffectEnd {
  const figures = { used: amountText(kind, used), limit: amountText(kind, limit) };
  return troubleAt(effect, 'budget', { budget: kind, scope, ...figures, stopped }, failed.length);
}

/** How the process agent says that a worker was silent for too long. */
const STALLED = /^no sign of life/;

/** An agent that cannot be run, gives no sign of life, takes no calls, or wants something of the person: they are asked. */
function outOfOrder({ effect, failed, agent }: Job, tries: number): EffectEnd {
  const last = failed.at(-1);
  const problem = last?.problems[0] ?? '';
  const stalled = STALLED.test(problem) ? 'stalled' : 'other';
  const cause = last?.kind === 'limited' || last?.kind === 'blocked' ? last.kind : stalled;
  const until = (last?.not_before ?? '').slice(0, 16).replace('T', ' ');
  const args = { tries, problem, cause, agent: agent.name, until, run: effect.run };
  return troubleAt(effect, 'infrastructure', args, failed.length);
}
