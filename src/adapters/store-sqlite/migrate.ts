import { existsSync, rmSync, statSync } from 'node:fs';
import { type Connection, connect, readPragma, useWal } from './connection.ts';
import type { SchemaStep } from './migrations/table.ts';
import { assertNoLog, placeNew } from './place.ts';
import { refuse } from './store-errors.ts';

/** Stands in the header of every file of ours ('BATN'), so that no foreign database is ever migrated. */
const APPLICATION_ID = 0x4241544e;

/** What a schema change needs beside the connection. */
export interface MigrationContext {
  readonly file: string;
  readonly steps: readonly SchemaStep[];
  readonly now: () => string;
  readonly log: (line: string) => void;
}

/** Puts a new database file with the whole schema in place. */
export function createDatabase(ctx: MigrationContext): void {
  assertNoLog(ctx.file);
  placeNew(ctx.file, (path) => {
    const connection = connect(path);
    try {
      useWal(connection);
      withoutReferences(connection, () => {
        connection.db.exec(`pragma application_id = ${APPLICATION_ID}`);
        applySteps(connection, ctx, 0);
        connection.run('insert into meta (key, value) values (?, ?)', 'created_at', ctx.now());
      });
    } finally {
      connection.db.close();
    }
  });
}

/**
 * Brings an older file to the newest schema: a synced copy first, then all steps in one transaction. Refuses a file
 * of a newer Baton or of another program without writing to it.
 */
export function migrate(connection: Connection, ctx: MigrationContext): void {
  const found = versionOf(connection);
  const newest = newestOf(ctx.steps);
  if (readPragma(connection.db, 'application_id', 'application_id') !== APPLICATION_ID) {
    throw refuse('store_corrupt', `${ctx.file} is a database of another program`);
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
  // Another process was faster; what we copied may already have been the new schema.
  else rmSync(backup, { force: true });
}

/**
 * The same connection, whose transactions write only to the file that was opened: not once a newer Baton has migrated
 * it, whose tables we would fill wrongly, and not once it was removed or replaced, where nobody would ever read it.
 */
export function keepToFile(connection: Connection, file: string): Connection {
  const known = versionOf(connection);
  const inode = inodeOf(file);
  const assertKept = (): void => {
    const found = connection.one<{ user_version: number }>('pragma user_version')?.user_version ?? known;
    if (found !== known) refuseNewer(file, found, known);
    if (inodeOf(file) !== inode)
      throw refuse('store_corrupt', `${file} was removed or replaced while in use`);
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
  throw refuse('store_newer', detail);
}

/** One transaction in which a table can be made anew while others refer to it; they must do so again at its end. */
function withoutReferences<T>(connection: Connection, work: () => T): T {
  const { db } = connection;
  db.exec('pragma foreign_keys = off');
  try {
    return connection.transaction(() => {
      const result = work();
      const loose = connection.all('pragma foreign_key_check');
      if (loose.length > 0) throw refuse('store_corrupt', `${loose.length} rows refer to nothing`);
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

/** `<file>.v1-20260102T030405678Z.bak`, counted on when that name is taken. */
function backUp(connection: Connection, ctx: MigrationContext, version: number): string {
  const stamp = ctx.now().replaceAll(/[-:.]/g, '');
  for (let n = 1; ; n++) {
    const backup = `${ctx.file}.v${version}-${stamp}${n > 1 ? `-${n}` : ''}.bak`;
    if (!existsSync(backup) && placeNew(backup, (path) => connection.run('vacuum into ?', path)))
      return backup;
  }
}
