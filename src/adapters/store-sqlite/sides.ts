import type { Connection } from './connection.ts';
import { effectKey } from './rows.ts';
import type { SyncStore } from './sync-store.ts';
import { writeBeat, writeDrive } from './write-parts.ts';

/** Writes beside the run: none of them moves its revision. */
export type Sides = Pick<
  SyncStore,
  | 'keepResult'
  | 'markStarted'
  | 'keepAttempt'
  | 'keepDraft'
  | 'takeLease'
  | 'releaseLease'
  | 'heartbeat'
  | 'addSpend'
  | 'telemetry'
>;

const KEEP_RESULT = `update effects set result = ?, done_at = ?
  where run = ? and turn = ? and n = ? and done_at is null`;
const MARK_STARTED = 'update effects set started_at = ? where run = ? and turn = ? and started_at is null';
const KEEP_ATTEMPT = `update effects set attempts = json_insert(attempts, '$[#]', json(?))
  where run = ?2 and turn = ?3 and n = ?4
    and not exists (select 1 from json_each(attempts) where json_extract(value, '$.attempt') = ?5)`;
const KEEP_DRAFT = `insert into drafts (gate, draft) select id, ? from gates where id = ? and digest = ? and status = 'open'
  on conflict (gate) do update set draft = excluded.draft`;
const TAKE = `update runs set epoch = epoch + 1, holder_host = ?, holder_pid = ?, holder_start = ?
  where id = ? and epoch = ?`;
const RELEASE = `update runs set epoch = epoch + 1, holder_host = null, holder_pid = null, holder_start = null
  where id = ? and epoch = ?`;
const HEARTBEAT = `insert into beats (run, at) select id, ? from runs where id = ? and epoch = ?
  on conflict (run) do update set at = excluded.at`;
const SPEND = `insert or replace into spend (run, effect, attempt, money_usd, money_unknown, tokens, seconds)
  values (?, ?, ?, ?, ?, ?, ?)`;

export function createSides(c: Connection, now: () => string): Sides {
  return {
    keepResult: (effect, result, at) => {
      const { run, turn, n } = effectKey(effect);
      c.run(KEEP_RESULT, JSON.stringify(result ?? null), at, run, turn, n);
    },
    markStarted: (run, turn, epoch, at) =>
      c.transaction(() => {
        const ours = c.one('select 1 from runs where id = ? and turn = ? and epoch = ?', run, turn, epoch);
        if (ours) c.run(MARK_STARTED, at, run, turn);
        return ours !== undefined;
      }),
    keepAttempt: (effect, attempt) => {
      const { run, turn, n } = effectKey(effect);
      c.run(KEEP_ATTEMPT, JSON.stringify(attempt), run, turn, n, attempt.attempt);
    },
    keepDraft: (gate, digest, draft) => c.run(KEEP_DRAFT, JSON.stringify(draft), gate, digest) === 1,
    takeLease: (run, expect, holder, drive) =>
      c.transaction(() => {
        if (c.run(TAKE, holder.host, holder.pid, holder.start, run, expect) !== 1) return null;
        if (drive) writeDrive(c, drive);
        writeBeat(c, run, now());
        return expect + 1;
      }),
    // The epoch moves here too: a row loaded before can no longer write its holder back.
    releaseLease: (run, epoch) =>
      c.transaction(() => {
        if (c.run(RELEASE, run, epoch) === 1) c.run('delete from beats where run = ?', run);
      }),
    heartbeat: (run, epoch, at) => {
      c.run(HEARTBEAT, at, run, epoch);
    },
    addSpend: (run, effect, attempt, { money_usd, money_unknown, tokens, seconds }) => {
      c.run(SPEND, run, effect, attempt, money_usd, money_unknown ? 1 : 0, tokens, seconds);
    },
    telemetry: (run, name, data, at) => {
      c.run(
        'insert into telemetry (run, name, at, data) values (?, ?, ?, ?)',
        run,
        name,
        at,
        JSON.stringify(data ?? null),
      );
    },
  };
}
