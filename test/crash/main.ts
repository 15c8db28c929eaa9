import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import useMemoryFolder from '../support/memory-folder.ts';
import { openProcessRuns, type Point, type ProcessRun, type Reference } from './process-runs.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

/**
 * Kills a real process at every boundary of every scenario, starts it again, and compares with the run nobody
 * killed. Lost: something stored or answered is gone. Repeated: a call with a stored result ran again, an outside
 * write was done twice, or an answered gate was asked again. Diverged: another final state.
 */
interface Tally {
  scenarios: number;
  names: string[];
  points: number;
  /** Points not tried because an earlier scenario died in the very same world. */
  shared: number;
  lost: number;
  repeated: number;
  diverged: number;
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    workflow: { type: 'string' },
    /** One scenario, or the beginning of several names. */
    scenario: { type: 'string' },
    /** Only each n-th boundary, for a quick look; every one otherwise. 0: only the runs nobody kills. */
    every: { type: 'string', default: '1' },
    /** Only boundaries whose name contains this. */
    at: { type: 'string' },
    /** Every life plays to the end, also one that met the run nobody killed again. */
    whole: { type: 'boolean', default: false },
    /** Also between two git commands of one write. */
    git: { type: 'boolean', default: false },
  },
});
const say = (line: string) => process.stderr.write(`${line}\n`);
useMemoryFolder();
const processRuns = await openProcessRuns({ within: values.git ? 'git' : null, whole: values.whole, say });

const chosen = scenarios.filter(
  (scenario) =>
    (!values.workflow || scenario.workflow === values.workflow) &&
    (!values.scenario || scenario.name.startsWith(values.scenario)),
);
const workflows: Record<string, Tally> = {};
const worlds = new Set<string>();
for (const scenario of chosen) {
  const tally = workflows[scenario.workflow] ?? {
    scenarios: 0,
    names: [],
    points: 0,
    shared: 0,
    lost: 0,
    repeated: 0,
    diverged: 0,
  };
  workflows[scenario.workflow] = tally;
  tally.scenarios++;
  tally.names.push(scenario.name);
  await crashEverywhere(scenario, tally);
}
processRuns.remove();
for (const [name, tally] of Object.entries(workflows)) {
  say(
    `${name}: ${tally.scenarios} scenarios, ${tally.points} points (${tally.shared} more shared with them), ${tally.lost} lost, ${tally.repeated} repeated, ${tally.diverged} diverged`,
  );
}
if (values.json) process.stdout.write(`${JSON.stringify({ workflows })}\n`);
const bad = Object.values(workflows).some((tally) => tally.lost + tally.repeated + tally.diverged > 0);
process.exitCode = bad || chosen.length === 0 ? 1 : 0;

async function crashEverywhere(scenario: Scenario, tally: Tally): Promise<void> {
  const began = Date.now();
  const reference = await processRuns.reference(scenario);
  const { final, problems } = reference.summary;
  if (!final.includes(`"result":"${scenario.result}"`) || problems.length > 0) {
    const found = `${problems.join('; ')} ${final.slice(0, 4000)}`;
    throw new Error(`${scenario.name}: expected the result '${scenario.result}': ${found}`);
  }
  const fresh = reference.points.filter(({ world }) => !worlds.has(world));
  for (const { world } of fresh) worlds.add(world);
  tally.shared += reference.points.length - fresh.length;
  const points = chosenPoints(scenario, fresh);
  const count = points.length;
  const started = Date.now();
  const worker = async () => {
    for (let point = points.shift(); point !== undefined; point = points.shift()) {
      tally.points++;
      await crashAt({ scenario, reference, tally }, point);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker));
  const seconds = (from: number, to: number) => Math.round((to - from) / 100) / 10;
  say(
    `${scenario.workflow} ${scenario.name}: ${count} of ${reference.points.length} points (${reference.points.length - fresh.length} shared with an earlier one) in ${seconds(started, Date.now())} s; uncut ${seconds(began, started)} s`,
  );
}

/** Each n-th, shifted per scenario, so that a thin choice over all of them meets every kind of boundary. */
function chosenPoints(scenario: Scenario, all: readonly Point[]): Point[] {
  const every = Number(values.every);
  if (every === 0) return [];
  return all
    .filter(({ label }) => !values.at || label.includes(values.at))
    .filter((_, n) => (n + scenario.name.length) % Math.max(1, every || 1) === 0);
}

interface Crashing {
  readonly scenario: Scenario;
  readonly reference: Reference;
  readonly tally: Tally;
}

async function crashAt({ scenario, reference, tally }: Crashing, point: Point): Promise<void> {
  const where = `${scenario.name} point ${reference.points.indexOf(point) + 1} (${point.label})`;
  const { processRun, errors } = await processRuns.crash(scenario, point, reference);
  const report = (kind: 'lost' | 'repeated' | 'diverged', what: string) => {
    tally[kind]++;
    say(`${kind}: ${where}: ${what}`);
  };
  if (!processRun) return report('diverged', `did not come to an end after the restart: ${errors}`);
  const { summary } = processRun;
  const lost = [...processRun.missing.lost, ...processRun.after.lost];
  const repeated = [...processRun.missing.repeated, ...processRun.after.repeated];
  // One that rests is what the run nobody killed was there: what it wrote was compared already.
  if (processRun.ended) repeated.push(...writtenTwice(processRun, reference));
  if (lost.length > 0) report('lost', lost.join('; '));
  if (repeated.length > 0) report('repeated', repeated.join('; '));
  if (summary.problems.length > 0) report('diverged', summary.problems.join('; '));
  else if (processRun.ended && summary.final !== reference.summary.final)
    report('diverged', firstDifference(summary.final, reference.summary.final));
  else if (
    processRun.ended &&
    `${summary.outside}` !== `${reference.summary.outside}` &&
    repeated.length === 0
  ) {
    const gone = reference.summary.outside.filter((line) => !summary.outside.includes(line));
    const came = summary.outside.filter((line) => !reference.summary.outside.includes(line));
    report('diverged', `outside: ${came.join(' | ')} instead of ${gone.join(' | ')}`);
  }
}

/** More commits, lines or files than the run nobody killed made. */
function writtenTwice({ summary }: ProcessRun, reference: Reference): string[] {
  const { outside } = reference.summary;
  if (summary.outside.length <= outside.length) return [];
  return [`outside writes: ${summary.outside.filter((line) => !outside.includes(line)).join(', ')}`];
}

function firstDifference(one: string, two: string): string {
  let index = 0;
  while (one[index] === two[index]) index++;
  return `…${one.slice(Math.max(0, index - 60), index + 80)}… instead of …${two.slice(index, index + 80)}…`;
}
