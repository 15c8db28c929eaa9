import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Connection, connect, readPragma } from './connection.ts';
import { refuse } from './store-errors.ts';

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
    throw refuse('store_read_only', `${file} is of an older version and cannot be brought up to date here`);
  } finally {
    // SQLite has the copy open by now. Nothing else needs its name.
    rmSync(dir, { recursive: true, force: true });
  }
}
