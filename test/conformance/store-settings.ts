import { describe, expect, test } from 'vitest';
import { aGate, at, creating, ended, moving, T0 } from '../support/changes.ts';
import type { Fixture } from './store-fixture.ts';

const T1 = '2026-01-01T00:00:01.000Z';

/** Settings of the workspace, and what listings of tickets are made from. */
export function settingsAndTickets(f: Fixture): void {
  describe('settings', () => {
    const ann = { who: 'ann', surface: 'cli', at: T0 };

    test('have the value they were set to last, and every change stays on record', async () => {
      expect(await f.store.setting('trust')).toBeNull();
      const first = { name: 'trust', to: 'cautious', ...ann };
      expect(await f.store.changeSetting(first)).toEqual({ ...first, from: null });
      const second = { name: 'trust', to: 'balanced', who: 'bob', surface: 'web', at: T1 };
      expect(await f.store.changeSetting(second)).toEqual({ ...second, from: 'cautious' });
      await f.store.changeSetting({ name: 'mode', to: 'manual', ...ann });
      expect(await f.other.setting('trust')).toBe('balanced');
      expect(await f.other.settingChanges('trust')).toEqual([
        { ...first, from: null },
        { ...second, from: 'cautious' },
      ]);
      expect(await f.store.settingChanges('other')).toEqual([]);
    });

    test('set to what they are have not changed', async () => {
      await f.store.changeSetting({ name: 'trust', to: 'balanced', ...ann });
      expect(await f.store.changeSetting({ name: 'trust', to: 'balanced', ...ann, at: T1 })).toBeNull();
      expect(await f.store.settingChanges('trust')).toHaveLength(1);
    });
  });

  describe('states', () => {
    test('are those of one workflow, in the order they were made, with the time a gate was opened', async () => {
      const gate = aGate('B-2', 1, { opened_at: T1 });
      const conduct = { workflow: 'conduct' };
      await f.commit(
        creating('B-10', { ...conduct, parent: 'B-1', state: { phase: 'one', title: 'größer' } }),
        creating('B-2', { ...conduct, ...at(gate), updated_at: T1 }, { gate_opened: gate }),
        creating('sp-1'),
        creating('B-3', { ...conduct, ...ended('verified') }),
      );
      expect((await f.store.states('conduct')).map(({ id }) => id)).toEqual(['B-10', 'B-2', 'B-3']);
      expect((await f.store.states('conduct', { ended: true })).map(({ id }) => id)).toEqual(['B-3']);
      expect((await f.store.states('conduct', { limit: 2 })).map(({ id }) => id)).toEqual(['B-2', 'B-3']);
      expect(await f.store.states('conduct', { ended: false, limit: 1 })).toMatchObject([{ id: 'B-2' }]);
      const { state } = await f.load('B-2');
      expect(await f.store.states('conduct', { ended: false })).toEqual([
        {
          id: 'B-10',
          state: { phase: 'one', title: 'größer' },
          status: 'working',
          parent: 'B-1',
          created_at: T0,
          updated_at: T0,
          waiting_since: null,
        },
        {
          id: 'B-2',
          state,
          status: 'waiting',
          parent: null,
          created_at: T0,
          updated_at: T1,
          waiting_since: T1,
        },
      ]);
      const gate_closed = { id: gate.id, status: 'withdrawn', at: T1 } as const;
      const step = { kind: 'query', during: 'one', what: { what: 'listing', input: {} } } as const;
      await f.commit(moving(await f.load('B-2'), { status: 'working', step }, { gate_closed }));
      expect((await f.store.states('conduct', { ended: false }))[1]?.waiting_since).toBeNull();
      expect(await f.store.states('other')).toEqual([]);
    });
  });

  describe('the next number', () => {
    test('of a key is one more than the highest, whatever else begins like it', async () => {
      expect(await f.store.nextNumber('B')).toBe(1);
      await f.commit(creating('B-2'), creating('B-10'), creating('B-9'), creating('BB-40'), creating('A-7'));
      await f.commit(creating('B-99x'), creating('B.50'), creating('b-60'), creating('B-'));
      expect(await f.store.nextNumber('B')).toBe(11);
      expect(await f.store.nextNumber('BB')).toBe(41);
      expect(await f.store.nextNumber('C')).toBe(1);
    });

    test('is given to one of two who ask at once', async () => {
      const [one, two] = [await f.store.nextNumber('B'), await f.other.nextNumber('B')];
      expect(await f.commit(creating(`B-${one}`))).toEqual({ kind: 'committed' });
      expect(await f.other.commit([creating(`B-${two}`)])).toEqual({ kind: 'stale', run: 'B-1' });
    });
  });
}
