import type { Connection } from './connection.ts';
import { isSqliteError } from './store-errors.ts';

/** One row holds all events of a commit. */
const GAPS = `select r.id, r.seq, coalesce(max(e.seq), 0) as last,
  sum(iif(e.seq is null, 0, 1 + iif(json_valid(e.data), coalesce(json_array_length(e.data, '$.more'), 0), 0))) as events
  from runs r left join events e on e.run = r.key group by r.key having events <> r.seq or last <> r.seq`;
/** Rows that refer to a run only by a number, without a foreign key. */
const LOOSE = [
  { name: 'events', run: 'run' },
  { name: 'gates', run: 'key >> 24' },
].map(({ name, run }) => ({
  name,
  sql: `select count(*) as n from ${name} where ${run} not in (select key from runs)`,
}));

/**
 * Reads every page, checks every reference, and checks that each log leads to its row. Slow on a large file, so it runs
 * only on request.
 */
export function findDamage(c: Connection): string[] {
  try {
    const pages = c
      .all<{ integrity_check: string }>('pragma integrity_check')
      .map((row) => row.integrity_check);
    const loose = c.all<{ table: string; parent: string }>('pragma foreign_key_check');
    const lost = LOOSE.filter(({ sql }) => (c.one<{ n: number }>(sql)?.n ?? 0) > 0);
    const gaps = c.all<{ id: string; seq: number; events: number }>(GAPS);
    return [
      ...pages.filter((line) => line !== 'ok'),
      ...loose.map(({ table, parent }) => `a row of ${table} refers to a missing row of ${parent}`),
      ...lost.map(({ name }) => `a row of ${name} refers to a missing row of runs`),
      ...gaps.map(({ id, seq, events }) => `${id} is at event ${seq} and has ${events} events`),
    ];
  } catch (error) {
    if (isSqliteError(error)) return [error.message];
    throw error;
  }
}
