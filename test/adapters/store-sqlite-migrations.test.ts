import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SCHEMA_STEPS } from '../../src/adapters/store-sqlite/migrations/table.ts';
import { openSqliteStore } from '../../src/adapters/store-sqlite/open.ts';
import { KnowledgeQuery } from '../../src/contract/knowledge.ts';
import type { Store } from '../../src/ports/store.ts';
import {
  aGate,
  aNewDecision,
  anAnswer,
  anEffect,
  anEvent,
  aRun,
  at,
  DIGEST,
  moving,
  T0,
} from '../support/changes.ts';

let dir: string;
let file: string;
let store: Store | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'baton-migrate-'));
  file = join(dir, 'baton.db');
});
afterEach(() => {
  store?.close();
  rmSync(dir, { recursive: true });
});

/** Rows by table, in the columns of that version. */
function insert(db: DatabaseSync, table: string, row: Record<string, unknown>): void {
  const columns = Object.keys(row);
  const values = Object.values(row).map((v) => (typeof v === 'object' && v !== null ? JSON.stringify(v) : v));
  db.prepare(
    `insert into ${table} (${columns.map((c) => `"${c}"`).join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  ).run(...(values as string[]));
}

const WAITING = aGate('sp-2', 1);
const ANSWERED = aGate('sp-1', 1, { status: 'answered', closed_at: T0 });
const WORKING = aRun('sp-1', { turn: 2, seq: 2, revision: 3, subject: 'spec:x' });
const PARKED = aRun('sp-2', at(WAITING));
const FAILED = { attempt: 1, kind: 'silent', problems: ['"nothing"'], text: null } as const;

/** What version 1 stored of two runs: one at work in its second turn, one that waits at a gate. */
async function version1(): Promise<void> {
  (await openSqliteStore({ file, now: () => T0, migrations: SCHEMA_STEPS.slice(0, 1) })).close();
  const db = new DatabaseSync(file);
  for (const { holder, ...run } of [WORKING, PARKED]) {
    insert(db, 'runs', { ...run, gate: run.id === 'sp-2' ? WAITING.id : null, held_at: T0 });
  }
  for (const { run, seq, type, turn, at: when, by, ...data } of [
    anEvent('sp-2', 1),
    anEvent('sp-1', 1),
    anEvent('sp-1', 2),
  ])
    insert(db, 'events', { run, seq, type, turn, at: when, by, data });
  for (const { id, attempts, ...effect } of [
    { ...anEffect('sp-1', 1, 0, { result: { a: 1 }, done_at: T0 }), attempts: [FAILED] },
    { ...anEffect('sp-1', 2, 0), attempts: [FAILED, { ...FAILED, attempt: 2 }] },
    { ...anEffect('sp-1', 2, 1, { result: { kept: true }, done_at: T0 }), attempts: [] },
  ])
    insert(db, 'effects', { ...effect, attempts: JSON.stringify(attempts) });
  for (const { title, brief, options, fields, artefacts, typed, ...gate } of [ANSWERED, WAITING])
    insert(db, 'gates', { ...gate, body: { title, brief, options, fields, artefacts, typed } });
  insert(db, 'answers', { ...anAnswer(ANSWERED) });
  insert(db, 'drafts', { gate: WAITING.id, draft: { q1: 'typed' } });
  for (const n of [1, 2])
    insert(db, 'drives', { run: 'sp-1', n, id: `d${n}`, mode: 'auto', opened_by: 'ann', opened_at: T0 });
  insert(db, 'decisions', { run: 'sp-1', seq: 1, n: 0, name: 'x', by_rule: null, at: T0, data: {} });
  insert(db, 'records', {
    run: 'sp-1',
    seq: 1,
    n: 0,
    kind: 'entry',
    name: 'x',
    at: T0,
    record: { kind: 'entry' },
  });
  const spend = { run: 'sp-1', money_usd: 0.5, money_unknown: 0, tokens: 10, seconds: 2 };
  for (const turn of [1, 2]) insert(db, 'spend', { ...spend, effect: `sp-1/${turn}/0`, attempt: 1 });
  db.close();
}

test('a file of version 1 is copied, then migrated with its runs intact', async () => {
  await version1();
  store = await openSqliteStore({ file, now: () => T0 });
  expect(readdirSync(dir).filter((name) => name.endsWith('.bak'))).toEqual([
    'baton.db.v1-20260101T000000000Z.bak',
  ]);
  expect(await store.integrity()).toEqual([]);
  expect(await store.load('sp-1')).toEqual(WORKING);
  expect(await store.load('sp-2')).toEqual(PARKED);
  expect(await store.events('sp-1', 0, 9)).toEqual([anEvent('sp-1', 1), anEvent('sp-1', 2)]);
  expect(await store.events('sp-2', 0, 9)).toEqual([anEvent('sp-2', 1)]);
  expect(await store.effects('sp-1', 2)).toEqual([
    anEffect('sp-1', 2, 0, { attempts: [FAILED, { ...FAILED, attempt: 2 }] }),
    anEffect('sp-1', 2, 1, { result: { kept: true }, done_at: T0 }),
  ]);
  expect(await store.effects('sp-2', 1)).toEqual([]);
  expect(await store.gate(ANSWERED.id)).toEqual(ANSWERED);
  expect(await store.openGates()).toEqual([WAITING]);
  expect(await store.answers('sp-1')).toEqual([anAnswer(ANSWERED)]);
  expect(await store.draft(WAITING.id)).toEqual({ q1: 'typed' });
  expect(await store.drive('sp-1')).toMatchObject({ id: 'd2', mode: 'auto' });
  expect(await store.records('sp-1')).toHaveLength(1);
  expect(await store.knowledge(KnowledgeQuery.parse({}))).toEqual([]);
  expect(await store.recordKnowledge(aNewDecision(), 'ann', T0)).toMatchObject({ entry: { id: 'D-1' } });
  expect(await store.linkKnowledge('D-1', 'sp-2', 'ann', T0)).toBe(true);
  expect(await store.spend('sp-1')).toEqual({
    money_usd: 1,
    money_unknown: false,
    tokens: 20,
    seconds: 4,
    attempts: 2,
  });
});

test('a migrated run goes on: the next commit, the same attempt counted once, the open gate answered', async () => {
  await version1();
  store = await openSqliteStore({ file, now: () => T0 });
  const costs = { money_usd: 0.25, money_unknown: false, tokens: 1, seconds: 1 };
  await store.addSpend('sp-1', 'sp-1/2/0', 1, costs);
  const next = moving(WORKING, { turn: 3 }, { opened: [anEffect('sp-1', 3, 0)] });
  expect(await store.commit([next])).toEqual({ kind: 'committed' });
  expect(await store.effects('sp-1', 3)).toEqual([anEffect('sp-1', 3, 0)]);
  expect(await store.spend('sp-1')).toMatchObject({ money_usd: 0.75, tokens: 11, attempts: 2 });
  const gate_closed = { id: WAITING.id, status: 'answered', at: T0 } as const;
  const answer = anAnswer(WAITING, { digest: DIGEST });
  expect(await store.commit([moving(PARKED, {}, { gate_closed, answer })])).toEqual({ kind: 'committed' });
  expect(await store.openGates()).toEqual([]);
  expect(await store.draft(WAITING.id)).toEqual({});
  expect(await store.integrity()).toEqual([]);
});
