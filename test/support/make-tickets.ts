import { openLabAt } from './lab.ts';
import { ticketProbe } from './probe.ts';

/** A process of its own that makes tickets as fast as it can and prints their ids. */
const [root = '', home = '', count = '0'] = process.argv.slice(2);
const lab = await openLabAt(
  { root, home },
  { wrap: (deps) => ({ ...deps, workflow: async () => ticketProbe }) },
);
const made: string[] = [];
for (let n = 0; n < Number(count); n++) made.push((await lab.start('conduct', { script: [] })).run);
console.log(JSON.stringify(made));
await lab.close();
