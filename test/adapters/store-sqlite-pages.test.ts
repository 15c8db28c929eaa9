import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSqliteStore } from '../../src/adapters/store-sqlite/open.ts';
import type { Change } from '../../src/ports/store.ts';
import { creating, ended, moving, T0 } from '../support/changes.ts';

test('a transition between made and ended does not write the index of live runs', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'baton-pages-'));
  const file = join(dir, 'baton.db');
  const store = await openSqliteStore({ file, now: () => T0 });
  const other = new DatabaseSync(file);
  const root = other.prepare("select rootpage from sqlite_schema where name = 'runs_live'").get()?.rootpage;
  const writes = async (change: Change): Promise<boolean> => {
    other.exec('pragma wal_checkpoint(truncate)');
    await store.commit([change]);
    return pagesOf(`${file}-wal`).includes(Number(root));
  };
  const made = creating('sp-1');
  const waiting = moving(made.run, { status: 'sleeping' });
  const working = moving(waiting.run, { status: 'working' });
  const over = moving(working.run, ended('done'));
  const found = [await writes(made), await writes(waiting), await writes(working), await writes(over)];
  const live = await store.list({ ended: false });
  other.close();
  store.close();
  rmSync(dir, { recursive: true });
  expect({ found, live }).toEqual({ found: [true, false, false, true], live: [] });
});

/** The pages in a write-ahead log that was begun anew. */
function pagesOf(log: string): number[] {
  const wal = readFileSync(log);
  const frame = 24 + wal.readUInt32BE(8);
  const pages: number[] = [];
  for (let at = 32; at + frame <= wal.length; at += frame) pages.push(wal.readUInt32BE(at));
  return pages;
}
