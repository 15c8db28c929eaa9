import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import useMemoryFolder from '../support/memory-folder.ts';
import { crashScenarios } from './crash-scenarios.ts';
import { openFinishedPoints } from './finished-points.ts';
import { openProcessRuns } from './process-runs.ts';
import { scenarios } from './scenarios.ts';
import { inShard, parseShard } from './shard.ts';

/**
 * Kills a real process at every boundary of every scenario, starts it again, and compares with the uninterrupted run.
 * Lost: something stored or answered is gone. Repeated: a call with a stored result ran again, an outside write was
 * done twice, or an answered gate was asked again. Diverged: another final state.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    workflow: { type: 'string' },
    /** One scenario, or the beginning of several names. */
    scenario: { type: 'string' },
    /** Only each n-th boundary, for a quick look; every one otherwise. 0: only the uninterrupted runs. */
    every: { type: 'string', default: '1' },
    /** Only boundaries whose name contains this. */
    at: { type: 'string', default: '' },
    /** Each resumed run plays to its end, also one whose state equals that of the uninterrupted run before. */
    whole: { type: 'boolean', default: false },
    /** Also between two git commands of one write. */
    git: { type: 'boolean', default: false },
    /** `i/n`: only each n-th of the chosen scenarios, from the i-th. */
    shard: { type: 'string', default: '1/1' },
    /** Stores finished points and omits those that an earlier run with these sources stored. */
    continue: { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stderr.write(`${line}\n`);
const shard = parseShard(values.shard);
if (!shard) throw new Error(`--shard ${values.shard}: expected i/n with 1 <= i <= n, such as 2/3`);
if (!/^\d+$/.test(values.every)) throw new Error(`--every ${values.every}: expected a whole number`);
const chosen = inShard(
  scenarios.filter(
    (scenario) =>
      (!values.workflow || scenario.workflow === values.workflow) &&
      (!values.scenario || scenario.name.startsWith(values.scenario)),
  ),
  shard,
);
const finished = openFinishedPoints(values.continue ? storeFolder() : null, values.shard);
for (const { scenario, label, problems } of finished.problems())
  for (const { kind, what } of problems) say(`${kind}: ${scenario} (${label}), found before: ${what}`);

const interrupted = new AbortController();
// The processes under test get Ctrl-C too and end by it: what they were at does not count.
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupted.abort());
useMemoryFolder();
const processRuns = await openProcessRuns({ within: values.git ? 'git' : null, whole: values.whole, say });
await crashScenarios({
  scenarios: chosen,
  processRuns,
  finished,
  every: Number(values.every),
  at: values.at,
  parallel: availableParallelism() + 1,
  signal: interrupted.signal,
  say,
}).finally(processRuns.remove);

const workflows = finished.sums();
for (const [name, tally] of Object.entries(workflows)) {
  say(
    `${name}: ${tally.scenarios} scenarios, ${tally.points} points (${tally.shared} more shared with them), ${tally.lost} lost, ${tally.repeated} repeated, ${tally.diverged} diverged`,
  );
}
if (interrupted.signal.aborted) say('Interrupted. The same command with --continue continues from here.');
const missing = scenarios.filter(({ name }) => !finished.isComplete(name)).length;
if (values.continue && missing > 0) say(`${missing} of ${scenarios.length} scenarios are not complete.`);
if (values.json) process.stdout.write(`${JSON.stringify({ workflows })}\n`);
const bad = Object.values(workflows).some((tally) => tally.lost + tally.repeated + tally.diverged > 0);
process.exitCode = bad || chosen.length === 0 || interrupted.signal.aborted ? 1 : 0;

/** Points stored under other sources, or with boundaries between git commands, are other points. */
function storeFolder(): string {
  const files = globSync(['src/**/*.*', 'test/{crash,support}/**/*.*', 'package-lock.json']).sort();
  const hash = createHash('sha256').update(JSON.stringify([values.git, values.whole]));
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(file));
  return path.join('.crash', hash.digest('hex').slice(0, 24));
}
