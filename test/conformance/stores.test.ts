import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore } from '../../src/adapters/store-memory/open.ts';
import { createTables } from '../../src/adapters/store-memory/tables.ts';
import { openSqliteStore } from '../../src/adapters/store-sqlite/open.ts';
import { storeConformance } from './store.ts';

storeConformance('memory', (now) => {
  const tables = createTables();
  return { open: async () => createMemoryStore({ now, tables }), remove: () => {} };
});

storeConformance('sqlite', (now) => {
  const dir = mkdtempSync(join(tmpdir(), 'baton-store-'));
  return {
    open: () => openSqliteStore({ file: join(dir, 'baton.db'), now }),
    remove: () => rmSync(dir, { recursive: true }),
  };
});
