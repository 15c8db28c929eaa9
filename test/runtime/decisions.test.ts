import { describe, expect, test } from 'vitest';
import { DOMAINS, KNOWLEDGE_STATUSES, KNOWLEDGE_TYPES, SOURCE_TYPES } from '../../src/contract/knowledge.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { withTickets } from '../support/probe.ts';
import { translator } from '../support/texts.ts';

const labs = labsOfTest();
const open = () => labs.open({ wrap: withTickets() });

const NEW = { type: 'architecture', title: 'One SQLite file' };
const TICKET = { script: [{ do: 'gate', name: 'ask' }] };

const say = (refused: unknown) => {
  if (!isRejection(refused)) throw new Error(`not refused: ${JSON.stringify(refused)}`);
  return translator('en')(refused.message);
};

describe('CON-94 an entry of the ledger', () => {
  test.each([
    ['type', KNOWLEDGE_TYPES],
    ['status', KNOWLEDGE_STATUSES],
    ['source_type', SOURCE_TYPES],
  ])('has a %s of the list and no other', async (field, allowed) => {
    const { api } = await open();
    for (const value of allowed) {
      const entry = await api.recordDecision({ ...NEW, title: `${field} ${value}`, [field]: value });
      expect(entry).toMatchObject({ [field]: value });
    }
    for (const value of ['', 'x', String(allowed[0]).toUpperCase(), null, 3]) {
      const refused = await api.recordDecision({ ...NEW, title: 'Other', [field]: value });
      expect(refused).toMatchObject({ rejection: 'bad_input' });
      expect(say(refused)).toContain(allowed.join(', '));
    }
    expect(await api.decisions({})).toHaveLength(allowed.length);
  });

  test('has domains of the list and no other', async () => {
    const { api } = await open();
    expect(await api.recordDecision({ ...NEW, domains: [...DOMAINS] })).toMatchObject({
      domains: DOMAINS,
    });
    const refused = await api.recordDecision({ ...NEW, title: 'b', domains: ['data', 'law'] });
    expect(say(refused)).toContain(DOMAINS.join(', '));
  });

  test('is asserted unless it says otherwise, and knows where it came from and when to look again', async () => {
    const { api, deps } = await open();
    expect(await api.recordDecision(NEW)).toEqual({
      id: 'D-1',
      ...NEW,
      status: 'Asserted',
      body: '',
      domains: [],
      source_type: 'manual',
      source_activity: null,
      source_task_id: null,
      review_by: null,
      superseded_by: null,
      recorded_by: 'Tess Tester',
      recorded_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const more = { source_activity: 'defer', source_task_id: 'B-1', review_by: '2026-12-31' };
    await api.recordDecision({ ...NEW, title: 'More', ...more });
    expect(await deps.store.knowledgeEntry('D-2')).toMatchObject(more);
    for (const review_by of ['soon', '2026-02-30', '31.12.2026'])
      expect(await api.recordDecision({ ...NEW, title: 'x', review_by })).toMatchObject({
        rejection: 'bad_input',
      });
  });

  test('whose title is taken is an error that names the entry, and so is a blank one', async () => {
    const { api } = await open();
    await api.recordDecision(NEW);
    for (const title of ['One SQLite file', '  One SQLite file ', 'One \u202eSQLite file']) {
      const refused = await api.recordDecision({ ...NEW, title });
      expect(refused).toMatchObject({ rejection: 'title_taken', message: { args: { by: 'D-1' } } });
    }
    expect(await api.recordDecision({ ...NEW, title: '  ' })).toMatchObject({
      rejection: 'bad_input',
    });
    expect(await api.decisions({})).toHaveLength(1);
  });
});

describe('superseding', () => {
  /** D-1, on which B-1 rests at its gate and B-2 does not. */
  const prepare = async () => {
    const lab = await open();
    await lab.api.recordDecision({ ...NEW, status: 'Accepted' });
    for (const _ of [1, 2]) await (await lab.start('conduct', TICKET)).advance();
    await lab.api.linkDecision({ ticket: '1', id: 'D-1' });
    return lab;
  };

  test('takes two of the pair: an accepted successor, linked both ways, and the linked ticket is told', async () => {
    const { api, row, deps } = await prepare();
    const input = { id: 'D-1', type: 'business', title: 'Two files', body: 'grown', domains: ['data'] };
    const done = await api.supersedeDecision(input);
    expect(done).toMatchObject({
      entry: { status: 'Superseded', superseded_by: 'D-2' },
      successor: { ...input, id: 'D-2', status: 'Accepted', recorded_by: 'Tess Tester' },
      told: ['B-1'],
    });
    expect(await api.decision('D-2')).toMatchObject({ supersedes: ['D-1'], tickets: ['B-1'] });
    const value = { type: 'architecture', id: 'D-1', superseded_by: 'D-2' };
    expect((await row('B-1')).state).toMatchObject({ fact: value, nudges: 1 });
    expect((await row('B-1')).status).toBe('waiting');
    expect((await row('B-2')).state).toMatchObject({ fact: null, nudges: 0 });
    expect(await deps.store.pending()).toEqual([]);
  });

  test('takes none of the pair: it is retired without a successor', async () => {
    const { api, row } = await prepare();
    const done = await api.supersedeDecision({ id: 'D-1' });
    expect(done).toMatchObject({ entry: { status: 'Superseded', superseded_by: null }, successor: null });
    expect(await api.decisions({})).toHaveLength(1);
    const value = { type: 'architecture', id: 'D-1', superseded_by: null };
    expect((await row('B-1')).state).toMatchObject({ fact: value });
  });

  test.each([
    ['only a type', { id: 'D-1', type: 'business' }, 'bad_input'],
    ['only a title', { id: 'D-1', title: 'Two files' }, 'bad_input'],
    ['only a body', { id: 'D-1', body: 'why' }, 'bad_input'],
    ['only domains', { id: 'D-1', domains: ['data'] }, 'bad_input'],
    ['a title that is blank', { id: 'D-1', type: 'business', title: ' ' }, 'bad_input'],
    ['an unknown type', { id: 'D-1', type: 'law', title: 'Two files' }, 'bad_input'],
    ['a title that is taken', { id: 'D-1', type: 'business', title: 'One SQLite file' }, 'title_taken'],
    ['an unknown id', { id: 'D-9', type: 'business', title: 'Two files' }, 'no_such_decision'],
    ['an unknown id and half a pair', { id: 'D-9', title: 'Two files' }, 'bad_input'],
  ])('with %s is an error before anything is written', async (_what, input, rejection) => {
    const { api, row, deps } = await prepare();
    const before = [await api.decisions({}), await row('B-1')];
    expect(await api.supersedeDecision(input)).toMatchObject({ rejection });
    expect([await api.decisions({}), await row('B-1')]).toEqual(before);
    expect(await deps.store.pending()).toEqual([]);
  });

  test('half a pair is told by what was given, and a second time by what took its place', async () => {
    const { api } = await prepare();
    expect(say(await api.supersedeDecision({ id: 'D-1', type: 'business' }))).toBe(
      'Only type of a successor was given. Give type and title together, or nothing to retire the decision without one.',
    );
    await api.supersedeDecision({ id: 'D-1', type: 'business', title: 'Two files' });
    await api.supersedeDecision({ id: 'D-2' });
    expect(say(await api.supersedeDecision({ id: 'D-1' }))).toBe(
      'Decision D-1 is superseded already: D-2 took its place.',
    );
    expect(say(await api.supersedeDecision({ id: 'D-2' }))).toBe(
      'Decision D-2 is superseded already, without a successor.',
    );
  });
});

describe('links and queries', () => {
  test('a ticket is linked once, to an entry that exists', async () => {
    const { api, start } = await open();
    await start('conduct', TICKET);
    await api.recordDecision(NEW);
    for (const ticket of ['B-1', 'b-1'])
      expect(await api.linkDecision({ ticket, id: 'D-1' })).toMatchObject({ tickets: ['B-1'] });
    expect(await api.ticketDecisions('1')).toMatchObject([{ id: 'D-1' }]);
    expect(await api.linkDecision({ ticket: '1', id: 'D-9' })).toMatchObject({
      rejection: 'no_such_decision',
    });
    expect(await api.linkDecision({ ticket: '7', id: 'D-1' })).toMatchObject({ rejection: 'no_such_run' });
    expect(await api.ticketDecisions('x')).toMatchObject({ rejection: 'bad_ticket_id' });
  });

  test('a query that is not one is refused', async () => {
    const { api } = await open();
    for (const query of [
      { type: 'x' },
      { domains: ['x'] },
      { limit: 0 },
      { search: 'x'.repeat(501) },
      { q: 1 },
    ])
      expect(await api.decisions(query)).toMatchObject({ rejection: 'bad_input' });
    expect(await api.decision('D-1')).toMatchObject({ rejection: 'no_such_decision' });
  });
});
