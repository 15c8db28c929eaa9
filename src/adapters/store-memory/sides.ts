import type { Run } from '../../contract/run.ts';
import type { Store } from '../../ports/store.ts';
import { changeDrive } from './drive-rows.ts';
import { copy, type Tables } from './tables.ts';

type Sides = Pick<
  Store,
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

/** Writes beside the run: none of them moves its revision. Each is one step of one thread, so nothing is undone. */
export function createSides(t: Tables, now: () => string, wrote: <T>(result: T) => T): Sides {
  const held = (run: string, epoch: number): Run | undefined => {
    const found = t.runs.get(run);
    return found?.epoch === epoch ? found : undefined;
  };
  return {
    keepResult: async (id, result, at) => {
      const effect = t.effects.get(id);
      if (effect?.done_at !== null) return;
      wrote(t.effects.set(id, { ...effect, result: copy(result ?? null), done_at: at }));
    },
    markStarted: async (run, turn, epoch, at) => {
      if (held(run, epoch)?.turn !== turn) return false;
      for (const effect of t.effects.values()) {
        const planned = effect.run === run && effect.turn === turn && effect.started_at === null;
        if (planned) t.effects.set(effect.id, { ...effect, started_at: at });
      }
      return wrote(true);
    },
    keepAttempt: async (id, attempt) => {
      const effect = t.effects.get(id);
      if (!effect || effect.attempts.some((known) => known.attempt === attempt.attempt)) return;
      wrote(t.effects.set(id, { ...effect, attempts: [...effect.attempts, copy(attempt)] }));
    },
    keepDraft: async (id, digest, draft) => {
      const gate = t.gates.get(id);
      if (gate?.status !== 'open' || gate.digest !== digest) return false;
      t.drafts.set(id, copy(draft));
      return wrote(true);
    },
    takeLease: async (id, expect, holder, drive) => {
      const run = held(id, expect);
      if (!run) return null;
      t.runs.set(id, { ...run, epoch: expect + 1, holder: copy(holder) });
      if (drive) t.drives.set(id, copy(changeDrive(t, id, { kind: 'opened', drive }, now())));
      t.beats.set(id, now());
      return wrote(expect + 1);
    },
    releaseLease: async (id, epoch) => {
      const run = held(id, epoch);
      if (!run) return;
      t.runs.set(id, { ...run, epoch: epoch + 1, holder: null });
      wrote(t.beats.delete(id));
    },
    heartbeat: async (id, epoch, at) => {
      if (held(id, epoch)) wrote(t.beats.set(id, at));
    },
    addSpend: async (run, effect, attempt, used) => {
      const key = `${effect}.${attempt}`;
      if (used === null) return void wrote(t.spend.delete(key));
      const { so_far, ...spend } = used;
      const settled = (t.runs.get(run)?.turn ?? 0) > Number(effect.split('/')[1]);
      if (so_far && settled) return;
      const seconds = Math.max(spend.seconds, t.spend.get(key)?.seconds ?? 0);
      wrote(t.spend.set(key, { ...spend, seconds, run }));
    },
    telemetry: async (run, name, data, at) => {
      wrote(t.telemetry.set(t.telemetry.size, { run, name, data: copy(data), at }));
    },
  };
}
