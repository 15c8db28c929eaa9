import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { RunEvent } from '../../contract/event.ts';
import type { Repaired } from '../../contract/upkeep.ts';
import { fold } from '../../engine/fold.ts';
import { backupsOf } from './backups.ts';
import { type Connection, connect } from './connection.ts';
import { findDamage } from './integrity.ts';
import { assertDatabaseHeader } from './location.ts';
import { createDatabase, type MigrationContext } from './migrate.ts';
import { SCHEMA_STEPS } from './migrations/table.ts';
import { createReads } from './reads.ts';
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

type Row = Record<string, SQLInputValue>;

/** What salvaging a damaged store returned. */
interface Salvaged {
  /** Runs whose row was rebuilt from their log. */
  readonly rebuilt: readonly string[];
  /** Incomplete runs. They are not in the new store. */
  readonly lost: readonly string[];
}

/**
 * Copies every readable row of a damaged file into an empty store with the whole schema. A row with damaged JSON is
 * rebuilt from the run's log. A run with a gap in its log is left out.
 */
function salvage(from: string, into: Connection): Salvaged {
  const copy = `${from}.reading`;
  try {
    for (const end of ['', '-wal']) if (existsSync(from + end)) copyFileSync(from + end, copy + end);
    const damaged = new DatabaseSync(copy);
    try {
      for (const { name } of into.all<{ name: string }>(TABLES)) copyTable(damaged, into, name);
    } finally {
      damaged.close();
    }
  } finally {
    for (const end of ['', '-wal', '-shm', '-journal']) rmSync(copy + end, { force: true });
  }
  const lost = removeIncomplete(into);
  return { lost, rebuilt: rebuildRows(into) };
}

/** The search index fills itself from its table. */
const TABLES = `select name from sqlite_schema where type = 'table'
  and name not like 'sqlite~_%' escape '~' and name not like 'decisions~_text%' escape '~'`;

function copyTable(damaged: DatabaseSync, into: Connection, table: string): void {
  const columns = into.all<{ name: string }>(`pragma table_info("${table}")`).map(({ name }) => `"${name}"`);
  const insert = `insert or ignore into "${table}" (${columns}) values (${columns.map(() => '?')})`;
  const first = columns[0] ?? 'rowid';
  // From both ends: a damaged page in the middle hides the rows behind it.
  for (const order of [first, `${first} desc`]) {
    try {
      const rows = damaged.prepare(`select ${columns} from "${table}" order by ${order}`).iterate();
      for (const row of rows) tryToRun(into, insert, Object.values(row as Row));
      return;
    } catch {
      // The rows read so far are copied.
    }
  }
}

function tryToRun(into: Connection, insert: string, values: readonly SQLInputValue[]): void {
  try {
    into.run(insert, ...values);
  } catch {
    // A row that breaks a rule of the schema is damage.
  }
}

const COMPLETE = `select r.key, r.id, r.seq, (select count(*) + coalesce(sum(iif(json_valid(e.data),
    coalesce(json_array_length(e.data, '$.more'), 0), -1000000)), 0) from events e where e.run = r.key) as events from runs r`;

/** Deletes the rows that refer to a run by its id, its key or one of its gates. */
const OF_RUN = [
  ...['records', 'inbox', 'heartbeats', 'spend'].map((name) => `delete from ${name} where run = :id`),
  'delete from decision_links where ticket = :id',
  ...['attempts', 'drives', 'events'].map((name) => `delete from ${name} where run = :key`),
  ...['drafts', 'answers'].map((name) => `delete from ${name} where gate >> 24 = :key`),
  'delete from gates where key >> 24 = :key',
  'delete from runs where key = :key',
];

function removeIncomplete(into: Connection): string[] {
  const rows = into.all<{ key: number; id: string; seq: number; events: number }>(COMPLETE);
  const broken = rows.filter(({ seq, events }) => seq !== events);
  for (const { key, id } of broken)
    for (const sql of OF_RUN) into.db.prepare(sql).run(sql.includes(':id') ? { id } : { key });
  // Rows of a run whose own row is gone.
  into.run('delete from events where run not in (select key from runs)');
  into.run('delete from gates where key >> 24 not in (select key from runs)');
  return broken.map(({ id }) => id);
}

const JSONS = ['policy', 'step', 'counters', 'state', 'trouble', 'halt'] as const;
const BROKEN = `select id from runs where ${JSONS.map((name) => `json_valid(coalesce(${name}, 'null')) = 0`).join(' or ')}`;

function rebuildRows(into: Connection): string[] {
  const reads = createReads(into);
  const broken = into.all<{ id: string }>(BROKEN).map(({ id }) => id);
  for (const id of broken) {
    const log: RunEvent[] = [...reads.events(id, 0, Number.MAX_SAFE_INTEGER)];
    const core = fold(log);
    const values = JSONS.map((name) => (core[name] === null ? null : JSON.stringify(core[name])));
    into.run(`update runs set ${JSONS.map((name) => `${name} = ?`).join(', ')} where id = ?`, ...values, id);
  }
  return broken;
}
