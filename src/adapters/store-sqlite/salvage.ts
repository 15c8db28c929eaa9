import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { RunEvent } from '../../contract/event.ts';
import { fold } from '../../engine/fold.ts';
import type { Connection } from './connection.ts';
import { createReads } from './reads.ts';

type Row = Record<string, SQLInputValue>;

/** What salvaging a damaged store returned. */
export interface Salvaged {
  /** Runs whose row was rebuilt from their log. */
  readonly rebuilt: readonly string[];
  /** Incomplete runs. They are not in the new store. */
  readonly lost: readonly string[];
}

/**
 * Copies every readable row of a damaged file into an empty store with the whole schema. A row with damaged JSON is
 * rebuilt from the run's log. A run with a gap in its log is left out.
 */
export function salvage(from: string, into: Connection): Salvaged {
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
  ...['records', 'inbox', 'beats', 'spend'].map((name) => `delete from ${name} where run = :id`),
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
