import { openSqliteStore } from '../../src/adapters/store-sqlite/open.ts';
import { anEvent, creating, moving } from './changes.ts';

/**
 * A process that moves one shared run and one of its own `count` times each: `hammer-store.ts <file> <name> <count>`.
 * A stale commit is loaded and decided again, as the runtime does.
 */
const [file = '', name = '', count = '0'] = process.argv.slice(2);
const store = await openSqliteStore({ file, now: () => new Date().toISOString() });

async function move(id: string, n: number): Promise<void> {
  for (;;) {
    const run = await store.load(id);
    if (!run) throw new Error(`${id} is gone`);
    const events = [anEvent(id, run.seq + 1, { by: name, input: { n } })];
    const result = await store.commit([moving(run, {}, { events })]);
    if (result.kind === 'committed') return;
  }
}

await store.commit([creating('sp-shared')]);
await store.commit([creating(`sp-${name}`)]);
for (let n = 1; n <= Number(count); n++) {
  await move('sp-shared', n);
  await move(`sp-${name}`, n);
}
store.close();
