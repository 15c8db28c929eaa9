import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/adapters/store-sqlite/open.ts';
import { storeConformance } from './store.ts';

storeConformance('sqlite', (now) => {
  const dir = mkdtempSync(join(tmpdir(), 'baton-store-'));
  return {
    open: () => openSqliteStore({ file: join(dir, 'baton.db'), now }),
    remove: () => rmSync(dir, { recursive: true }),
  };
});
