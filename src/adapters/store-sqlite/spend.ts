import { InvariantError } from '../../engine/errors.ts';
import type { SpendTotal } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';
import type { SyncStore } from './sync-store.ts';

const ADD = `insert or replace into spend (run, effect, attempt, money_usd, money_unknown, tokens, seconds)
  values (?, ?, ?, ?, ?, ?, ?)`;
const KNOWN = `select exists (select 1 from spend where run = ?1 and effect = ?2 and attempt = ?3) as known
  from runs where id = ?1`;
const TOTAL = `select coalesce(sum(money_usd), 0) as money_usd, coalesce(max(money_unknown), 0) as money_unknown,
  coalesce(sum(tokens), 0) as tokens, coalesce(sum(seconds), 0) as seconds, count(*) as attempts
  from spend where run = ?`;

/** What attempts have cost, one row per attempt. */
export interface Spend extends Pick<SyncStore, 'addSpend' | 'spend'> {
  /** This process no longer works on the run: others may spend on it now. */
  forget(run: string): void;
}

/**
 * The total is asked for before every attempt. For a run this process works on, which nobody else can spend on, it
 * is added up from the rows once and counted on from there, so that its price does not grow with the run.
 */
export function createSpend(c: Connection, group: GroupCommit, isOurs: (run: string) => boolean): Spend {
  const totals = new Map<string, SpendTotal>();
  return {
    forget: (run) => {
      totals.delete(run);
    },
    // Stored with the result or failed attempt it belongs to: a crash before that repeats the attempt and its spend.
    addSpend: (run, effect, attempt, spend) => {
      const found = c.one<{ known: number }>(KNOWN, run, effect, attempt);
      assertStorable(run, found !== undefined, spend);
      const { money_usd, money_unknown, tokens, seconds } = spend;
      const name = `${effect}.${attempt}`;
      const total = totals.get(run);
      if (found?.known === 1 || group.isRiding(name)) totals.delete(run);
      else if (total) totals.set(run, plus(total, spend));
      const row = [run, effect, attempt, money_usd, money_unknown ? 1 : 0, tokens, seconds] as const;
      group.ride({ name, work: () => c.run(ADD, ...row) });
    },
    spend: (run) => {
      const known = totals.get(run);
      if (known) return known;
      group.land();
      const total = addUp(c, run);
      if (isOurs(run)) totals.set(run, total);
      return total;
    },
  };
}

type Amount = Omit<SpendTotal, 'attempts'>;

function assertStorable(run: string, exists: boolean, { money_usd, tokens, seconds }: Amount): void {
  const counted = Number.isFinite(money_usd) && Number.isSafeInteger(tokens) && Number.isFinite(seconds);
  if (counted && exists) return;
  throw new InvariantError(
    `${run}: spend of ${money_usd} USD, ${tokens} tokens, ${seconds} s cannot be stored`,
  );
}

function plus(total: SpendTotal, spend: Amount): SpendTotal {
  return {
    money_usd: total.money_usd + spend.money_usd,
    money_unknown: total.money_unknown || spend.money_unknown,
    tokens: total.tokens + spend.tokens,
    seconds: total.seconds + spend.seconds,
    attempts: total.attempts + 1,
  };
}

function addUp(c: Connection, run: string): SpendTotal {
  const row = c.one<Omit<SpendTotal, 'money_unknown'> & { money_unknown: number }>(TOTAL, run);
  if (!row) throw new InvariantError('a sum without a row');
  return { ...row, money_unknown: row.money_unknown === 1 };
}
