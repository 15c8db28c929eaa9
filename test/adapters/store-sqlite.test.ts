import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect, useWal } from '../../src/adapters/store-sqlite/connection.ts';
import { SCHEMA_STEPS } from '../../src/adapters/store-sqlite/migrations/table.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../../src/adapters/store-sqlite/open.ts';
import { toStoreError } from '../../src/adapters/store-sqlite/store-errors.ts';
import { KnowledgeQuery, type Successor } from '../../src/contract/knowledge.ts';
import { AdapterError, InvariantError } from '../../src/engine/errors.ts';
import type { Store } from '../../src/ports/store.ts';
import { aNewDecision, aRun, creating, moving, T0 } from '../support/changes.ts';

const NEWEST = SCHEMA_STEPS.at(-1)?.version ?? 0;

let dir: string;
let file: string;
let opened: Store[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'baton-sqlite-'));
  file = join(dir, 'state', 'baton.db');
  opened = [];
});
afterEach(() => {
  for (const store of opened) store.close();
  rmSync(dir, { recursive: true });
});

async function open(over: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const store = await openSqliteStore({ file, now: () => T0, ...over });
  opened.push(store);
  return store;
}

/** A stored file with some runs in it, closed, so that all of it is in the one file. */
async function filled(): Promise<void> {
  const store = await open();
  for (let n = 0; n < 40; n++)
    await store.commit([creating(`sp-${n}`, { state: { phase: 'one', big: 'x'.repeat(4000) } })]);
  store.close();
}

