import { describe, expect, test } from 'vitest';
import type { MoveRecord } from '../../src/contract/move.ts';
import { InvariantError } from '../../src/engine/errors.ts';
import type { StoredRecord } from '../../src/ports/store.ts';
import {
  aDrive,
  aGate,
  anEffect,
  anEvent,
  aRun,
  at,
  creating,
  ended,
  HOLDER,
  moving,
  T0,
} from '../support/changes.ts';
import type { Fixture } from './store-fixture.ts';

const COMMITTED = { kind: 'committed' };

/** Runs, their log, their records, their subjects and listings. */
export function commits(f: Fixture): void {
  describe('commit', () => {
    test('gives back exactly the run that was stored', async () => {
      const over = {
        subject: 'spec:x',
        parent: 'sp-0',
        parent_key: 'k',
        holder: HOLDER,
        epoch: 3,
        trouble: { kind: 'disk', gate: 'sp-1.g2', effect: 1, attempts: 2 },
        halt: { kind: 'stopped', why: 'because', by: 'ann' },
      } as const;
      expect(await f.commit(creating('sp-1', over))).toEqual(COMMITTED);
      expect(await f.other.load('sp-1')).toEqual(aRun('sp-1', over));
      expect(await f.store.load('sp-2')).toBeUndefined();
      expect(await f.store.commit([])).toEqual(COMMITTED);
    });

    test('overwrites every moving part of the row', async () => {
      await f.commit(creating('sp-1', { holder: HOLDER }));
      const next = aRun('sp-1', {
        version: 2,
        title: 'Other',
        lang: 'ko',
        subject: 's',
        status: 'halted',
        phase: 'two',
        turn: 2,
        step: { kind: 'wait', until: { kind: 'command', commands: ['reopen'], why: { msg: 'w' } } },
        counters: { gates: 4 },
        state: { phase: 'two', user_lang: 'ko' },
        revision: 2,
        seq: 2,
        epoch: 1,
        holder: { ...HOLDER, pid: 12 },
        updated_at: '2026-01-01T00:00:01.000Z',
      });
      expect(await f.commit(moving(await f.load('sp-1'), next))).toEqual(COMMITTED);
      expect(await f.load('sp-1')).toEqual(next);
    });

    test('of two commits at one revision exactly one wins, and only its effects exist', async () => {
      await f.commit(creating('sp-1'));
      const from = await f.load('sp-1');
      const by = (n: number) =>
        moving(from, { turn: 2, phase: `p${n}` }, { opened: [anEffect('sp-1', 2, n)] });
      const results = await Promise.all([f.store.commit([by(1)]), f.other.commit([by(2)])]);
      expect(results).toContainEqual(COMMITTED);
      expect(results).toContainEqual({ kind: 'stale', run: 'sp-1' });
      const winner = results[0]?.kind === 'committed' ? 1 : 2;
      expect((await f.store.effects('sp-1', 2)).map((effect) => effect.n)).toEqual([winner]);
      expect((await f.load('sp-1')).phase).toBe(`p${winner}`);
      expect(await f.store.events('sp-1', 0, 99)).toHaveLength(2);
    });

    test('a run is created once', async () => {
      await f.commit(creating('sp-1', { subject: 's' }));
      expect(await f.commit(creating('sp-1', { subject: 's', title: 'again' }))).toEqual({
        kind: 'stale',
        run: 'sp-1',
      });
      expect((await f.load('sp-1')).title).toBe('Title of sp-1');
      expect(await f.commit(moving(aRun('sp-9')))).toEqual({ kind: 'stale', run: 'sp-9' });
    });

    test('of several changes all are stored or none', async () => {
      await f.commit(creating('sp-1'), creating('sp-2'));
      const [one, two] = [await f.load('sp-1'), await f.load('sp-2')];
      await f.commit(moving(two));
      const gate = aGate('sp-1', 1);
      const parts = {
        opened: [anEffect('sp-1', 2, 0)],
        gate_opened: gate,
        records: [stored('sp-1', 2, 0, { kind: 'entry', name: 'note', data: 1 })],
        inbox_added: [item('m1', 'sp-2')],
        drive: { kind: 'opened', drive: aDrive('sp-1') } as const,
      };
      const result = await f.commit(moving(one, at(gate), parts), creating('sp-3'), moving(two));
      expect(result).toEqual({ kind: 'stale', run: 'sp-2' });
      expect(await f.load('sp-1')).toEqual(one);
      expect(await f.store.load('sp-3')).toBeUndefined();
      expect(await f.store.effects('sp-1', 2)).toEqual([]);
      expect(await f.store.openGates()).toEqual([]);
      expect(await f.store.records('sp-1')).toEqual([]);
      expect(await f.store.pending()).toEqual([]);
      expect(await f.store.drive('sp-1')).toBeUndefined();
      expect(await f.store.events('sp-1', 0, 99)).toHaveLength(1);
    });

    test('a throw in the middle leaves nothing behind', async () => {
      await f.commit(creating('sp-1'));
      const one = await f.load('sp-1');
      const closed = { id: 'sp-1.g9', status: 'answered', at: T0 } as const;
      const bad = moving(one, {}, { opened: [anEffect('sp-1', 1, 0)], gate_closed: closed });
      await expect(f.commit(bad)).rejects.toThrow(InvariantError);
      expect(await f.load('sp-1')).toEqual(one);
      expect(await f.store.effects('sp-1', 1)).toEqual([]);
      expect(await f.commit(moving(one))).toEqual(COMMITTED);
    });

    test('a stale epoch is fenced although the revision still fits', async () => {
      await f.commit(creating('sp-1', { holder: HOLDER }));
      const before = await f.load('sp-1');
      expect(await f.other.takeLease('sp-1', before.epoch, { ...HOLDER, pid: 12 }, null)).toBe(1);
      expect(await f.commit(moving(before))).toEqual({ kind: 'stale', run: 'sp-1' });
      const after = await f.load('sp-1');
      expect(after).toEqual({ ...before, epoch: 1, holder: { ...HOLDER, pid: 12 } });
      expect(await f.commit(moving(after))).toEqual(COMMITTED);
    });
  });

  describe('the log', () => {
    test('comes back in order, after a number and up to a limit', async () => {
      const two = [anEvent('sp-1', 1), anEvent('sp-1', 2, { type: 'step_started', by: 'ann', input: null })];
      await f.commit(creating('sp-1', { seq: 2 }, { events: two }));
      await f.commit(moving(await f.load('sp-1')));
      expect(await f.store.events('sp-1', 0, 2)).toEqual(two);
      expect(await f.store.events('sp-1', 1, 1)).toEqual(two.slice(1));
      expect(await f.store.events('sp-1', 1, 99)).toHaveLength(2);
      expect(await f.store.events('sp-1', 2, 99)).toEqual([anEvent('sp-1', 3)]);
    });

    test.each([
      ['a gap inside the change', { seq: 4 }, [anEvent('sp-1', 2), anEvent('sp-1', 4)]],
      ['a gap after the stored log', { seq: 3 }, [anEvent('sp-1', 3)]],
      ['a number that exists', { seq: 1 }, [anEvent('sp-1', 1)]],
      ['a row that counts further than the log', { seq: 3 }, [anEvent('sp-1', 2)]],
      ['an event of another run', { seq: 2 }, [anEvent('sp-2', 2)]],
      ['a revision that stands still', { revision: 1 }, [anEvent('sp-1', 2)]],
    ])('refuses %s', async (_what, over, events) => {
      await f.commit(creating('sp-1'), creating('sp-2'));
      const before = await f.load('sp-1');
      await expect(f.commit(moving(before, over, { events }))).rejects.toThrow(InvariantError);
      expect(await f.load('sp-1')).toEqual(before);
      expect(await f.store.events('sp-1', 0, 99)).toHaveLength(1);
    });

    test('a run begins with event 1', async () => {
      await expect(f.commit(creating('sp-1', { seq: 2 }, { events: [anEvent('sp-1', 2)] }))).rejects.toThrow(
        InvariantError,
      );
      expect(await f.store.load('sp-1')).toBeUndefined();
    });
  });

  describe('records', () => {
    test('are found by kind and by name, oldest first', async () => {
      const entry = (data: unknown): MoveRecord => ({ kind: 'entry', name: 'note', data });
      const decision: MoveRecord = { kind: 'decision', name: 'note', data: { a: [1] }, by_rule: 'AP-36' };
      const notice: MoveRecord = { kind: 'notice', level: 'info', text: { msg: 'n' } };
      const first = [stored('sp-1', 1, 0, entry('a')), stored('sp-1', 1, 1, decision)];
      const second = [stored('sp-1', 2, 0, notice), stored('sp-1', 2, 1, entry(null))];
      await f.commit(creating('sp-1', {}, { records: first }));
      await f.commit(moving(await f.load('sp-1'), {}, { records: second }));
      expect(await f.store.records('sp-1')).toEqual([...first, ...second]);
      expect(await f.store.records('sp-1', 'entry')).toEqual([first[0], second[1]]);
      expect(await f.store.records('sp-1', 'decision', 'note')).toEqual([first[1]]);
      expect(await f.store.records('sp-1', undefined, 'note')).toEqual([first[0], first[1], second[1]]);
      expect(await f.store.records('sp-1', 'artefact')).toEqual([]);
      expect(await f.store.records('sp-2')).toEqual([]);
    });
  });

  describe('subjects', () => {
    test('a subject has one live owner, and the second is told who', async () => {
      await f.commit(creating('sp-1', { subject: 'spec:x' }), creating('sp-2'));
      const taken = (run: string) => ({ kind: 'subject_taken', run, subject: 'spec:x', by: 'sp-1' });
      expect(await f.commit(moving(await f.load('sp-2'), { subject: 'spec:x' }))).toEqual(taken('sp-2'));
      expect(await f.commit(creating('sp-3', { subject: 'spec:x' }))).toEqual(taken('sp-3'));
      expect((await f.load('sp-2')).revision).toBe(1);
      expect(await f.store.load('sp-3')).toBeUndefined();
      expect(await f.store.owner('spec:x')).toBe('sp-1');
      expect((await f.store.owners()).map(({ id, subject }) => [id, subject])).toEqual([['sp-1', 'spec:x']]);
      expect(await f.commit(moving(await f.load('sp-1'), { phase: 'two' }))).toEqual(COMMITTED);
    });

    test('a subject is free again when its owner has ended', async () => {
      await f.commit(creating('sp-1', { subject: 'spec:x' }));
      await f.commit(moving(await f.load('sp-1'), ended('approved')));
      expect(await f.store.owner('spec:x')).toBeUndefined();
      expect(await f.store.owners()).toEqual([]);
      expect(await f.commit(creating('sp-2', { subject: 'spec:x' }))).toEqual(COMMITTED);
      expect(await f.store.owner('spec:x')).toBe('sp-2');
    });

    test('a subject given up and claimed in one commit goes over, in either order', async () => {
      await f.commit(creating('sp-1', { subject: 'x' }), creating('sp-2', { subject: 'y' }));
      const claims = [creating('sp-3', { subject: 'x' }), moving(await f.load('sp-1'), ended('superseded'))];
      expect(await f.commit(...claims)).toEqual(COMMITTED);
      const gives = [moving(await f.load('sp-2'), ended('superseded')), creating('sp-4', { subject: 'y' })];
      expect(await f.commit(...gives)).toEqual(COMMITTED);
      expect([await f.store.owner('x'), await f.store.owner('y')]).toEqual(['sp-3', 'sp-4']);
    });
  });

  describe('finding runs', () => {
    test('by the beginning of an id, ten at most', async () => {
      const ids = Array.from({ length: 12 }, (_, n) => `sp-a${String(n).padStart(2, '0')}`);
      await f.commit(creating('de-a'), creating('sp-b'), ...ids.map((id) => creating(id)));
      expect(await f.store.findRuns('sp-a')).toEqual(ids.slice(0, 10));
      expect(await f.store.findRuns('sp-b')).toEqual(['sp-b']);
      expect(await f.store.findRuns('%')).toEqual([]);
    });

    test('lists newest first by status, ended or not, with a limit', async () => {
      const gate = aGate('sp-2', 1);
      const created = (n: number) => ({ created_at: `2026-01-0${n}T00:00:00.000Z` });
      await f.commit(
        creating('sp-1', { ...created(1), parent: 'sp-2', parent_key: 'k' }),
        creating('sp-3', { ...created(3), ...ended('approved') }),
        creating('sp-2', { ...created(2), ...at(gate), holder: HOLDER }, { gate_opened: gate }),
      );
      const listed = async (filter: Parameters<typeof f.store.list>[0]) =>
        (await f.store.list(filter)).map(({ id }) => id);
      expect(await listed({})).toEqual(['sp-3', 'sp-2', 'sp-1']);
      expect(await listed({ ended: false })).toEqual(['sp-2', 'sp-1']);
      expect(await listed({ ended: true })).toEqual(['sp-3']);
      expect(await listed({ status: ['working', 'ended'] })).toEqual(['sp-3', 'sp-1']);
      expect(await listed({ ended: false, limit: 1 })).toEqual(['sp-2']);
      expect(await listed({ status: [] })).toEqual([]);
      expect(await listed({ parent: 'sp-2' })).toEqual(['sp-1']);
      expect(await listed({ parent: 'sp-2', ended: true })).toEqual([]);
      expect(await listed({ parent: 'sp-1', status: ['working'] })).toEqual([]);
    });

    test('a listing has what it needs of a run and no more', async () => {
      const gate = aGate('sp-2', 1);
      await f.commit(creating('sp-2', { ...at(gate), holder: HOLDER, subject: 's' }, { gate_opened: gate }));
      const { policy, counters, state, revision, seq, epoch, parent_key, version, ...listed } =
        await f.load('sp-2');
      expect(await f.store.list({})).toEqual([{ ...listed, gate: 'sp-2.g1' }]);
    });

    test('a listing names the gate of trouble before that of the step', async () => {
      const gate = aGate('sp-2', 1);
      const trouble = { kind: 'disk', gate: 'sp-2.g2', effect: 0, attempts: 0 } as const;
      await f.commit(creating('sp-2', { ...at(gate), trouble }), creating('sp-3', ended('x')));
      const gates = (await f.store.list({})).map((run) => [run.id, run.gate]);
      expect(Object.fromEntries(gates)).toEqual({ 'sp-2': 'sp-2.g2', 'sp-3': null });
    });
  });
}

function stored(run: string, seq: number, n: number, record: MoveRecord): StoredRecord {
  return { run, seq, n, record, at: T0 };
}

function item(id: string, run: string) {
  return { id, run, at: T0, signal: { type: 'fact', what: 'w', value: 1, at: T0 } } as const;
}
