import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { aNewDecision } from '../support/changes.ts';
import { gateOf, type Lab, type LabOptions } from '../support/lab.ts';
import { withTickets } from '../support/probe.ts';

const T0 = '2026-01-01T00:00:00.000Z';

const labs = labsOfTest();

const ticketLab = (options: LabOptions = {}) => labs.open({ wrap: withTickets(), ...options });

function otherLab(lab: Lab, change: (store: Store) => Partial<Store> = () => ({})): Promise<Lab> {
  return labs.other(
    lab,
    withTickets(({ store }) => ({ store: { ...store, ...change(store) } })),
  );
}

const ASK = { do: 'gate', name: 'ask' } as const;
const TICKET = { script: [ASK] };
const spawning = (...keys: string[]) =>
  keys.map((key) => ({ do: 'spawn', key, script: [ASK], workflow: 'conduct' }));

/** The first question for a number is answered only after somebody else has taken it. */
function overtaken(take: () => Promise<unknown>): (store: Store) => Partial<Store> {
  let asked = 0;
  return (store) => ({
    nextNumber: async (key) => {
      const number = await store.nextNumber(key);
      if (++asked === 1) await take();
      return number;
    },
  });
}

describe('tickets', () => {
  test('have the key of the project and the next number', async () => {
    const { start, row } = await ticketLab();
    const [one, two] = [await start('conduct', TICKET), await start('conduct', TICKET)];
    expect([one.run, two.run]).toEqual(['B-1', 'B-2']);
    expect((await row('B-2')).state).toMatchObject({ name: '2' });
    expect((await row('B-2')).policy.ticket_key).toBe('B');
  });

  test('take the key of baton.yaml', async () => {
    const { start, api, refused } = await ticketLab({ files: { 'baton.yaml': 'ticket_key: APP\n' } });
    expect((await start('conduct', TICKET)).run).toBe('APP-1');
    expect(await api.findTicket('app-1')).toBe('APP-1');
    expect(await api.findTicket('B-1')).toMatchObject({ rejection: 'bad_ticket_id' });
    expect(await refused('nothing', {})).toMatchObject({ rejection: 'unknown_workflow' });
  });

  test.each(['app', 'A-B', '1A', 'ABCDEFGHIJK', ''])('take no key like %j', async (key) => {
    const { deps } = await ticketLab({ files: { 'baton.yaml': `ticket_key: "${key}"\n` } });
    await expect(deps.policy()).rejects.toThrow(/ticket_key/);
  });

  test('made at the same time by two processes get different numbers', async () => {
    const lab = await ticketLab();
    const slow = await otherLab(
      lab,
      overtaken(() => lab.start('conduct', TICKET)),
    );
    expect((await slow.start('conduct', TICKET)).run).toBe('B-2');
    expect((await lab.api.list(true)).map(({ id }) => id)).toEqual(['B-2', 'B-1']);
    const both = [slow, lab, slow, lab].map((each) => each.start('conduct', TICKET));
    const ids = (await Promise.all(both)).map(({ run }) => run);
    expect(ids.sort()).toEqual(['B-3', 'B-4', 'B-5', 'B-6']);
  });

  test('of two real processes that make many at once are all made, each with a number of its own', async () => {
    const { root, home, api } = await ticketLab();
    const make = async () => {
      const script = fileURLToPath(new URL('../support/make-tickets.ts', import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, [script, root, home, '15']);
      return JSON.parse(stdout) as string[];
    };
    const [one, two] = await Promise.all([make(), make()]);
    const numbers = [...one, ...two].map((id) => Number(id.slice('B-'.length))).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
    expect(await api.list(true)).toHaveLength(30);
  });

  test('spawned by a ticket get the next free numbers in its own commit', async () => {
    const { start, row, api } = await ticketLab();
    const parent = await start('conduct', {
      script: [{ do: 'records', records: spawnRecords('first', 'second') }, { do: 'halt' }],
    });
    await parent.advance();
    expect((await api.list(true)).map(({ id, parent: of }) => [id, of])).toEqual([
      ['B-3', 'B-1'],
      ['B-2', 'B-1'],
      ['B-1', null],
    ]);
    expect((await row('B-2')).parent_key).toBe('first');
    expect((await row('B-3')).policy).toEqual((await row('B-1')).policy);
  });

  test('spawned while somebody else takes their numbers get the next ones, once', async () => {
    const lab = await ticketLab();
    const script = [...spawning('child'), { do: 'halt' }];
    const parent = await lab.start('conduct', { script });
    await parent.close();
    const slow = await otherLab(
      lab,
      overtaken(() => lab.start('conduct', TICKET)),
    );
    const drive = await slow.api.open({ run: 'B-1', attended: false });
    if (!('advance' in drive)) throw new Error('not opened');
    await drive.advance();
    expect((await lab.api.list(true)).map(({ id, parent: of }) => [id, of])).toEqual([
      ['B-3', 'B-1'],
      ['B-2', null],
      ['B-1', null],
    ]);
  });

  test('are found by number, key and number, or UUID, and nothing else is', async () => {
    const { start, api, row } = await ticketLab();
    await start('conduct', TICKET);
    const { run: probe } = await start('probe', TICKET);
    const uuid = String((await row('B-1')).state.uuid);
    for (const name of ['1', 'B-1', 'b-001', uuid, uuid.toUpperCase()])
      expect([name, await api.findTicket(name)]).toEqual([name, 'B-1']);
    for (const name of ['2', 'B-2', uuid.replace(/.$/, uuid.endsWith('0') ? '1' : '0')])
      expect(await api.findTicket(name)).toMatchObject({
        rejection: 'no_such_run',
        message: { args: { ticket: name } },
      });
    for (const name of ['0', probe])
      expect(await api.findTicket(name)).toMatchObject({ rejection: 'bad_ticket_id' });
  });
});

function spawnRecords(...keys: string[]) {
  const input = { script: [ASK] };
  return keys.map((key) => ({ kind: 'spawn', key, workflow: 'conduct', input: { ...input, name: key } }));
}

describe('a look at the ledger', () => {
  test('gives what a worker needs, best match first, and what the ticket rests on', async () => {
    const { start, deps, row } = await ticketLab();
    const long = `${'x'.repeat(1_999)}🚀`;
    await deps.store.recordKnowledge(aNewDecision({ title: 'Other', body: 'also sqlite' }), 'ann', T0);
    await deps.store.recordKnowledge(aNewDecision({ body: long, review_by: '2026-05-01' }), 'ann', T0);
    const query = { domains: ['engineering'], search: 'sqlite', ticket: 'B-1' };
    const drive = await start('conduct', {
      script: [
        { do: 'records', records: [{ kind: 'knowledge_link', id: 'D-1' }] },
        { do: 'knowledge', input: query },
        ASK,
      ],
    });
    await drive.advance();
    const entry = { type: 'architecture', status: 'Accepted', domains: ['engineering'] };
    expect((await row('B-1')).state.last).toEqual({
      entries: [
        { ...entry, id: 'D-2', title: 'One SQLite file', body: 'x'.repeat(1_999), review_by: '2026-05-01' },
        { ...entry, id: 'D-1', title: 'Other', body: 'also sqlite', review_by: null },
      ],
      linked: ['D-1'],
    });
  });

  test('without a ticket rests on nothing, and one that is not whole halts the run', async () => {
    const { start, row } = await ticketLab();
    const plain = await start('conduct', { script: [{ do: 'knowledge', input: { ticket: null } }, ASK] });
    await plain.advance();
    expect((await row('B-1')).state.last).toEqual({ entries: [], linked: [] });
    const wrong = await start('conduct', {
      script: [{ do: 'knowledge', input: { ticket: null, domain: 'data' } }, ASK],
    });
    expect((await wrong.advance()).halt?.kind).toBe('invariant');
  });
});

describe('a decision that a move supersedes', () => {
  test('reaches the other tickets that rest on it at once', async () => {
    const { start, deps, row } = await ticketLab();
    await deps.store.recordKnowledge(aNewDecision(), 'ann', T0);
    const link = { do: 'records', records: [{ kind: 'knowledge_link', id: 'D-1' }] };
    const status = { kind: 'knowledge_status', id: 'D-1', status: 'Superseded' };
    const resting = await start('conduct', { script: [link, ASK] });
    gateOf(await resting.advance());
    const moving = await start('conduct', { script: [link, { do: 'records', records: [status] }, ASK] });
    await moving.advance();
    expect((await row('B-1')).state).toMatchObject({
      nudges: 1,
      fact: { type: 'architecture', id: 'D-1', superseded_by: null },
    });
    expect((await row('B-2')).state).toMatchObject({ nudges: 0, fact: null });
    expect(await deps.store.pending()).toEqual([]);
  });
});