async function failure(work: Promise<unknown>): Promise<AdapterError['failure']> {
  const error = await work.then(
    () => new Error('nothing was thrown'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AdapterError) return error.failure;
  throw error;
}

function pragma(name: string): unknown {
  const db = new DatabaseSync(file);
  const [value] = Object.values(db.prepare(`pragma ${name}`).get() ?? {});
  db.close();
  return value;
}

describe('a new store', () => {
  test('is only for its owner to read and is never seen half made', async () => {
    await open();
    expect(statSync(join(dir, 'state')).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(join(dir, 'state'))) {
      expect([name, statSync(join(dir, 'state', name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect(readdirSync(join(dir, 'state')).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  test('is cleared of what processes that are gone were building, and of nothing else', async () => {
    const state = join(dir, 'state');
    (await open()).close();
    const gone = spawnSync(process.execPath, ['--version']).pid;
    const left = ['.new', '.new-wal', '.new-shm', '.new-journal'].map((end) => `baton.db.${gone}-3x${end}`);
    const copy = `baton.db.v1-20260101T000000000Z.bak.${gone}-3y.new`;
    const stay = [
      `baton.db.${process.pid}-3x.new`,
      'baton.db.v1-20260101T000000000Z.bak',
      `other.${gone}-3x.new`,
    ];
    for (const name of [...left, copy, ...stay]) writeFileSync(join(state, name), '');
    (await open()).close();
    expect(readdirSync(state).sort()).toEqual(['baton.db', ...stay].sort());
  });

  test('has the settings its promises rest on', async () => {
    await open();
    const { db } = connect(file);
    const read = (name: string) => Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0];
    const names = [
      'journal_mode',
      'synchronous',
      'busy_timeout',
      'foreign_keys',
      'wal_autocheckpoint',
      'user_version',
    ];
    expect(names.map(read)).toEqual(['wal', 2, 5000, 1, 1000, NEWEST]);
    db.close();
  });

  test('refuses a database that will not keep a setting', () => {
    const connection = connect(':memory:');
    expect(() => useWal(connection)).toThrow(/journal_mode = memory, wanted wal/);
    connection.db.close();
  });

  test.each([
    ['setting_changes', 'delete from setting_changes'],
    ['setting_changes', `update setting_changes set "to" = 'autonomous'`],
    ['decisions', 'delete from decisions'],
  ])('has no way to take something out of %s: %s', async (_table, sql) => {
    const store = await open();
    await store.changeSetting({ name: 'trust', to: 'cautious', who: 'ann', surface: 'cli', at: T0 });
    await store.recordKnowledge(aNewDecision(), 'ann', T0);
    const db = new DatabaseSync(file);
    expect(() => db.exec(sql)).toThrow(/only ever added|never removed/);
    db.close();
    expect(await store.settingChanges('trust')).toHaveLength(1);
    expect(await store.integrity()).toEqual([]);
  });
});

test('a state that cannot be read hides no other', async () => {
  const store = await open();
  await store.commit([creating('sp-1'), creating('sp-2')]);
  const db = new DatabaseSync(file);
  db.exec("update runs set state = '{' where id = 'sp-1'");
  db.close();
  expect((await store.states('spec')).map(({ id }) => id)).toEqual(['sp-2']);
});

describe('superseding a decision', () => {
  test.each(['inbox', 'decision_links', 'decisions'])(
    'that fails at its write to %s leaves no half of it',
    async (table) => {
      const store = await open();
      await store.recordKnowledge(aNewDecision(), 'ann', T0);
      await store.commit([creating('B-1')]);
      await store.linkKnowledge('D-1', 'B-1', 'ann', T0);
      const db = new DatabaseSync(file);
      const event = table === 'decisions' ? 'update' : 'insert';
      db.exec(`create trigger fails before ${event} on ${table} begin select raise(abort, 'no'); end`);
      const successor: Successor = { type: 'business', title: 'Two files', body: '', domains: [] };
      const ask = { id: 'D-1', successor, by: 'ann', at: T0 };
      await expect(store.supersede(ask)).rejects.toThrow();
      expect(await store.knowledgeEntry('D-1')).toMatchObject({ status: 'Accepted', superseded_by: null });
      expect(await store.knowledge(KnowledgeQuery.parse({ search: 'two' }))).toEqual([]);
      expect(await store.pending()).toEqual([]);
      db.exec('drop trigger fails');
      db.close();
      expect(await store.supersede(ask)).toMatchObject({ kind: 'superseded', successor: { id: 'D-2' } });
      expect(await store.pending()).toHaveLength(1);
      expect(await store.integrity()).toEqual([]);
    },
  );
});

describe('a file of another version', () => {
  const steps = [
    ...SCHEMA_STEPS,
    { version: NEWEST + 1, sql: 'create table later (a text); alter table runs add column b text' },
  ];

  test('that is older is copied, then migrated', async () => {
    await filled();
    const lines: string[] = [];
    const store = await open({ migrations: steps, log: (line) => lines.push(line) });
    expect(await store.load('sp-3')).toMatchObject({ title: 'Title of sp-3' });
    store.close();
    expect(pragma('user_version')).toBe(NEWEST + 1);
    const backup = `${file}.v${NEWEST}-20260101T000000000Z.bak`;
    expect(lines).toEqual([
      `store: schema version ${NEWEST} -> ${NEWEST + 1}; the file as it was is kept as ${backup}`,
    ]);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const kept = await open({ file: backup });
    expect(await kept.list({})).toHaveLength(40);
    expect(await kept.integrity()).toEqual([]);
  });

  test('that is current is opened without a copy', async () => {
    await filled();
    (await open()).close();
    expect(readdirSync(join(dir, 'state'))).toEqual(['baton.db']);
  });

  test('stays as it was when a migration fails, and the next try has its own copy', async () => {
    await filled();
    const before = readFileSync(file);
    const broken = [...SCHEMA_STEPS, { version: NEWEST + 1, sql: 'create table later (a text); nonsense' }];
    await expect(open({ migrations: broken })).rejects.toThrow(InvariantError);
    expect(readFileSync(file).equals(before)).toBe(true);
    await open({ migrations: steps });
    const backups = readdirSync(join(dir, 'state')).filter((name) => name.endsWith('.bak'));
    expect(backups.sort()).toEqual([
      `baton.db.v${NEWEST}-20260101T000000000Z-2.bak`,
      `baton.db.v${NEWEST}-20260101T000000000Z.bak`,
    ]);
  });

  test('that is newer is refused with both versions named and left alone', async () => {
    (await open({ migrations: steps })).close();
    const before = readFileSync(file);
    const { code, retry, detail } = await failure(open());
    expect([code, retry]).toEqual(['store_newer', 'permanent']);
    expect(detail).toMatch(`has schema version ${NEWEST + 1}; this Baton knows versions up to ${NEWEST}`);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('that becomes newer while a process has it open takes no write of that process any more', async () => {
    const old = await open();
    await old.commit([creating('sp-1')]);
    const store = await open({ migrations: steps });
    expect(await failure(old.commit([creating('sp-2')]))).toMatchObject({ code: 'store_newer' });
    expect(await failure(old.commit([creating('sp-3'), creating('sp-4')]))).toMatchObject({
      code: 'store_newer',
    });
    const late = [old.heartbeat('sp-1', 0, T0), old.commit([creating('sp-5')])];
    expect((await Promise.allSettled(late)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await store.list({})).map(({ id }) => id)).toEqual(['sp-1']);
    expect(await store.commit([creating('sp-2')])).toEqual({ kind: 'committed' });
  });
});

describe('a damaged file', () => {
  test.each([
    ['is not a database', () => writeFileSync(file, 'This is a shopping list.\n'.repeat(400))],
    ['is shorter than a header', () => truncateSync(file, 7)],
    ['was emptied', () => truncateSync(file, 0)],
    ['lost its second half', () => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096)],
    ['lost the end of its last page', () => truncateSync(file, statSync(file).size - 100)],
  ])('that %s is refused and left alone', async (_what, damage) => {
    await filled();
    damage();
    const before = readFileSync(file);
    expect(await failure(open())).toMatchObject({ code: 'store_corrupt', retry: 'permanent' });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('that is gone while its log is there is not made anew: the log would be read into the new one', async () => {
    const store = await open();
    await store.commit([creating('sp-1')]);
    const log = readFileSync(`${file}-wal`);
    store.close();
    rmSync(file);
    writeFileSync(`${file}-wal`, log);
    expect(await failure(open())).toMatchObject({ code: 'store_corrupt', retry: 'permanent' });
    expect(readdirSync(join(dir, 'state'))).toEqual(['baton.db-wal']);
    rmSync(`${file}-wal`);
    expect(await (await open()).list({})).toEqual([]);
  });

  test.each([
    ['removed', () => rmSync(file)],
    ['replaced', (copy: string) => renameSync(copy, file)],
  ])(
    'that is %s while a process has it open takes no write of that process any more',
    async (_what, damage) => {
      const store = await open();
      await store.commit([creating('sp-1')]);
      cpSync(file, `${file}.copy`);
      damage(`${file}.copy`);
      expect(await failure(store.commit([creating('sp-2')]))).toMatchObject({ code: 'store_corrupt' });
      expect((await store.list({})).map(({ id }) => id)).toEqual(['sp-1']);
    },
  );

  test('that belongs to another program is refused and left alone', async () => {
    await filled();
    rmSync(file);
    const db = new DatabaseSync(file);
    db.exec('create table shopping (what text)');
    db.close();
    const before = readFileSync(file);
    expect(await failure(open())).toMatchObject({ code: 'store_corrupt' });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('with a broken page inside opens, and the full check says what is wrong', async () => {
    await filled();
    const bytes = readFileSync(file);
    bytes.fill(0xff, bytes.length - 8192);
    writeFileSync(file, bytes);
    expect(await (await open()).integrity()).not.toEqual([]);
  });

  test('with a hole in a log or a loose row is told by the full check', async () => {
    await filled();
    const db = new DatabaseSync(file, { enableForeignKeyConstraints: false });
    db.exec(`delete from events where run = (select key from runs where id = 'sp-1');
      insert into events values (null, 99, 1, 'step_settled', 1, '${T0}', 'ann', '{}'); insert into heartbeats values ('sp-none', '${T0}')`);
    db.close();
    expect(await (await open()).integrity()).toEqual([
      'a row of heartbeats refers to a missing row of runs',
      'a row of events refers to a missing row of runs',
      'sp-1 is at event 1 and has 0 events',
    ]);
  });
});

describe('several processes on one file', () => {
  test('create it together and lose no commit', async () => {
    const names = ['a', 'b', 'c'];
    const count = 60;
    await Promise.all(names.map((name) => hammer(name, count)));
    const store = await open();
    const events = await store.events('sp-shared', 1, 9999);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, n) => n + 2));
    for (const name of names) {
      const own = events.filter((event) => event.by === name).map((event) => event.input);
      expect(own).toEqual(Array.from({ length: count }, (_, n) => ({ n: n + 1 })));
      expect(await store.load(`sp-${name}`)).toMatchObject({ revision: count + 1, seq: count + 1 });
    }
    expect(await store.load('sp-shared')).toMatchObject({ revision: names.length * count + 1 });
    expect(await store.integrity()).toEqual([]);
    expect(readdirSync(join(dir, 'state')).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  test('one that holds the file for longer than the busy timeout makes a commit fail as busy', async () => {
    const store = await open();
    const blocker = new DatabaseSync(file);
    blocker.exec('begin immediate');
    expect(await failure(store.commit([creating('sp-1')]))).toMatchObject({
      code: 'store_busy',
      retry: 'transient',
    });
    blocker.exec('rollback');
    blocker.close();
    expect(await store.commit([creating('sp-1')])).toEqual({ kind: 'committed' });
    expect(await store.load('sp-1')).toEqual(aRun('sp-1'));
    expect(await store.commit([moving(aRun('sp-1'))])).toEqual({ kind: 'committed' });
  });
});

describe('what SQLite says', () => {
  test.each([
    [5, 'store_busy', 'transient'],
    [517, 'store_busy', 'transient'],
    [8, 'store_read_only', 'permanent'],
    [13, 'disk_full', 'transient'],
    [778, 'store_io', 'transient'],
    [14, 'store_io', 'permanent'],
    [11, 'store_corrupt', 'permanent'],
    [26, 'store_corrupt', 'permanent'],
  ])('result %i is told as %s, %s', (errcode, code, retry) => {
    const told = toStoreError(Object.assign(new Error('said'), { errcode }), dir);
    const detail = expect.stringContaining(`said (SQLite result ${errcode})`);
    expect(told).toMatchObject({ failure: { code, retry, detail } });
  });

  test('about a statement or a constraint is our own bug', () => {
    for (const errcode of [1, 787, 2067]) {
      expect(toStoreError(Object.assign(new Error('said'), { errcode }), dir)).toBeInstanceOf(InvariantError);
    }
  });
});

/** Runs one process of test/support/hammer-store.ts to its end. */
function hammer(name: string, count: number): Promise<void> {
  const script = fileURLToPath(new URL('../support/hammer-store.ts', import.meta.url));
  const child = spawn(process.execPath, [script, file, name, String(count)], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(complaint))));
  });
}
