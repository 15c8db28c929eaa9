import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  KnowledgeQuery,
  type NewKnowledge,
  type StoredKnowledge,
  type Successor,
} from '../../src/contract/knowledge.ts';
import { InvariantError } from '../../src/engine/errors.ts';
import { aNewDecision, creating, ended, knowing, moving, T0 } from '../support/changes.ts';
import type { Fixture } from './store-fixture.ts';

const T1 = '2026-01-01T00:00:01.000Z';
const T2 = '2026-01-01T00:00:02.000Z';

/** Records of a move, in the order given. */
const linking = (id: string) => [{ kind: 'knowledge_link', id }] as const;
const making = (id: string, status: StoredKnowledge['status']) =>
  [{ kind: 'knowledge_status', id, status }] as const;
const stating = (id: string, over: Partial<NewKnowledge> = {}) =>
  [{ kind: 'knowledge', entry: { id, ...aNewDecision({ status: 'Asserted', ...over }) } }] as const;

/** Entries that moves of tickets write, people record and supersede, and anybody finds. */
export function knowledgeLedger(f: Fixture): void {
  const entry = async (id: string) => {
    const found = await f.store.knowledgeEntry(id);
    if (!found) throw new Error(`${id} is not in the ledger`);
    return found;
  };
  const record = async (over: Partial<NewKnowledge> = {}, at = T0) => {
    const recorded = await f.store.recordKnowledge(aNewDecision(over), 'ann', at);
    if (recorded.kind !== 'recorded') throw new Error(`refused: ${JSON.stringify(recorded)}`);
    return recorded.entry;
  };
  const find = async (over: Partial<KnowledgeQuery> = {}) =>
    (await f.store.knowledge({ ...KnowledgeQuery.parse({}), ...over })).map(({ id }) => id);

  describe('entries of a move', () => {
    test('come back whole, with who made the move and when', async () => {
      const over: Partial<NewKnowledge> = {
        type: 'deferral',
        status: 'Accepted',
        body: 'größer — 한국어',
        domains: ['data', 'process'],
        source_type: 'ticket',
        source_activity: 'defer',
        source_task_id: 'B-1',
        review_by: '2026-04-01',
      };
      await f.commit(creating('B-1', {}, knowing('B-1', 1, stating('B-1.d1', over))));
      expect(await f.other.knowledgeEntry('B-1.d1')).toEqual({
        id: 'B-1.d1',
        ...aNewDecision(over),
        superseded_by: null,
        recorded_by: 'engine',
        recorded_at: T0,
        updated_at: T0,
      });
      expect(await f.store.records('B-1', 'knowledge')).toHaveLength(1);
      expect(await f.store.knowledgeEntry('B-1.d2')).toBeUndefined();
    });

    test('are drafted anew in place while they are only asserted', async () => {
      await f.commit(creating('B-1', {}, knowing('B-1', 1, stating('B-1.d1', { title: 'Old zebra' }))));
      const again = stating('B-1.d1', { title: 'New lion', body: 'of the plains', status: 'Accepted' });
      await f.commit(moving(await f.load('B-1'), {}, knowing('B-1', 2, again, T1)));
      expect(await entry('B-1.d1')).toMatchObject({
        title: 'New lion',
        status: 'Accepted',
        recorded_at: T0,
        updated_at: T1,
      });
      expect(await find({ search: 'lion' })).toEqual(['B-1.d1']);
      expect(await find({ search: 'plains' })).toEqual(['B-1.d1']);
      expect(await find({ search: 'zebra' })).toEqual([]);
      expect(await find()).toEqual(['B-1.d1']);
    });

    test('that were accepted are not drafted anew, and nothing of such a move stays', async () => {
      await f.commit(creating('B-1', {}, knowing('B-1', 1, stating('B-1.d1', { status: 'Accepted' }))));
      const before = await f.load('B-1');
      const both = [...stating('B-1.d2', { title: 'Beside' }), ...stating('B-1.d1', { title: 'Anew' })];
      const bad = moving(before, {}, knowing('B-1', 2, both, T1));
      await expect(f.commit(bad)).rejects.toThrow(InvariantError);
      expect(await f.load('B-1')).toEqual(before);
      expect(await find()).toEqual(['B-1.d1']);
      expect(await find({ search: 'beside' })).toEqual([]);
      expect((await entry('B-1.d1')).title).toBe('One SQLite file');
    });

    test('with a title that is taken get their id behind it', async () => {
      await record({ title: 'Same' });
      await record({ title: 'Same (B-1.d1)' });
      await f.commit(creating('B-1', {}, knowing('B-1', 1, stating('B-1.d1', { title: 'Same' }))));
      expect((await entry('B-1.d1')).title).toBe('Same (B-1.d1 2)');
      const again = knowing('B-1', 2, stating('B-1.d1', { title: 'Same', body: 'anew' }), T1);
      await f.commit(moving(await f.load('B-1'), {}, again));
      expect(await entry('B-1.d1')).toMatchObject({ title: 'Same (B-1.d1 2)', body: 'anew' });
      const long = '가'.repeat(200);
      await record({ title: long });
      await f.commit(moving(await f.load('B-1'), {}, knowing('B-1', 3, stating('B-1.d2', { title: long }))));
      expect((await entry('B-1.d2')).title).toBe(`${'가'.repeat(191)} (B-1.d2)`);
    });

    test('of a commit that is refused leave no trace', async () => {
      await f.commit(creating('B-1'));
      const old = await f.load('B-1');
      await f.commit(moving(old));
      const late = moving(old, {}, knowing('B-1', 2, stating('B-1.d1')));
      expect(await f.commit(late)).toEqual({ kind: 'stale', run: 'B-1' });
      expect(await find()).toEqual([]);
      expect(await find({ search: 'SQLite' })).toEqual([]);
      expect((await record()).title).toBe('One SQLite file');
    });

    test.each([
      ['Accepted', 'Archived'],
      ['Superseded', 'Accepted'],
      ['Superseded', 'Archived'],
      ['Archived', 'Accepted'],
    ] as const)('CON-70 that are %s do not become %s by a move', async (from, to) => {
      await record({ status: from });
      await f.commit(creating('B-1', {}, knowing('B-1', 1, making('D-1', to), T1)));
      expect(await entry('D-1')).toMatchObject({ status: from, updated_at: T0 });
    });

    test('change their status, and only where there is one', async () => {
      await f.commit(creating('B-1', {}, knowing('B-1', 1, stating('B-1.d1'))));
      await f.commit(moving(await f.load('B-1'), {}, knowing('B-1', 2, making('B-1.d1', 'Accepted'), T1)));
      expect(await entry('B-1.d1')).toMatchObject({ status: 'Accepted', updated_at: T1, recorded_at: T0 });
      const unknown = moving(await f.load('B-1'), {}, knowing('B-1', 3, making('B-1.d9', 'Accepted')));
      await expect(f.commit(unknown)).rejects.toThrow(InvariantError);
      expect((await f.load('B-1')).seq).toBe(2);
    });

    test('a ticket rests on an entry once, however often it says so', async () => {
      const { id } = await record();
      await f.commit(creating('B-2', {}, knowing('B-2', 1, linking(id))), creating('B-10'));
      await f.commit(moving(await f.load('B-2'), {}, knowing('B-2', 2, linking(id))));
      await f.commit(moving(await f.load('B-10'), {}, knowing('B-10', 2, linking(id))));
      expect(await f.store.linkedTickets(id)).toEqual(['B-2', 'B-10']);
      expect((await f.store.ticketKnowledge('B-2')).map((found) => found.id)).toEqual([id]);
      expect(await f.store.ticketKnowledge('B-9')).toEqual([]);
      const nothing = moving(await f.load('B-2'), {}, knowing('B-2', 3, linking('D-9')));
      await expect(f.commit(nothing)).rejects.toThrow(InvariantError);
    });
  });

  describe('entries of a person', () => {
    test('are numbered one after the other, beside those of tickets', async () => {
      await f.commit(creating('D-8', {}, knowing('D-8', 1, stating('D-8.d5', { title: 'Of a ticket' }))));
      const first = await record({ title: 'First' });
      const second = await f.other.recordKnowledge(aNewDecision({ title: 'Second' }), 'bob', T1);
      expect([first.id, second.kind === 'recorded' && second.entry]).toEqual([
        'D-1',
        {
          id: 'D-2',
          ...aNewDecision({ title: 'Second' }),
          superseded_by: null,
          recorded_by: 'bob',
          recorded_at: T1,
          updated_at: T1,
        },
      ]);
    });

    test('with a title that is taken are refused with the entry that has it', async () => {
      await record({ title: 'Same' });
      const second = await f.store.recordKnowledge(aNewDecision({ title: 'Same' }), 'ann', T1);
      expect(second).toEqual({ kind: 'title_taken', by: 'D-1' });
      expect(await find()).toEqual(['D-1']);
    });

    test('are linked to a ticket that exists', async () => {
      const { id } = await record();
      await f.commit(creating('B-1'));
      expect(await f.store.linkKnowledge(id, 'B-1', 'ann', T1)).toBe(true);
      expect(await f.store.linkKnowledge(id, 'B-1', 'bob', T2)).toBe(true);
      expect(await f.store.linkKnowledge('D-9', 'B-1', 'ann', T1)).toBe(false);
      expect(await f.store.linkKnowledge(id, 'B-9', 'ann', T1)).toBe(false);
      expect(await f.store.linkedTickets(id)).toEqual(['B-1']);
    });
  });

  describe('superseding', () => {
    const successor: Successor = { type: 'business', title: 'Two files', body: 'why', domains: ['data'] };
    const item = (ticket: string, superseded_by: string | null) => ({
      id: `superseded:D-1>${ticket}`,
      run: ticket,
      at: T2,
      signal: {
        type: 'fact',
        what: 'superseded',
        value: { type: 'architecture', id: 'D-1', superseded_by },
        at: T2,
      },
    });

    /** D-1, on which B-1, B-2 and the ended B-3 rest; B-4 does not. */
    const prepare = async () => {
      await record();
      const linked = (id: string) => knowing(id, 1, linking('D-1'));
      await f.commit(creating('B-1', {}, linked('B-1')), creating('B-2', {}, linked('B-2')));
      await f.commit(creating('B-3', ended('verified'), linked('B-3')), creating('B-4'));
    };

    test('puts an accepted successor in its place and tells every live ticket that rests on it', async () => {
      await prepare();
      const done = await f.store.supersede({ id: 'D-1', successor, by: 'ann', at: T2 });
      const [old, now] = [await entry('D-1'), await entry('D-2')];
      expect(old).toMatchObject({ status: 'Superseded', superseded_by: 'D-2', updated_at: T2 });
      expect(now).toMatchObject({
        ...successor,
        status: 'Accepted',
        recorded_by: 'ann',
        superseded_by: null,
      });
      expect(done).toEqual({ kind: 'superseded', entry: old, successor: now, told: ['B-1', 'B-2'] });
      expect(await f.store.replacedBy('D-2')).toEqual(['D-1']);
      expect(await f.store.linkedTickets('D-2')).toEqual(['B-1', 'B-2', 'B-3']);
      expect(await f.other.pending()).toEqual([item('B-1', 'D-2'), item('B-2', 'D-2')]);
    });

    test('without a successor retires it', async () => {
      await prepare();
      const done = await f.store.supersede({ id: 'D-1', successor: null, by: 'ann', at: T2 });
      expect(done).toMatchObject({ kind: 'superseded', successor: null });
      expect(await entry('D-1')).toMatchObject({ status: 'Superseded', superseded_by: null });
      expect(await f.store.pending('B-1')).toEqual([item('B-1', null)]);
      expect(await find()).toEqual(['D-1']);
    });

    test('an unknown entry, a taken title or one superseded before changes nothing', async () => {
      await prepare();
      await record({ title: 'Two files' });
      const ask = { id: 'D-1', successor, by: 'ann', at: T1 };
      expect(await f.store.supersede({ ...ask, id: 'D-9' })).toEqual({ kind: 'unknown' });
      expect(await f.store.supersede(ask)).toEqual({ kind: 'title_taken', by: 'D-2' });
      expect(await entry('D-1')).toMatchObject({ status: 'Accepted', updated_at: T0 });
      expect(await f.store.pending()).toEqual([]);
      await f.store.supersede({ ...ask, successor: { ...successor, title: 'Three files' } });
      const again = await f.store.supersede({ ...ask, successor: null });
      expect(again).toEqual({ kind: 'superseded_before', by: 'D-3' });
      expect(await find()).toHaveLength(3);
    });

    test('by the move of a ticket tells the others that rest on it', async () => {
      await prepare();
      const move = knowing('B-1', 2, making('D-1', 'Superseded'), T2);
      await f.commit(moving(await f.load('B-1'), {}, move));
      expect(await f.store.pending()).toEqual([item('B-2', null)]);
      await f.commit(moving(await f.load('B-1'), {}, knowing('B-1', 3, making('D-1', 'Superseded'), T2)));
      expect(await f.store.pending()).toHaveLength(1);
    });
  });

  describe('a query', () => {
    test('gives what all its parts hold for, newest change first', async () => {
      await record({ title: 'a', type: 'business', domains: ['data'] });
      await record({ title: 'b', status: 'Asserted', domains: ['data', 'product'] }, T2);
      await record({ title: 'c', domains: [] }, T1);
      expect(await find()).toEqual(['D-2', 'D-3', 'D-1']);
      expect(await find({ limit: 2 })).toEqual(['D-2', 'D-3']);
      expect(await find({ type: 'business' })).toEqual(['D-1']);
      expect(await find({ status: 'Asserted' })).toEqual(['D-2']);
      expect(await find({ domains: ['product', 'data'] })).toEqual(['D-2', 'D-1']);
      expect(await find({ domains: ['product'], type: 'business' })).toEqual([]);
      expect(await find({ domains: ['operations'] })).toEqual([]);
    });

    test('searches title and body by words and their beginnings, best match first', async () => {
      await record({ title: 'Names of branches', body: 'No migration of anything.' });
      await record({ title: 'Migration of the store', body: 'Backfills run at night.' });
      await record({ title: '저장소를 옮긴다', body: 'Größe ist egal' });
      await record({ title: 'Aardvark', body: 'an animal' });
      expect(await find({ search: 'migrat' })).toEqual(['D-2', 'D-1']);
      expect(await find({ search: 'NIGHT, please!' })).toEqual(['D-2']);
      expect(await find({ search: '저장소' })).toEqual(['D-3']);
      expect(await find({ search: 'grosse größe' })).toEqual(['D-3']);
      expect(await find({ search: 'a' })).toEqual([]);
      expect(await find({ search: 'aa' })).toEqual([]);
      expect(await find({ search: 'an' })).toEqual(['D-4']);
      expect(await find({ search: 'igration' })).toEqual([]);
      expect(await find({ search: 'migration', status: 'Archived' })).toEqual([]);
      expect(await find({ search: 'migration', limit: 1 })).toEqual(['D-2']);
    });

    test.each([
      '',
      '   ',
      '"',
      '""',
      '*',
      '^',
      '(((',
      '"))) OR (',
      '-',
      '\0',
      '\ud800',
      '🚀',
      "'; --",
      '%_%',
      '" OR 1=1',
      'NEAR(, 5)',
      '{}:',
      '\u{1e900}',
    ])('without a word of the text finds nothing: %j', async (search) => {
      await record({ title: 'One two', body: 'three' });
      expect(await find({ search })).toEqual([]);
    });

    test.each([
      'title:sqlite',
      'sqlite AND',
      'sqlite" AND "x',
      'NOT sqlite',
      '-sqlite',
      '^sqlite',
      'NEAR(sqlite file, 1)',
      '{title} : sqlite',
      "sqlite'; drop table decisions; --",
      'sqlite\0file',
      '*sqlite*',
      '\ud800 sqlite \udfff',
    ])('with signs of a query language finds its words: %j', async (search) => {
      await record();
      expect(await find({ search })).toEqual(['D-1']);
    });

    test('may be long', async () => {
      await record();
      expect(await find({ search: `sqlite ${'word '.repeat(90)}` })).toEqual(['D-1']);
      expect(await find({ search: `${'('.repeat(490)}sqlite` })).toEqual(['D-1']);
      expect(await find({ search: '"'.repeat(500) })).toEqual([]);
    });

    test('takes whatever is typed', async () => {
      await record({ title: 'One two', body: 'three' });
      const typed = fc.string({ unit: 'binary', maxLength: 500 });
      await fc.assert(
        fc.asyncProperty(typed, async (search) => void (await find({ search }))),
        { numRuns: 200 },
      );
    });
  });
}
