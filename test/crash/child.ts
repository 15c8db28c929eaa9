import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openLabAt } from '../support/lab.ts';
import { withBoundaries } from './boundaries.ts';
import { begin, openJournal, play } from './person.ts';
import { scenarios } from './scenarios.ts';
import { lifeId, missingAfterRestart, summarise } from './summary.ts';

/** One life of the process under test: `child <scenario> <folder> <boundary to die at, or 0> <worker program>`. */
const [name, dir, last, worker] = process.argv.slice(2) as [string, string, string, string];
const killAt = Number(last);
const scenario = scenarios.find((candidate) => candidate.name === name);
if (!scenario) throw new Error(`no scenario '${name}'`);

const life = lifeId(dir);
let count = 0;
const labels: string[] = [];
let armed = false;
const boundary = (label: string) => {
  if (!armed) return;
  count++;
  labels.push(label);
  if (count === killAt) process.kill(process.pid, 'SIGKILL');
};

const journal = openJournal(dir);
const stored = new Set<string>();
const onStart = (key: string) => {
  const effect = key.slice(0, key.lastIndexOf('.'));
  if (stored.has(effect))
    journal.write({ seen: 'repeated', what: `worker ${key} ran again although its result was stored` });
};

const lab = await openLabAt(
  { root: path.join(dir, 'photos'), home: path.join(dir, 'home') },
  {
    score: scenario.score,
    worker,
    wrap: (deps) =>
      withBoundaries(
        {
          ...deps,
          // Lives run side by side on one machine and sweep by run id: each folder has ids of its own.
          ids: { short: (n) => (n < 6 ? `${life}${n === 3 ? '' : n}` : deps.ids.short(n)) },
          outside: {
            deploy: {
              perform: async (op) => {
                appendFileSync(
                  path.join(dir, 'deployed.log'),
                  `${op.effect.split('/')[0]} ${op.input.line}\n`,
                  { flush: true },
                );
                return {};
              },
            },
          },
        },
        boundary,
        onStart,
      ),
  },
);

for (const run of await lab.api.list(true)) {
  for (const effect of await lab.deps.store.effects(run.id, run.turn))
    if (effect.result !== null) stored.add(effect.id);
  for (const { type, turn, input } of await lab.deps.store.events(run.id, 0, 10_000)) {
    if (type !== 'step_settled') continue;
    for (const n of Object.keys((input as { results: object }).results)) stored.add(`${run.id}/${turn}/${n}`);
  }
}
const missing = await missingAfterRestart(lab, journal);
for (const earlier of scenario.before ?? []) {
  if ((await lab.api.list(true)).length > 0) break;
  const handle = await begin(lab, earlier);
  await handle.advance();
  await handle.close();
}
armed = true;
await play(lab, scenario, journal);
armed = false;
const summary = await summarise(lab, scenario.asks ?? false, life);
const after = await missingAfterRestart(lab, journal);
writeFileSync(path.join(dir, 'summary.json'), JSON.stringify({ count, labels, missing, after, summary }));
await lab.api.close();
