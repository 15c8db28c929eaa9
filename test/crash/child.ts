import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Processes } from '../../src/ports/processes.ts';
import { type Boundary, betweenGitCommands, withBoundaries } from './boundaries.ts';
import { begin, openJournal, play } from './person.ts';
import type { Passed } from './process-runs.ts';
import { openScenarioLab } from './scenario-lab.ts';
import { scenarios } from './scenarios.ts';
import { missingAfterRestart, summarise } from './summary.ts';
import { openWorld } from './world.ts';

/**
 * One life of the process under test:
 * `child <scenario> <folder> <boundary to die at, or 0> <rests to stop after, or 0> <worker program> <world> [git]`.
 */
const [name, dir, last, stops, worker, from, more] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string?,
];
const killAt = Number(last);
const scenario = scenarios.find((candidate) => candidate.name === name);
if (!scenario) throw new Error(`no scenario '${name}'`);

const passed: Passed[] = [];
const world = openWorld(scenario, from, dir);
let armed = false;
const boundary: Boundary = (label, doLast) => {
  if (!armed) return;
  world.tell(label);
  passed.push({ label, world: world.digest() });
  if (passed.length !== killAt) return;
  doLast?.();
  process.kill(process.pid, 'SIGKILL');
};
if (more === 'git') betweenGitCommands(boundary);

const journal = openJournal(dir);
const stored = new Set<string>();
const onStart = (call_id: string) => {
  const effect = call_id.slice(0, call_id.lastIndexOf('.'));
  if (stored.has(effect))
    journal.write({ seen: 'repeated', what: `${call_id} ran again although its result was stored` });
};

/** Lives run side by side on one machine, with equal ids, and sweep by mark: each folder has marks of its own. */
const apart = (processes: Processes): Processes => ({
  ...processes,
  spawn: (spec) => processes.spawn({ ...spec, call_id: `${path.basename(dir)}~${spec.call_id}` }),
  killLeftovers: (call_id, tree) => processes.killLeftovers(`${path.basename(dir)}~${call_id}`, tree),
});

const lab = await openScenarioLab(dir, scenario, {
  worker,
  processes: apart,
  wrap: (deps) =>
    withBoundaries(
      { ...deps, ids: { short: (n) => (n < 6 ? 'zzzzz'.slice(0, n) : deps.ids.short(n)) } },
      { at: boundary, onStart, tell: world.tell },
    ),
});

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
const end = await play(lab, scenario, journal, { stops: Number(stops) });
armed = false;
const ended = end === 'ended';
const summary = await summarise(lab, scenario, ended);
const after = await missingAfterRestart(lab, journal);
writeFileSync(
  path.join(dir, 'summary.json'),
  JSON.stringify({ passed, world: world.digest(), missing, after, ended, summary }),
);
await lab.api.close();
