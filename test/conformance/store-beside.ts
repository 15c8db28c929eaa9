import { describe, expect, test } from 'vitest';
import type { DriveChange, FailedAttempt } from '../../src/ports/store.ts';
import { aDrive, anEffect, creating, HOLDER, moving, T0 } from '../support/changes.ts';
import type { Fixture } from './store-fixture.ts';

const T1 = '2026-01-01T00:00:01.000Z';
const T2 = '2026-01-01T00:00:02.000Z';

/** Effects, lease, heartbeat, drive and spend: written beside the run, none of them moving its revision. */
export function besideTheRun(f: Fixture): void {
  describe('effects', () => {
    test('come back in order with what was asked', async () => {
      const opened = [
        anEffect('sp-1', 1, 1, { role: null, nth: null, kind: 'check' }),
        anEffect('sp-1', 1, 0),
      ];
      await f.commit(creating('sp-1', {}, { opened }));
      expect(await f.store.effects('sp-1', 1)).toEqual([opened[1], opened[0]]);
      expect(await f.store.effects('sp-1', 2)).toEqual([]);
    });

    test('a kept result stays, moves no revision and is not written twice', async () => {
      await f.commit(creating('sp-1', {}, { opened: [anEffect('sp-1', 1, 0), anEffect('sp-1', 1, 1)] }));
      const before = await f.load('sp-1');
      await f.store.storeResult('sp-1/1/0', { text: 'done' }, T1);
      await f.store.storeResult('sp-1/1/0', { text: 'again' }, T2);
      const [first, second] = await f.store.effects('sp-1', 1);
      expect(first).toMatchObject({ result: { text: 'done' }, done_at: T1 });
      expect(second).toMatchObject({ result: null, done_at: null });
      expect(await f.load('sp-1')).toEqual(before);
    });

    test('of a turn that is over are gone, and what comes too late is not kept', async () => {
      await f.commit(creating('sp-1', {}, { opened: [anEffect('sp-1', 1, 0), anEffect('sp-1', 1, 1)] }));
      await f.store.storeResult('sp-1/1/0', 'kept', T1);
      await f.commit(moving(await f.load('sp-1'), { turn: 2 }, { opened: [anEffect('sp-1', 2, 0)] }));
      expect(await f.store.effects('sp-1', 1)).toEqual([]);
      const before = await f.load('sp-1');
      await f.store.storeResult('sp-1/1/1', 'too late', T2);
      await f.store.storeAttempt('sp-1/1/1', { attempt: 1, kind: 'silent', problems: [], text: null });
      expect(await f.load('sp-1')).toEqual(before);
      expect(await f.store.effects('sp-1', 2)).toEqual([anEffect('sp-1', 2, 0)]);
    });

    test('stay with their results while the turn stays', async () => {
      await f.commit(creating('sp-1', {}, { opened: [anEffect('sp-1', 1, 0), anEffect('sp-1', 1, 1)] }));
      await f.store.storeResult('sp-1/1/1', { text: 'done' }, T1);
      await f.commit(moving(await f.load('sp-1'), { status: 'halted', updated_at: T2 }));
      expect(await f.store.effects('sp-1', 1)).toMatchObject([
        { result: null, done_at: null },
        { result: { text: 'done' }, done_at: T1 },
      ]);
    });

    test('failed attempts add up, each number once', async () => {
      await f.commit(creating('sp-1', {}, { opened: [anEffect('sp-1', 1, 0)] }));
      const failed = (attempt: number, kind: FailedAttempt['kind']): FailedAttempt => ({
        attempt,
        kind,
        problems: ['"quoted"'],
        text: null,
      });
      await f.store.storeAttempt('sp-1/1/0', failed(1, 'silent'));
      await f.store.storeAttempt('sp-1/1/0', failed(2, 'invalid'));
      await f.store.storeAttempt('sp-1/1/0', failed(1, 'deadline'));
      const [effect] = await f.store.effects('sp-1', 1);
      expect(effect?.attempts).toEqual([failed(1, 'silent'), failed(2, 'invalid')]);
    });

    test('planned effects are started by the holder of the epoch only', async () => {
      const opened = [anEffect('sp-1', 1, 0, { started_at: null }), anEffect('sp-1', 1, 1)];
      await f.commit(creating('sp-1', {}, { opened }));
      const epoch = await f.store.takeLease('sp-1', 0, HOLDER, null);
      const started = async () => (await f.store.effects('sp-1', 1)).map((effect) => effect.started_at);
      expect(await f.store.recordStarted('sp-1', 1, 0, T1)).toBe(false);
      expect(await f.store.recordStarted('sp-1', 2, epoch ?? -1, T1)).toBe(false);
      expect(await started()).toEqual([null, T0]);
      expect(await f.store.recordStarted('sp-1', 1, epoch ?? -1, T1)).toBe(true);
      expect(await f.store.recordStarted('sp-1', 1, epoch ?? -1, T2)).toBe(true);
      expect(await started()).toEqual([T1, T0]);
    });
  });

  describe('the lease', () => {
    const drive = aDrive('sp-1');

    test('of two that reach for it one gets it', async () => {
      await f.commit(creating('sp-1'));
      const taken = await Promise.all([
        f.store.takeLease('sp-1', 0, HOLDER, drive),
        f.other.takeLease('sp-1', 0, { ...HOLDER, pid: 12 }, { ...drive, id: 'd2' }),
      ]);
      expect([...taken].sort()).toEqual([1, null]);
      const first = taken[0] === 1;
      expect(await f.load('sp-1')).toMatchObject({ epoch: 1, revision: 1, holder: { pid: first ? 11 : 12 } });
      expect(await f.store.drive('sp-1')).toEqual({ ...drive, id: first ? 'd1' : 'd2' });
      expect(await f.store.takeLease('sp-9', 0, HOLDER, null)).toBeNull();
    });

    test('whoever takes a run over without a drive of its own keeps the mode', async () => {
      await f.commit(creating('sp-1', {}, { drive: { kind: 'opened', drive: { ...drive, mode: 'auto' } } }));
      expect(await f.store.takeLease('sp-1', 0, HOLDER, null)).toBe(1);
      expect(await f.store.drive('sp-1')).toEqual({ ...drive, mode: 'auto' });
      expect(await f.store.takeLease('sp-1', 1, HOLDER, { ...drive, id: 'd2' })).toBe(2);
      expect(await f.store.drive('sp-1')).toEqual({ ...drive, id: 'd2' });
      expect(await f.store.drive('sp-2')).toBeUndefined();
    });

    test('a lease given back is free, and a row loaded before cannot bring its holder back', async () => {
      await f.commit(creating('sp-1', { holder: HOLDER }));
      const before = await f.load('sp-1');
      await f.store.releaseLease('sp-1', before.epoch);
      expect((await f.load('sp-1')).holder).toBeNull();
      expect(await f.other.commit([moving(before)])).toEqual({ kind: 'stale', run: 'sp-1' });
      expect((await f.load('sp-1')).holder).toBeNull();
    });

    test('giving back a lease that somebody else has by now changes nothing', async () => {
      await f.commit(creating('sp-1', { holder: HOLDER }));
      await f.other.takeLease('sp-1', 0, { ...HOLDER, pid: 12 }, null);
      const before = await f.load('sp-1');
      await f.store.releaseLease('sp-1', 0);
      expect(await f.load('sp-1')).toEqual(before);
      expect(await f.store.lastHeartbeat('sp-1')).not.toBeNull();
    });

    test('a heartbeat counts for the present epoch only and starts anew with a lease', async () => {
      await f.commit(creating('sp-1'));
      expect(await f.store.lastHeartbeat('sp-1')).toBeNull();
      await f.store.takeLease('sp-1', 0, HOLDER, null);
      expect(await f.store.lastHeartbeat('sp-1')).toBe('2026-02-02T00:00:00.000Z');
      const before = await f.load('sp-1');
      await f.store.heartbeat('sp-1', 1, '2026-02-02T00:00:05.000Z');
      await f.store.heartbeat('sp-1', 0, '2026-02-02T00:00:09.000Z');
      expect(await f.other.lastHeartbeat('sp-1')).toBe('2026-02-02T00:00:05.000Z');
      expect(await f.load('sp-1')).toEqual(before);
      await f.store.releaseLease('sp-1', 1);
      expect(await f.store.lastHeartbeat('sp-1')).toBeNull();
    });

    test('a lease taken in a commit has a heartbeat from then on', async () => {
      await f.commit(creating('sp-1', { holder: HOLDER, updated_at: T1 }), creating('sp-2'));
      expect(await f.store.lastHeartbeat('sp-1')).toBe(T1);
      await f.commit(moving(await f.load('sp-2'), { holder: HOLDER, epoch: 1, updated_at: T2 }));
      expect(await f.store.lastHeartbeat('sp-2')).toBe(T2);
    });
  });

  describe('the drive', () => {
    const drive = aDrive('sp-1', { mode: 'unattended', one_shot: true });
    const now = async () => f.other.drive('sp-1');
    const next = async (change: DriveChange, updated_at = T1) =>
      f.commit(moving(await f.load('sp-1'), { updated_at }, { drive: change }));

    test('its watch begins with a pause, is over when the run goes on, and it is closed once', async () => {
      await f.commit(creating('sp-1', {}, { drive: { kind: 'opened', drive } }), creating('sp-2'));
      await next({ kind: 'paused', until: T2 });
      expect(await now()).toEqual({ ...drive, until: T2 });
      await next({ kind: 'resumed' });
      expect(await now()).toEqual(drive);
      await next({ kind: 'closed' });
      expect(await now()).toEqual({ ...drive, closed_at: T1 });
      await next({ kind: 'paused', until: T2 });
      await next({ kind: 'closed' }, T2);
      expect(await now()).toEqual({ ...drive, closed_at: T1 });
      expect(await f.store.drive('sp-2')).toBeUndefined();
    });

    test('a new one takes the place of the one before, also within one lease, and is changed alone', async () => {
      await f.commit(creating('sp-1', {}, { drive: { kind: 'opened', drive } }));
      const second = aDrive('sp-1', { id: 'd2', denied: 'unattended', opened_at: T1 });
      await next({ kind: 'opened', drive: second });
      expect(await now()).toEqual(second);
      await next({ kind: 'paused', until: T2 });
      expect(await now()).toEqual({ ...second, until: T2 });
    });
  });

  describe('spend', () => {
    test('adds up over attempts, each counted once', async () => {
      await f.commit(creating('sp-1'), creating('sp-2'));
      const before = await f.load('sp-1');
      const known = { money_usd: 0.25, money_unknown: false, tokens: 100, seconds: 1.5 };
      await f.store.addSpend('sp-1', 'sp-1/1/0', 1, { ...known, tokens: 1 });
      await f.store.addSpend('sp-1', 'sp-1/1/0', 1, known);
      await f.store.addSpend('sp-1', 'sp-1/1/0', 2, { ...known, money_usd: 0, money_unknown: true });
      await f.store.addSpend('sp-2', 'sp-2/1/0', 1, known);
      const total = { money_usd: 0.25, money_unknown: true, tokens: 200, seconds: 3, attempts: 2 };
      expect(await f.store.spend('sp-1')).toEqual(total);
      expect(await f.store.spend('sp-2')).toEqual({ ...known, attempts: 1 });
      const none = { money_usd: 0, money_unknown: false, tokens: 0, seconds: 0, attempts: 0 };
      expect(await f.store.spend('sp-3')).toEqual(none);
      expect(await f.load('sp-1')).toEqual(before);
    });

    test('of one effect is what its attempts used, and seconds that were counted stay', async () => {
      await f.commit(creating('sp-1'));
      const used = { money_usd: 0.25, money_unknown: false, tokens: 100, seconds: 60 };
      await f.store.addSpend('sp-1', 'sp-1/1/0', 1, { ...used, so_far: true });
      expect(await f.store.spend('sp-1', 'sp-1/1/0')).toEqual({ ...used, attempts: 1 });
      // The same start told again by another process, which only reads its finished stream.
      await f.store.addSpend('sp-1', 'sp-1/1/0', 1, { ...used, tokens: 150, seconds: 0.1 });
      await f.store.addSpend('sp-1', 'sp-1/1/1', 1, used);
      expect(await f.store.spend('sp-1', 'sp-1/1/0')).toEqual({ ...used, tokens: 150, attempts: 1 });
      expect(await f.store.spend('sp-1')).toMatchObject({ tokens: 250, seconds: 120, attempts: 2 });
      expect(await f.store.spend('sp-1', 'sp-1/1/2')).toMatchObject({ tokens: 0, attempts: 0 });
    });

    test('that was kept so far is taken back as if it had never been: no attempt, no seconds', async () => {
      await f.commit(creating('sp-1'));
      const used = { money_usd: 0, money_unknown: true, tokens: 0, seconds: 40, so_far: true } as const;
      const other = { money_usd: 0.25, money_unknown: false, tokens: 100, seconds: 1 };
      await f.store.addSpend('sp-1', 'sp-1/1/0', 1, used);
      await f.store.addSpend('sp-1', 'sp-1/1/0', 1, null);
      await f.store.addSpend('sp-1', 'sp-1/1/0', 2, other);
      await f.store.addSpend('sp-1', 'sp-1/1/0', 3, null);
      expect(await f.store.spend('sp-1')).toEqual({ ...other, attempts: 1 });
      expect(await f.store.spend('sp-1', 'sp-1/1/0')).toEqual({ ...other, attempts: 1 });
      expect(await f.other.spend('sp-1')).toEqual({ ...other, attempts: 1 });
    });

    test('so far is taken up in the end, also where the run has moved on meanwhile', async () => {
      await f.commit(creating('sp-1'));
      const used = { money_usd: 0, money_unknown: false, tokens: 100, seconds: 1 };
      await f.store.addSpend('sp-1', 'sp-1/1/0', 1, { ...used, so_far: true });
      expect(await f.store.spend('sp-1')).toEqual({ ...used, attempts: 1 });
      const run = await f.load('sp-1');
      await f.commit(moving(run, { turn: run.turn + 1 }));
      await f.store.addSpend('sp-1', 'sp-1/1/0', 1, { ...used, tokens: 120, so_far: true });
      await f.store.addSpend('sp-1', 'sp-1/1/0', 1, { ...used, tokens: 130 });
      expect(await f.store.spend('sp-1')).toEqual({ ...used, tokens: 130, attempts: 1 });
      expect(await f.other.spend('sp-1')).toEqual({ ...used, tokens: 130, attempts: 1 });
    });
  });

  describe('the store itself', () => {
    test('shows another connection that something was written, and only that', async () => {
      const versions = [f.other.version()];
      await f.commit(creating('sp-1'));
      versions.push(f.other.version());
      await f.store.heartbeat('sp-1', 0, T0);
      versions.push(f.other.version());
      expect(new Set(versions).size).toBe(3);
      const still = f.other.version();
      await f.other.heartbeat('sp-1', 0, T0);
      expect(f.other.version()).toBe(still);
    });

    test('is sound after its writes, and closing twice is harmless', async () => {
      await f.commit(creating('sp-1', {}, { opened: [anEffect('sp-1', 1, 0)] }));
      expect(await f.store.integrity()).toEqual([]);
      f.store.close();
      f.store.close();
    });
  });
}
