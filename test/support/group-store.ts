import { appendFileSync } from 'node:fs';
import { openSqliteStore } from '../../src/adapters/store-sqlite/open.ts';
import { creating, moving } from './changes.ts';

/**
 * A process that moves 16 runs together, again and again, until it dies: `group-store.ts <file> <told> <die>`. Every
 * commit it was told of is a line in `told`. `queued`: it ends itself while the second group waits for its commit;
 * `told`: at the first word of the second group; `never`: somebody else ends it.
 */
const [file = '', told = '', die = ''] = process.argv.slice(2);
const store = await openSqliteStore({ file, now: () => new Date().toISOString() });
const holder = { host: 'here', pid: process.pid, start: '1' };
const ids = Array.from({ length: 16 }, (_, n) => `sp-${n}`);
const end = () => process.kill(process.pid, 'SIGKILL');

await store.commit(ids.map((id) => creating(id, { holder })));
for (let round = 1; ; round++) {
  const rows = await Promise.all(ids.map((id) => store.load(id)));
  const group = rows.map(async (run) => {
    if (!run) throw new Error('a run is gone');
    const result = await store.commit([moving(run)]);
    if (round === 2 && die === 'told') end();
    appendFileSync(told, `${run.id} ${run.revision + 1} ${result.kind}\n`);
  });
  if (round === 2 && die === 'queued') end();
  await Promise.all(group);
}
