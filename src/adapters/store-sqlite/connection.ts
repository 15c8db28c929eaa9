import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { failure } from '../../engine/errors.ts';

type Values = readonly SQLInputValue[];

/** One open database file. Each statement text is prepared once, on first use, so that opening stays cheap. */
export interface Connection {
  readonly db: DatabaseSync;
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...values: Values): number;
  one<Row>(sql: string, ...values: Values): Row | undefined;
  all<Row>(sql: string, ...values: Values): Row[];
  /** The number of a run within this file. It never changes, so it is read once. */
  keyOf(run: string): number | undefined;
  /** Call this after undoing writes that may have created runs: their numbers are free again. */
  forgetKeys(): void;
  /** Rows changed through `run` since the file was opened. Shows whether a piece of work has written anything. */
  changed(): number;
  /** Commits all of `work` or nothing. It also commits nothing when `keep` returns false for the result (a refusal). */
  transaction<T>(work: () => T, keep?: (result: T) => boolean): T;
}

/** Size limit of the cache. A process works on fewer runs at once. */
const KNOWN_KEYS = 10_000;

/**
 * Opens the file with the settings that durability depends on, and reads them back. It refuses a build or a file that
 * does not apply them.
 */
export function connect(file: string): Connection {
  const db = new DatabaseSync(file, { timeout: 5000, enableForeignKeyConstraints: true });
  try {
    db.exec('pragma synchronous = full');
    assertSetting(db, 'synchronous', 'synchronous', 2);
    assertSetting(db, 'foreign_keys', 'foreign_keys', 1);
    assertSetting(db, 'busy_timeout', 'timeout', 5000);
    assertSetting(db, 'wal_autocheckpoint', 'wal_autocheckpoint', 1000);
  } catch (error) {
    db.close();
    throw error;
  }
  return fromDatabase(db);
}

/** Called last: it is the first setting that may write to the file. */
export function useWal(connection: Connection): void {
  const { db } = connection;
  if (readPragma(db, 'journal_mode', 'journal_mode') !== 'wal') db.exec('pragma journal_mode = wal');
  assertSetting(db, 'journal_mode', 'journal_mode', 'wal');
}

export function readPragma(db: DatabaseSync, pragma: string, column: string): unknown {
  return db.prepare(`pragma ${pragma}`).get()?.[column];
}

function assertSetting(db: DatabaseSync, pragma: string, column: string, wanted: unknown): void {
  const found = readPragma(db, pragma, column);
  if (found === wanted) return;
  throw failure('store_io', `the database keeps ${pragma} = ${String(found)}, wanted ${String(wanted)}`);
}

function fromDatabase(db: DatabaseSync): Connection {
  const prepared = new Map<string, StatementSync>();
  const keys = new Map<string, number>();
  let changed = 0;
  const prepare = (sql: string): StatementSync => {
    let statement = prepared.get(sql);
    if (!statement) {
      statement = db.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  };
  const roll = (): void => {
    keys.clear();
    if (db.isTransaction) prepare('rollback').run();
  };
  return {
    db,
    run: (sql, ...values) => {
      const changes = Number(prepare(sql).run(...values).changes);
      changed += changes;
      return changes;
    },
    changed: () => changed,
    keyOf: (run) => {
      const known = keys.get(run);
      if (known !== undefined) return known;
      const found = prepare('select key from runs where id = ?').get(run);
      if (!found) return undefined;
      if (keys.size >= KNOWN_KEYS) keys.clear();
      keys.set(run, Number(found.key));
      return Number(found.key);
    },
    forgetKeys: () => keys.clear(),
    one: <Row>(sql: string, ...values: Values) => prepare(sql).get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: Values) => prepare(sql).all(...values) as Row[],
    transaction: (work, keep) => {
      prepare('begin immediate').run();
      try {
        const result = work();
        if (keep && !keep(result)) roll();
        else prepare('commit').run();
        return result;
      } catch (error) {
        roll();
        throw error;
      }
    },
  };
}

/** Whether the store exists and cannot be written. */
export function isReadOnly(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    for (const path of [dirname(file), file]) accessSync(path, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/**
 * Opens a copy, because SQLite writes beside a file even to read it. Every write is refused (`store_read_only`). A
 * store with another schema version is refused too: it would have to be migrated first.
 */
export function connectReadOnly(file: string, newest: number): Connection {
  const dir = mkdtempSync(join(tmpdir(), 'baton-read-'));
  try {
    for (const end of ['', '-wal'])
      if (existsSync(file + end)) copyFileSync(file + end, join(dir, `baton.db${end}`));
    const connection = connect(join(dir, 'baton.db'));
    connection.db.exec('pragma query_only = on');
    if (readPragma(connection.db, 'user_version', 'user_version') === newest) return connection;
    connection.db.close();
    throw failure('store_read_only', `${file} is of an older version and cannot be brought up to date here`);
  } finally {
    // SQLite has the copy open by now. Nothing else needs its name.
    rmSync(dir, { recursive: true, force: true });
  }
}
