import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SCHEMA_STEPS, type SchemaStep } from '../../src/adapters/store-sqlite/migrations/table.ts';
import { openSqliteStore } from '../../src/adapters/store-sqlite/open.ts';
import { KnowledgeQuery } from '../../src/contract/knowledge.ts';
import { AdapterError } from '../../src/engine/errors.ts';
import type { Store } from '../../src/ports/store.ts';
import {
  aDrive,
  aGate,
  aNewDecision,
  anAnswer,
  anEffect,
  anEvent,
  aRun,
  at,
  creating,
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

/** The next schema: the table of runs, which other tables refer to, is made anew with one more column. */
const NEXT = (SCHEMA_STEPS.at(-1)?.version ?? 0) + 1;
function rebuilding(rows: string): readonly SchemaStep[] {
  const [sql = '', table = '', indexes = ''] =
    /(create table runs \([^;]*;\n)((?:create [a-z ]*index runs_[^;]*;\n)+)/.exec(
      SCHEMA_STEPS[0]?.sql ?? '',
    ) ?? [];
  expect(sql).not.toBe('');
  const made = table
    .replace('create table runs (', 'create table runs_2 (')
    .replace('  state text not null\n', "  state text not null,\n  colour text not null default 'red'\n");
  const moved = `insert into runs_2 select *, 'blue' from runs ${rows}`;
  const step = `${made}${moved};\ndrop table runs;\nalter table runs_2 rename to runs;\n${indexes}`;
  return [...SCHEMA_STEPS, { version: NEXT, sql: step }];
}

const WAITING = aGate('sp-2', 1);
const ANSWERED = aGate('sp-1', 1, { status: 'answered', closed_at: T0 });
const WORKING = aRun('sp-1', { turn: 2, seq: 2, revision: 2, subject: 'spec:x' });
const PARKED = aRun('sp-2', at(WAITING));
const FAILED = { attempt: 1, kind: 'silent', problems: ['"nothing"'], text: null } as const;
const SPEND = { money_usd: 0.5, money_unknown: false, tokens: 10, seconds: 2 };

/** What the present version stores of two runs: one at work in its second turn, one that waits at a gate. */
async function presentVersion(): Promise<void> {
  const old = await openSqliteStore({ file, now: () => T0 });
  const gate_opened = { ...ANSWERED, status: 'open', closed_at: null } as const;
  const first = creating('sp-1', { subject: 'spec:x' }, { opened: [anEffect('sp-1', 1, 0)], gate_opened });
  await old.commit([first, creating('sp-2', at(WAITING), { gate_opened: WAITING })]);
  await old.addSpend('sp-1', 'sp-1/1/0', 1, SPEND);
  const gate_closed = { id: ANSWERED.id, status: 'answered', at: T0 } as const;
  const drive = { kind: 'opened', drive: aDrive('sp-1') } as const;
  const record = {
    run: 'sp-1',
    seq: 2,
    n: 0,
    at: T0,
    record: { kind: 'entry', name: 'x', data: {} },
  } as never;
  const opened = [anEffect('sp-1', 2, 0), anEffect('sp-1', 2, 1)];
  const parts = { opened, gate_closed, answer: anAnswer(ANSWERED), drive, records: [record] };
  await old.commit([moving(first.run, { turn: 2 }, parts)]);
  for (const attempt of [1, 2]) await old.storeAttempt('sp-1/2/0', { ...FAILED, attempt });
  await old.storeResult('sp-1/2/1', { kept: true }, T0);
  await old.addSpend('sp-1', 'sp-1/2/0', 1, SPEND);
  await old.storeDraft(WAITING.id, WAITING.digest, { q1: 'typed' });
  await old.recordKnowledge(aNewDecision(), 'ann', T0);
  await old.linkKnowledge('D-1', 'sp-1', 'ann', T0);
  old.close();
}

test('an older file is copied, then migrated with its runs intact', async () => {
  await presentVersion();
  store = await openSqliteStore({ file, now: () => T0, migrations: rebuilding('') });
  expect(readdirSync(dir).filter((name) => name.endsWith('.bak'))).toEqual([
    `baton.db.v${NEXT - 1}-20260101T000000000Z.bak`,
  ]);
  expect(await store.integrity()).toEqual([]);
  expect(await store.load('sp-1')).toEqual(WORKING);
  expect(await store.load('sp-2')).toEqual(PARKED);
  expect(await store.events('sp-1', 0, 9)).toMatchObject([{ seq: 1 }, { seq: 2 }]);
  expect(await store.events('sp-2', 0, 9)).toEqual([anEvent('sp-2', 1, { type: 'run_created' })]);
  expect(await store.effects('sp-1', 2)).toMatchObject([
    { attempts: [FAILED, { ...FAILED, attempt: 2 }] },
    { result: { kept: true }, done_at: T0 },
  ]);
  expect(await store.gate(ANSWERED.id)).toEqual(ANSWERED);
  expect(await store.openGates()).toEqual([WAITING]);
  expect(await store.answers('sp-1')).toEqual([anAnswer(ANSWERED)]);
  expect(await store.draft(WAITING.id)).toEqual({ q1: 'typed' });
  expect(await store.drive('sp-1')).toEqual(aDrive('sp-1'));
  expect(await store.records('sp-1')).toHaveLength(1);
  expect(await store.knowledge(KnowledgeQuery.parse({}))).toMatchObject([{ id: 'D-1' }]);
  expect(await store.linkKnowledge('D-1', 'sp-2', 'ann', T0)).toBe(true);
  expect(await store.spend('sp-1')).toEqual({ ...SPEND, money_usd: 1, tokens: 20, seconds: 4, attempts: 2 });
});

test('a migrated run goes on: the next commit, the same attempt counted once, the open gate answered', async () => {
  await presentVersion();
  store = await openSqliteStore({ file, now: () => T0, migrations: rebuilding('') });
  await store.addSpend('sp-1', 'sp-1/2/0', 1, { ...SPEND, money_usd: 0.25, tokens: 1 });
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

test('a migration that leaves rows without what they refer to changes nothing', async () => {
  await presentVersion();
  const before = readFileSync(file);
  const failed = openSqliteStore({ file, now: () => T0, migrations: rebuilding("where id <> 'sp-1'") });
  await expect(failed).rejects.toThrow(AdapterError);
  expect(readFileSync(file).equals(before)).toBe(true);
  store = await openSqliteStore({ file, now: () => T0 });
  expect(await store.load('sp-1')).toEqual(WORKING);
});
