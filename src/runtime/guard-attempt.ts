import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentCall, Usage } from '../ports/agent.ts';
import type { AttemptSpend } from '../ports/store.ts';
import type { Admitted } from './admit-attempt.ts';
import type { Job } from './job.ts';
import { storeFile } from './worker-tree.ts';

/** A worker that reports its last usage ends right after it. That end still counts. */
const GRACE_MS = 500;

/** Abort reason, created once, because a new error object for each abort costs as much as a write. */
const PASSED = new Error('a limit was passed');

interface Used {
  readonly usage: Usage | null;
  readonly seconds: number;
}

/** Stores what this start of an attempt has used. Overwrites the earlier record of this start. Null deletes it. */
export type Counted = (used: Used | null, so_far?: true) => Promise<void>;

/** Distance between the store numbers of two starts. One call can have this many attempts before numbers collide. */
const ATTEMPTS_AT_MOST = 1_000;

/**
 * The store number of this start. An interrupted attempt that is started again keeps its attempt number and is counted
 * in addition. A finished attempt that is only replayed overwrites its own record, so that it is counted once.
 */
export function startedAs({ deps, ctx, effect }: Job, call: AgentCall, start: number): Counted {
  const number = call.attempt + ATTEMPTS_AT_MOST * (start - 1);
  const { id } = ctx.run;
  return (used, so_far) =>
    deps.store.addSpend(id, effect.id, number, used && { ...spendOf(used), ...(so_far && { so_far }) });
}

function spendOf({ usage, seconds }: Used): AttemptSpend {
  return {
    money_usd: usage?.money_usd ?? 0,
    money_unknown: usage === null || usage.money_usd === null,
    tokens: usage?.tokens ?? 0,
    seconds,
  };
}

const startsFile = (call: AgentCall) => path.join(call.dir, 'starts');

/** How often earlier processes started this attempt. 1 if no number is stored. */
export function startsBefore(call: AgentCall): number {
  const file = startsFile(call);
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 1;
}

/** Only an attempt that was taken over can have earlier starts. Their number is then stored next to its stream. */
export async function startOf({ effect, failed, agent }: Job, call: AgentCall): Promise<number> {
  if (failed.length > effect.attempts.length) return 1;
  const last = startsBefore(call);
  if (await agent.isFinished(call)) return last;
  storeFile(startsFile(call), String(last + 1));
  return last + 1;
}

/** Watches one attempt: compares its use with the limits and stores it from time to time. */
export interface Guard {
  /** Aborted from outside, or because a limit was passed. */
  readonly signal: AbortSignal;
  use(usage: Usage): void;
  /** Null until the worker has reported a usage. */
  usage(): Usage | null;
  end(): void;
}

export function guardAttempt(
  { deps, ctx }: Job,
  { metered, counted }: Admitted & { readonly counted: Counted },
): Guard {
  const stop = new AbortController();
  // Not `AbortSignal.any`, which costs as much as a statement of the store.
  const outside = () => stop.abort(ctx.signal.reason);
  if (ctx.signal.aborted) outside();
  ctx.signal.addEventListener('abort', outside);
  let grace: NodeJS.Timeout | undefined;
  let told: Usage | null = null;
  metered.onPassed(() => {
    grace = setTimeout(() => stop.abort(PASSED), GRACE_MS);
  });
  const keep = () => {
    // An error here is ignored. If it persists, storing the final usage at the end reports it.
    counted({ usage: told, seconds: metered.seconds() }, true).catch(() => {});
  };
  const keeping = setInterval(keep, deps.store_spend_ms);
  return {
    signal: stop.signal,
    use: (usage) => {
      told = usage;
      metered.use(usage);
    },
    usage: () => told,
    end: () => {
      ctx.signal.removeEventListener('abort', outside);
      clearTimeout(grace);
      clearInterval(keeping);
    },
  };
}
