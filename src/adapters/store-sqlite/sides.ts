import type { RunId } from '../../contract/ids.ts';
import type { Effect, Store } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { type ActiveDrives, openDrive } from './drive-rows.ts';
import { effectKey, effectsText, gateKey } from './rows.ts';

/** Writes that do not change the revision of the run. */
export type Sides = Pick<
  Store,
  'storeResult' | 'recordStarted' | 'storeAttempt' | 'storeDraft' | 'takeLease' | 'releaseLease' | 'heartbeat'
>;

const EFFECTS = 'select effects from runs where key = ? and turn = ? and effects is not null';
const STORE_EFFECTS = 'update runs set effects = ? where key = ?';
const STORE_ATTEMPT = `insert or ignore into attempts (run, turn, n, attempt, data)
  select key, turn, ?, ?, ? from runs where key = ? and turn = ?`;
const STORE_DRAFT = `insert into drafts (gate, draft) select key, ? from gates where key = ? and digest = ? and status = 'open'
  on conflict (gate) do update set draft = excluded.draft`;
const TAKE = `update runs set epoch = epoch + 1, holder_host = ?, holder_pid = ?, holder_start = ?, held_at = ?
  where id = ? and epoch = ?`;
/**
 * The epoch moves too: a row loaded before can no longer write its holder back. A run without a holder is left alone:
 * the commit that released it has moved the revision.
 */
const RELEASE = `update runs set epoch = epoch + 1, holder_host = null, holder_pid = null, holder_start = null
  where id = ? and epoch = ? and holder_host is not null`;
const HEARTBEAT = `insert into heartbeats (run, at) select id, ? from runs where id = ? and epoch = ?
  on conflict (run) do update set at = excluded.at`;

/** Writes with `GroupCommit.write` and fills in how many other drives are active. */
export type WriteFor = <T>(run: string | null, work: () => T) => Promise<T>;

export interface SideContext {
  readonly c: Connection;
  readonly now: () => string;
  readonly write: WriteFor;
  readonly drives: ActiveDrives;
}

export function createSides({ c, now, write, drives }: SideContext): Sides {
  return {
    storeResult: async (id, result, at) => {
      const { run, turn, n } = effectKey(id);
      const keep = (effect: Effect) =>
        effect.n === n && effect.done_at === null
          ? { ...effect, result: result ?? null, done_at: at }
          : effect;
      await write(run, () => changeEffects(c, run, turn, keep));
    },
    recordStarted: (run, turn, epoch, at) =>
      write(run, () => {
        const ours = c.one('select 1 from runs where id = ? and turn = ? and epoch = ?', run, turn, epoch);
        const start = (effect: Effect) => ({ ...effect, started_at: effect.started_at ?? at });
        if (ours) changeEffects(c, run, turn, start);
        return ours !== undefined;
      }),
    storeAttempt: async (id, attempt) => {
      const { run, turn, n } = effectKey(id);
      const data = JSON.stringify(attempt);
      await write(run, () => c.run(STORE_ATTEMPT, n, attempt.attempt, data, c.keyOf(run) ?? -1, turn));
    },
    storeDraft: (gate, digest, draft) =>
      write(null, () => c.run(STORE_DRAFT, JSON.stringify(draft), gateKey(c, gate) ?? -1, digest) === 1),
    takeLease: (run, expect, holder, drive) => {
      drives.left(run);
      return write(run, () => {
        if (c.run(TAKE, holder.host, holder.pid, holder.start, now(), run, expect) !== 1) return null;
        if (drive) openDrive(c, drive);
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
  };
}

/** Changes effects of the current turn. Effects of another turn are finished. */
function changeEffects(c: Connection, run: RunId, turn: number, change: (effect: Effect) => Effect): void {
  const key = c.keyOf(run) ?? -1;
  const row = c.one<{ effects: string }>(EFFECTS, key, turn);
  if (!row) return;
  const effects = JSON.parse(row.effects) as Effect[];
  c.run(STORE_EFFECTS, effectsText(effects.map(change)), key);
}
