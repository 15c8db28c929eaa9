import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';

/** How many daily backups are stored. */
const KEPT = 7;

/** Pages copied at a time, on a separate thread: 100 pages blocked the event loop for less than 1 ms. */
const RATE = 100;

/** Matches `baton.db.2026-01-02.bak`. A migration names its backup `baton.db.v1-....bak`, which does not match. */
const DAILY = /\.\d{4}-\d\d-\d\d\.bak$/;

/**
 * Backs the store up after the first commit of this process, if this day has no backup yet. The backup is built under a
 * temporary name and renamed when it is complete. If the process ends first, the next one makes the backup. Errors do
 * not stop the work.
 */
export function createDailyBackup(db: DatabaseSync, file: string, now: () => string): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    const target = `${file}.${now().slice(0, 10)}.bak`;
    if (!existsSync(target)) void backUp(db, file, target).catch(() => undefined);
  };
}

async function backUp(db: DatabaseSync, file: string, target: string): Promise<void> {
  // If this process dies, the next opening removes the file (removeUnfinished).
  const building = `${target}.${process.pid}-0.new`;
  await backup(db, building, { rate: RATE });
  const handle = await open(building, 'r+');
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(building, target);
  for (const old of backupsOf(file)
    .filter((path) => DAILY.test(path))
    .slice(KEPT))
    rmSync(old, { force: true });
}

/** All backups of a store, the newest first. */
export function backupsOf(file: string): string[] {
  const dir = dirname(file);
  const names = readdirSync(dir).filter(
    (name) => name.startsWith(`${basename(file)}.`) && name.endsWith('.bak'),
  );
  const age = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return names.map((name) => join(dir, name)).sort((a, b) => age(b) - age(a));
}
