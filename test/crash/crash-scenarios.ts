import type { FinishedPoints, Problem } from './finished-points.ts';
import type { Point, ProcessRun, ProcessRuns, Reference } from './process-runs.ts';
import type { Scenario } from './scenario.ts';

export interface CrashOptions {
  readonly scenarios: readonly Scenario[];
  readonly processRuns: Pick<ProcessRuns, 'reference' | 'crash'>;
  readonly finished: FinishedPoints;
  /** Only each n-th boundary. 0: only the uninterrupted runs. */
  readonly every: number;
  /** Only boundaries whose name contains this. */
  readonly at: string;
  readonly parallel: number;
  /** Once aborted, no further point starts, and what the interrupted ones found does not count. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Crashes every chosen point of every scenario that is not finished yet. */
export async function crashScenarios(options: CrashOptions): Promise<void> {
  const seen = new Map<string, string>();
  for (const scenario of options.scenarios) {
    if (options.finished.isComplete(scenario.name)) continue;
    try {
      await crashScenario(scenario, options, seen);
    } catch (error) {
      // The uninterrupted run was interrupted after all.
      if (!options.signal.aborted) throw error;
    }
    if (options.signal.aborted) return;
  }
}

/** `seen`: the worlds of this run and the scenario each was first met in. */
async function crashScenario(
  scenario: Scenario,
  options: CrashOptions,
  seen: Map<string, string>,
): Promise<void> {
  const { processRuns, finished, signal, say } = options;
  const { workflow, name } = scenario;
  const began = Date.now();
  const reference = await processRuns.reference(scenario);
  const { final, problems } = reference.summary;
  if (!final.includes(`"result":"${scenario.result}"`) || problems.length > 0) {
    const found = `${problems.join('; ')} ${final.slice(0, 4000)}`;
    throw new Error(`${name}: expected the result '${scenario.result}': ${found}`);
  }
  const own = reference.points.filter(({ world }) => {
    const owner = finished.ownerOf(world) ?? seen.get(world) ?? name;
    seen.set(world, owner);
    return owner === name;
  });
  const chosen = chosenPoints(scenario, own, options);
  const waiting = chosen.filter(({ world }) => finished.ownerOf(world) === undefined);
  const count = waiting.length;
  const started = Date.now();
  const worker = async () => {
    for (let point = waiting.shift(); point && !signal.aborted; point = waiting.shift()) {
      const found = problemsOf(await processRuns.crash(scenario, point, reference), reference);
      if (signal.aborted) return;
      const { label, world } = point;
      finished.addPoint({ workflow, scenario: name, label, world, problems: found });
      const where = `${name} point ${reference.points.indexOf(point) + 1} (${label})`;
      for (const { kind, what } of found) say(`${kind}: ${where}: ${what}`);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, worker));
  if (signal.aborted) return;
  const shared = reference.points.length - own.length;
  finished.addScenario({ workflow, scenario: name, shared, complete: chosen.length === own.length });
  const seconds = (from: number, to: number) => Math.round((to - from) / 100) / 10;
  say(
    `${workflow} ${name}: ${count} of ${reference.points.length} points (${shared} shared with another scenario, ${chosen.length - count} finished before) in ${seconds(started, Date.now())} s; uncut ${seconds(began, started)} s`,
  );
}

/** Each n-th, shifted per scenario, so that a thin choice over all of them meets every kind of boundary. */
function chosenPoints(scenario: Scenario, all: readonly Point[], { every, at }: CrashOptions): Point[] {
  if (every === 0) return [];
  return all
    .filter(({ label }) => label.includes(at))
    .filter((_, n) => (n + scenario.name.length) % every === 0);
}

function problemsOf(
  { processRun, errors }: Awaited<ReturnType<ProcessRuns['crash']>>,
  reference: Reference,
): Problem[] {
  if (!processRun) return [{ kind: 'diverged', what: `did not come to an end after the restart: ${errors}` }];
  const { summary } = processRun;
  const lost = [...processRun.missing.lost, ...processRun.after.lost];
  const repeated = [...processRun.missing.repeated, ...processRun.after.repeated];
  // One that waits is what the uninterrupted run was there: what it wrote was compared already.
  if (processRun.ended) repeated.push(...writtenTwice(processRun, reference));
  const found: Problem[] = [];
  if (lost.length > 0) found.push({ kind: 'lost', what: lost.join('; ') });
  if (repeated.length > 0) found.push({ kind: 'repeated', what: repeated.join('; ') });
  if (summary.problems.length > 0) found.push({ kind: 'diverged', what: summary.problems.join('; ') });
  else if (processRun.ended && summary.final !== reference.summary.final)
    found.push({ kind: 'diverged', what: firstDifference(summary.final, reference.summary.final) });
  else if (
    processRun.ended &&
    `${summary.outside}` !== `${reference.summary.outside}` &&
    repeated.length === 0
  ) {
    const gone = reference.summary.outside.filter((line) => !summary.outside.includes(line));
    const came = summary.outside.filter((line) => !reference.summary.outside.includes(line));
    found.push({ kind: 'diverged', what: `outside: ${came.join(' | ')} instead of ${gone.join(' | ')}` });
  }
  return found;
}

/** More commits, lines or files than the uninterrupted run made. */
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
