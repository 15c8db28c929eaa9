import type { EffectId } from '../../contract/ids.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { AttemptSpend, SpendTotal } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';
import { effectKey } from './rows.ts';
import type { SyncStore } from './sync-store.ts';

const ADD = `insert or replace into spend (run, effect, attempt, money_usd, money_unknown, tokens, seconds)
  values (?, ?, ?, ?, ?, ?, ?)`;
const REMOVE = 'delete from spend where run = ? and effect = ? and attempt = ? returning seconds';
const KNOWN = 'select 1 from spend where run = ? and effect = ? and attempt = ?';
/** An attempt of a settled turn is never repeated, so its cost does not need a row that can be replaced. */
const COUNT = `update runs set money_usd = money_usd + ?, money_unknown = max(money_unknown, ?), tokens = tokens + ?,
  seconds = seconds + ?, attempts = attempts + 1 where key = ? and turn > ?`;
const SETTLED = 'select 1 from runs where id = ? and turn > ?';
const OF_EFFECT = `select coalesce(sum(money_usd), 0) as money_usd, coalesce(max(money_unknown), 0) as money_unknown,
  coalesce(sum(tokens), 0) as tokens, coalesce(sum(seconds), 0) as seconds, count(*) as attempts, 1 as rows
  from spend where run = ? and effect = ?`;
const ROW = `select money_usd, money_unknown, tokens, seconds, attempts,
  exists (select 1 from spend where run = ?1) as rows from runs where id = ?1`;
const TOTAL = `select r.money_usd + coalesce(sum(s.money_usd), 0) as money_usd,
  max(r.money_unknown, coalesce(max(s.money_unknown), 0)) as money_unknown,
  r.tokens + coalesce(sum(s.tokens), 0) as tokens, r.seconds + coalesce(sum(s.seconds), 0) as seconds,
  r.attempts + count(s.run) as attempts, 1 as rows
  from runs r join spend s on s.run = r.id where r.id = ? group by r.key`;
const NOTHING: Counted = {
  total: { money_usd: 0, money_unknown: false, tokens: 0, seconds: 0, attempts: 0 },
  rows: false,
};

/**
 * Cost of attempts. It is one row per attempt until the turn has settled, and is counted in the run's row after that.
 */
export interface Spend extends Pick<SyncStore, 'addSpend' | 'spend'> {
  /** Called when this process has created the run, which has no cost yet. */
  begin(run: string): void;
  /** Called when this process no longer works on the run: other processes may add cost now. */
  forget(run: string): void;
}

/** `rows`: some attempt has its own row, so its cost may be reported again. */
interface Counted {
  readonly total: SpendTotal;
  readonly rows: boolean;
}

/**
 * The total is read before every attempt. For a run that only this process works on, the rows are added up once. After
 * that the total is counted in memory, so reading it does not get slower as the run grows.
 */
export function createSpend(c: Connection, group: GroupCommit, isOurs: (run: string) => boolean): Spend {
  const counted = new Map<string, Counted>();
  const isLate = (run: string, effect: EffectId, spend: AttemptSpend | null) =>
    spend?.so_far === true && c.one(SETTLED, run, effectKey(effect).turn) !== undefined;
  const remove = (run: string, effect: EffectId, attempt: number) =>
    counted.get(run)?.rows === false ? undefined : c.one<{ seconds: number }>(REMOVE, run, effect, attempt);
  const store = (run: string, effect: EffectId, attempt: number, spend: AttemptSpend): void => {
    if (isLate(run, effect, spend)) return;
    const { money_usd, tokens } = spend;
    const money_unknown = spend.money_unknown ? 1 : 0;
    const known = counted.get(run);
    const before = remove(run, effect, attempt);
    const seconds = Math.max(spend.seconds, before?.seconds ?? 0);
    const { turn } = effectKey(effect);
    if (c.run(COUNT, money_usd, money_unknown, tokens, seconds, c.keyOf(run) ?? -1, turn) === 1) return;
    c.run(ADD, run, effect, attempt, money_usd, money_unknown, tokens, seconds);
    if (known) counted.set(run, { ...known, rows: true });
  };
  return {
    begin: (run) => {
      if (isOurs(run)) counted.set(run, NOTHING);
    },
    forget: (run) => {
      counted.delete(run);
    },
    // Stored with the result or failed attempt it belongs to. A crash before that repeats the attempt and its spend.
    addSpend: (run, effect, attempt, spend) => {
      if (spend) assertStorable(run, c.keyOf(run) !== undefined, spend);
      if (isLate(run, effect, spend)) return;
      const name = `${effect}.${attempt}`;
      const known = counted.get(run);
      const again = group.isJoined(name) || (known?.rows !== false && c.one(KNOWN, run, effect, attempt));
      if (again || spend === null) counted.delete(run);
      else if (known) counted.set(run, { ...known, total: plus(known.total, spend) });
      group.joinCommit({
        name,
        run,
        work: () => void (spend ? store(run, effect, attempt, spend) : remove(run, effect, attempt)),
      });
    },
    spend: (run, effect) => {
      if (effect !== undefined) {
        group.flushJoined(run);
        return totalOf(c.one<TotalRow>(OF_EFFECT, run, effect) as TotalRow);
      }
      const known = counted.get(run);
      if (known) return known.total;
      group.flushJoined(run);
      const found = addUp(c, run);
      if (isOurs(run)) counted.set(run, found);
      return found.total;
    },
  };
}

function assertStorable(run: string, exists: boolean, { money_usd, tokens, seconds }: AttemptSpend): void {
  const storable = Number.isFinite(money_usd) && Number.isSafeInteger(tokens) && Number.isFinite(seconds);
  if (storable && exists) return;
  throw new InvariantError(
    `${run}: spend of ${money_usd} USD, ${tokens} tokens, ${seconds} s cannot be stored`,
  );
}

function plus(total: SpendTotal, spend: AttemptSpend): SpendTotal {
  return {
    money_usd: total.money_usd + spend.money_usd,
    money_unknown: total.money_unknown || spend.money_unknown,
    tokens: total.tokens + spend.tokens,
    seconds: total.seconds + spend.seconds,
    attempts: total.attempts + 1,
  };
}

type TotalRow = Omit<SpendTotal, 'money_unknown'> & { readonly money_unknown: number; readonly rows: number };

/** Most runs have no attempt with its own row: their total is in the run's row alone. */
function addUp(c: Connection, run: string): Counted {
  const own = c.one<TotalRow>(ROW, run);
  const row = own?.rows === 1 ? c.one<TotalRow>(TOTAL, run) : own;
  return row ? { total: totalOf(row), rows: row.rows > 0 } : NOTHING;
}

function totalOf({ rows: _, money_unknown, ...sums }: TotalRow): SpendTotal {
  return { ...sums, money_unknown: money_unknown === 1 };
}
