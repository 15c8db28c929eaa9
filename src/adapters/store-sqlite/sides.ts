import type { Store } from '../../ports/store.ts';
import type { ActiveDrives } from './active-drives.ts';
import type { Connection } from './connection.ts';
import { effectKey } from './rows.ts';
import { writeDrive } from './write-parts.ts';

/** Writes beside the run: none of them moves its revision. */
export type Sides = Pick<
  Store,
  | 'keepResult'
  | 'markStarted'
  | 'keepAttempt'
  | 'keepDraft'
  | 'takeLease'
  | 'releaseLease'
  | 'heartbeat'
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
const TAKE = `update runs set epoch = epoch + 1, holder_host = ?, holder_pid = ?, holder_start = ?, held_at = ?
  where id = ? and epoch = ?`;
/**
 * The epoch moves too: a row loaded before can no longer write its holder back. A run that rests without a holder is
 * left alone: the commit that let it go has moved the revision.
 */
const RELEASE = `update runs set epoch = epoch + 1, holder_host = null, holder_pid = null, holder_start = null
  where id = ? and epoch = ? and holder_host is not null`;
const HEARTBEAT = `insert into beats (run, at) select id, ? from runs where id = ? and epoch = ?
  on conflict (run) do update set at = excluded.at`;
const TELEMETRY = 'insert into telemetry (run, name, at, data) values (?, ?, ?, ?)';

/** Joins the group of its run's drive; the same as `GroupCommit.write` with the active drives looked up. */
export type WriteFor = <T>(run: string | null, work: () => T) => Promise<T>;

export interface SideContext {
  readonly c: Connection;
  readonly now: () => string;
  readonly write: WriteFor;
  readonly drives: ActiveDrives;
}

export function createSides({ c, now, write, drives }: SideContext): Sides {
  return {
    keepResult: async (effect, result, at) => {
      const { run, turn, n } = effectKey(effect);
      await write(run, () => c.run(KEEP_RESULT, JSON.stringify(result ?? null), at, run, turn, n));
    },
    markStarted: (run, turn, epoch, at) =>
      write(run, () => {
        const ours = c.one('select 1 from runs where id = ? and turn = ? and epoch = ?', run, turn, epoch);
        if (ours) c.run(MARK_STARTED, at, run, turn);
        return ours !== undefined;
      }),
    keepAttempt: async (effect, attempt) => {
      const { run, turn, n } = effectKey(effect);
      await write(run, () => c.run(KEEP_ATTEMPT, JSON.stringify(attempt), run, turn, n, attempt.attempt));
    },
    keepDraft: (gate, digest, draft) =>
      write(null, () => c.run(KEEP_DRAFT, JSON.stringify(draft), gate, digest) === 1),
    takeLease: (run, expect, holder, drive) => {
      drives.left(run);
      return write(run, () => {
        if (c.run(TAKE, holder.host, holder.pid, holder.start, now(), run, expect) !== 1) return null;
        if (drive) writeDrive(c, drive);
        return expect + 1;
      });
    },
    releaseLease: async (run, epoch) => {
      drives.left(run);
      await write(run, () => c.run(RELEASE, run, epoch));
    },
    heartbeat: async (run, epoch, at) => {
      await write(run, () => c.run(HEARTBEAT, at, run, epoch));
    },
    telemetry: async (run, name, data, at) => {
      await write(run, () => c.run(TELEMETRY, run, name, at, JSON.stringify(data ?? null)));
    },
  };
}
