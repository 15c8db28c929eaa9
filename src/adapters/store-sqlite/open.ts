import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Store } from '../../ports/store.ts';
import { createDailyBackup } from './backups.ts';
import { COMMITTED, isCommitted, writeChanges } from './commit.ts';
import { type Connection, connect, connectReadOnly, isReadOnly, useWal } from './connection.ts';
import { createActiveDrives } from './drive-rows.ts';
import { createGroupCommit } from './group-commit.ts';
import { findDamage } from './integrity.ts';
import { createKnowledgeWrites } from './knowledge-writes.ts';
import {
  assertDatabaseHeader,
  assertNothingLost,
  prepareLocation,
  removeUnfinished,
  type StatFs,
} from './location.ts';
import { copyToFile, createDatabase, type MigrationContext, migrate } from './migrate.ts';
import { SCHEMA_STEPS, type SchemaStep } from './migrations/table.ts';
import { createReads } from './reads.ts';
import { createSides, type WriteFor } from './sides.ts';
import { createSpend } from './spend.ts';
import { toStoreError } from './store-errors.ts';
import { asPromises } from './sync-store.ts';

export interface SqliteStoreOptions {
  readonly file: string;
  readonly now: () => string;
  /** Called with lines that a person may need later: a migration and where its copy is. */
  readonly log?: (line: string) => void;
  readonly migrations?: readonly SchemaStep[];
  readonly statfs?: StatFs;
  /** Makes one backup per day beside the file, after the first commit of a process. */
  readonly backups?: boolean;
  /** Opens a store that cannot be written for reading only. */
  readonly readable?: boolean;
}

/**
 * Opens the store and creates it if it does not exist. Several processes may have one file open. Throws AdapterError
 * `store_network_fs`, `store_newer`, `store_corrupt`, `store_read_only`, `disk_full`, `store_busy` or `store_io`. A
 * refused file is left as it is, and nothing is repaired silently. A missing file beside trees or artefacts is
 * `store_missing`. The cost does not grow with the number of runs.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const file = resolve(options.file);
  const dir = dirname(file);
  try {
    const steps = options.migrations ?? SCHEMA_STEPS;
    if (options.readable && isReadOnly(file)) {
      assertDatabaseHeader(file);
      return createStore(connectReadOnly(file, steps.at(-1)?.version ?? 0), options.now, dir);
    }
    const connection = openConnection({ ...options, file });
    const backUp = options.backups ? createDailyBackup(connection.db, file, options.now) : undefined;
    return createStore(connection, options.now, dir, backUp);
  } catch (error) {
    throw toStoreError(error, dir);
  }
}

function openConnection({ file, now, log, migrations, statfs }: SqliteStoreOptions): Connection {
  const ctx: MigrationContext = { file, now, steps: migrations ?? SCHEMA_STEPS, log: log ?? (() => {}) };
  prepareLocation(file, statfs ?? statfsSync);
  removeUnfinished(file);
  if (!existsSync(file)) {
    assertNothingLost(file);
    createDatabase(ctx);
  }
  assertDatabaseHeader(file);
  const connection = connect(file);
  try {
    migrate(connection, ctx);
    useWal(connection);
    return copyToFile(connection, file);
  } catch (error) {
    connection.db.close();
    throw error;
  }
}

function createStore(c: Connection, now: () => string, dir: string, committed?: () => void): Store {
  const version = () => Number(c.one<{ data_version: number }>('pragma data_version')?.data_version);
  const group = createGroupCommit(c, (error) => toStoreError(error, dir));
  const spend = createSpend(c, group, (run) => drives.has(run));
  const drives = createActiveDrives(spend.forget);
  const write: WriteFor = (run, work) => group.write(drives.besides(run), { work });
  return {
    ...asPromises(
      { ...createReads(c), addSpend: spend.addSpend, spend: spend.spend, integrity: () => findDamage(c) },
      dir,
    ),
    ...createSides({ c, now, write, drives }),
    ...createKnowledgeWrites(c, write),
    commit: (changes) => {
      const [first] = changes;
      if (!first) return Promise.resolve(COMMITTED);
      const others = drives.besides(changes.length === 1 ? first.run.id : null);
      return group.write(others, {
        work: () => writeChanges(c, changes),
        keep: isCommitted,
        done: (result) => {
          if (result.kind !== 'committed') return drives.left(result.run);
          drives.moved(changes);
          committed?.();
          for (const { guard, run } of changes) if (guard === null) spend.begin(run.id);
        },
      });
    },
    version,
    close: () => {
      if (!c.db.isOpen) return;
      try {
        group.drain();
      } catch (error) {
        throw toStoreError(error, dir);
      } finally {
        c.db.close();
      }
    },
  };
}
