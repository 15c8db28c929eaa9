import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentCall, Usage } from '../ports/agent.ts';
import type { AttemptSpend } from '../ports/store.ts';
import type { Admitted } from './admit-attempt.ts';
import type { Job } from './job.ts';
import { keepFile } from './worker-tree.ts';

/** A worker that tells its last usage tells its end in the same breath; that end still counts. */
const GRACE_MS = 500;

/** Reason of an abort: made once, because a reason of its own for each costs as much as a write. */
const PASSED = new Error('a limit was passed');

interface Used {
  readonly usage: Usage | null;
  readonly seconds: number;
}

/** Stores what this start of an attempt has used; told again it takes the place of what was told before, null all of it. */
export type Counted = (used: Used | null, so_far?: true) => Promise<void>;

/** Starts of one attempt before its number in the store runs into that of another attempt. */
const ATTEMPTS_AT_MOST = 1_000;

/**
 * Under which number this start is counted. One that was interrupted is made again as the same attempt and counts
 * beside it; a finished one that is only played again takes its own place, so that it is counted once.
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

/** Only an attempt taken over can have been started before; then how often stands beside its stream. */
export async function startOf({ effect, failed, agent }: Job, call: AgentCall): Promise<number> {
  if (failed.length > effect.attempts.length) return 1;
  const file = path.join(call.dir, 'starts');
  const last = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 1;
  if (await agent.isFinished(call)) return last;
  keepFile(file, String(last + 1));
  return last + 1;
}

/** Watches one attempt: what it uses is compared with the limits and kept from time to time. */
export interface Guard {
  /** Aborted from outside, or by a limit that was passed. */
  readonly signal: AbortSignal;
  use(usage: Usage): void;
  /** Null as long as nothing was told. */
  usage(): Usage | null;
  end(): void;
}

export function guardAttempt(
  { deps, ctx }: Job,
  { metered, counted }: Admitted & { readonly counted: Counted },
): Guard {
  const stop = new AbortController();
  // Not `AbortSignal.any`: that costs as much as a statement of the store.
  const outside = () => stop.abort(ctx.signal.reason);
  if (ctx.signal.aborted) outside();
  ctx.signal.addEventListener('abort', outside);
  let grace: NodeJS.Timeout | undefined;
  let told: Usage | null = null;
  metered.onPassed(() => {
    grace = setTimeout(() => stop.abort(PASSED), GRACE_MS);
  });
  const keep = () => {
    // What fails here is told with the end: that one is stored with the result.
    counted({ usage: told, seconds: metered.seconds() }, true).catch(() => {});
  };
  const keeping = setInterval(keep, deps.keep_spend_ms);
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
