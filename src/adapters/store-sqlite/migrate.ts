import { existsSync, rmSync, statSync } from 'node:fs';
import { failure } from '../../engine/errors.ts';
import { type Connection, connect, readPragma, useWal } from './connection.ts';
import { assertNoLog, createAt } from './location.ts';
import type { SchemaStep } from './migrations/table.ts';

/** Stored in the header of every Baton database ('BATN'), so that no foreign database is migrated. */
const APPLICATION_ID = 0x4241544e;

/** What a schema change needs besides the connection. */
export interface MigrationContext {
  readonly file: string;
  readonly steps: readonly SchemaStep[];
  readonly now: () => string;
  readonly log: (line: string) => void;
}

/** Creates a new database file with the whole schema. */
export function createDatabase(ctx: MigrationContext): void {
  assertNoLog(ctx.file);
  createAt(ctx.file, (path) => {
    const connection = connect(path);
    try {
      useWal(connection);
      withoutReferences(connection, () => {
        connection.db.exec(`pragma application_id = ${APPLICATION_ID}`);
        applySteps(connection, ctx, 0);
      });
    } finally {
      connection.db.close();
    }
  });
}

/**
 * Migrates an older file to the newest schema: first a synced copy, then all steps in one transaction. Refuses a file
 * of a newer Baton or of another program without writing to it.
 */
export function migrate(connection: Connection, ctx: MigrationContext): void {
  const found = versionOf(connection);
  const newest = newestOf(ctx.steps);
  if (readPragma(connection.db, 'application_id', 'application_id') !== APPLICATION_ID) {
    throw failure('store_corrupt', `${ctx.file} is a database of another program`);
  }
  if (found > newest) refuseNewer(ctx.file, found, newest);
  if (found === newest) return;
  const backup = backUp(connection, ctx, found);
  const done = withoutReferences(connection, () => {
    if (versionOf(connection) !== found) return false;
    applySteps(connection, ctx, found);
    return true;
  });
  if (done) ctx.log(`store: schema version ${found} -> ${newest}; the file as it was is kept as ${backup}`);
  // Another process was faster. This copy may already have the new schema.
  else rmSync(backup, { force: true });
}

/**
 * The same connection, but its transactions write only to the file that was opened. They fail once a newer Baton has
 * migrated the file: this Baton would fill its tables wrongly. They also fail once the file was removed or replaced:
 * what they wrote would never be read.
 */
export function copyToFile(connection: Connection, file: string): Connection {
  const known = versionOf(connection);
  const inode = inodeOf(file);
  const assertKept = (): void => {
    const found = connection.one<{ user_version: number }>('pragma user_version')?.user_version ?? known;
    if (found !== known) refuseNewer(file, found, known);
    if (inodeOf(file) !== inode)
      throw failure('store_corrupt', `${file} was removed or replaced while in use`);
  };
  const transaction: Connection['transaction'] = (work, keep) =>
    connection.transaction(() => {
      assertKept();
      return work();
    }, keep);
  return { ...connection, transaction };
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function refuseNewer(file: string, found: number, known: number): never {
  const detail = `${file} has schema version ${found}; this Baton knows versions up to ${known}`;
  throw failure('store_newer', detail);
}

/**
 * Runs one transaction with foreign keys off, so that a table can be rebuilt while others refer to it. All references
 * must be valid again at its end.
 */
function withoutReferences<T>(connection: Connection, work: () => T): T {
  const { db } = connection;
  db.exec('pragma foreign_keys = off');
  try {
    return connection.transaction(() => {
      const result = work();
      const loose = connection.all('pragma foreign_key_check');
      if (loose.length > 0) throw failure('store_corrupt', `${loose.length} rows refer to nothing`);
      return result;
    });
  } finally {
    db.exec('pragma foreign_keys = on');
  }
}

function versionOf(connection: Connection): number {
  return Number(readPragma(connection.db, 'user_version', 'user_version'));
}

function newestOf(steps: readonly SchemaStep[]): number {
  return steps.at(-1)?.version ?? 0;
}

function applySteps(connection: Connection, ctx: MigrationContext, from: number): void {
  for (const step of ctx.steps) {
    if (step.version > from) connection.db.exec(step.sql);
  }
  connection.db.exec(`pragma user_version = ${newestOf(ctx.steps)}`);
}

/** `<file>.v1-20260102T030405678Z.bak`, with a counter if that name is taken. */
function backUp(connection: Connection, ctx: MigrationContext, version: number): string {
  const stamp = ctx.now().replaceAll(/[-:.]/g, '');
  for (let n = 1; ; n++) {
    const backup = `${ctx.file}.v${version}-${stamp}${n > 1 ? `-${n}` : ''}.bak`;
    if (!existsSync(backup) && createAt(backup, (path) => connection.run('vacuum into ?', path)))
      return backup;
  }
}
