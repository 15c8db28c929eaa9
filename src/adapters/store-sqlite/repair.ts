import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Repaired } from '../../contract/upkeep.ts';
import { backupsOf } from './backups.ts';
import { type Connection, connect } from './connection.ts';
import { findDamage } from './integrity.ts';
import { assertDatabaseHeader } from './location.ts';
import { createDatabase, type MigrationContext } from './migrate.ts';
import { SCHEMA_STEPS } from './migrations/table.ts';
import { salvage } from './salvage.ts';
import { toStoreError } from './store-errors.ts';

/** A store that could replace the damaged one. */
interface Candidate {
  readonly file: string;
  readonly runs: readonly string[];
  readonly rebuilt: readonly string[];
  /** Set for a backup: it contains nothing later. */
  readonly as_of: string | null;
}

/**
 * Replaces a damaged or missing store by a sound one. It takes the readable part of the damaged file or a sound backup,
 * whichever has the most runs. If neither exists, it creates an empty store. The damaged file stays beside it under
 * another name.
 */
export function repairStore(options: { readonly file: string; readonly now: () => string }): Repaired {
  const file = resolve(options.file);
  try {
    const found = soundRuns(file);
    if (found !== null)
      return { kind: 'sound', aside: null, as_of: null, runs: found, rebuilt: [], lost: [] };
    return replaceStore({ ...options, file });
  } catch (error) {
    throw toStoreError(error, dirname(file));
  }
}

function replaceStore({ file, now }: { readonly file: string; readonly now: () => string }): Repaired {
  const stamp = now().replaceAll(/[-:.]/g, '');
  const building = `${file}.${process.pid}-1.new`;
  const ctx: MigrationContext = { file: building, now, steps: SCHEMA_STEPS, log: () => undefined };
  const candidates = [salvaged(file, ctx), ...backupsOf(file).map((path) => restored(path))].filter(
    (one) => one !== null,
  );
  const [best] = candidates.toSorted((a, b) => b.runs.length - a.runs.length);
  if (best === undefined) createDatabase(ctx);
  else if (best.file !== building) copyFileSync(best.file, building);
  const aside = existsSync(file) ? `${file}.damaged-${stamp}` : null;
  for (const end of ['-wal', '-shm', ''])
    if (existsSync(file + end)) renameSync(file + end, `${file}.damaged-${stamp}${end}`);
  renameSync(building, file);
  const known = new Set([...candidates.flatMap(({ runs }) => runs), ...treesIn(dirname(file))]);
  const runs = best?.runs ?? [];
  return {
    kind: best === undefined ? 'empty' : 'repaired',
    aside,
    as_of: best?.as_of ?? null,
    runs,
    rebuilt: best?.rebuilt ?? [],
    lost: [...known].filter((run) => !runs.includes(run)).sort(),
  };
}

/** Ids of all runs of an undamaged store. Null for any other file. */
function soundRuns(file: string): string[] | null {
  if (!existsSync(file)) return null;
  try {
    assertDatabaseHeader(file);
    const connection = connect(file);
    try {
      if (findDamage(connection).length > 0) return null;
      return runsIn(connection);
    } finally {
      connection.db.close();
    }
  } catch {
    return null;
  }
}

const SOUND = `select id from runs where json_valid(step) and json_valid(state) and json_valid(policy)
  and json_valid(counters)`;

/** Null if a row cannot be read. */
function runsIn(connection: Connection): string[] | null {
  const all = Number(connection.one<{ n: number }>('select count(*) as n from runs')?.n);
  const ids = connection.all<{ id: string }>(SOUND).map(({ id }) => id);
  return ids.length === all ? ids : null;
}

function salvaged(file: string, ctx: MigrationContext): Candidate | null {
  const from = existsSync(file) ? file : newestAside(file);
  if (from === null) return null;
  try {
    createDatabase(ctx);
    const connection = connect(ctx.file);
    try {
      connection.db.exec('pragma foreign_keys = off');
      const { rebuilt } = salvage(from, connection);
      const runs = findDamage(connection).length > 0 ? null : runsIn(connection);
      if (runs !== null && runs.length > 0) return { file: ctx.file, runs, rebuilt, as_of: null };
    } finally {
      connection.db.close();
    }
  } catch {
    // A file that cannot be read at all has no rows to copy.
  }
  for (const end of ['', '-wal', '-shm']) rmSync(ctx.file + end, { force: true });
  return null;
}

/** An interrupted repair has already renamed the damaged file. */
function newestAside(file: string): string | null {
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.damaged-`));
  const last = names
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .sort()
    .at(-1);
  return last === undefined ? null : join(dirname(file), last);
}

/** A backup may have an older schema. The next opening migrates its copy. */
function restored(path: string): Candidate | null {
  const runs = soundRuns(path);
  return runs && { file: path, runs, rebuilt: [], as_of: statSync(path).mtime.toISOString() };
}

/** Every run that has a clone once had a row. */
function treesIn(home: string): string[] {
  const trees = join(home, 'trees');
  return existsSync(trees) ? readdirSync(trees).filter((name) => !name.startsWith('.')) : [];
}
