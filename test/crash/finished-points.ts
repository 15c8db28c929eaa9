import { appendFileSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Lost: something stored or answered is gone. Repeated: something was done twice. Diverged: another final state. */
type Kind = 'lost' | 'repeated' | 'diverged';

export interface Problem {
  readonly kind: Kind;
  readonly what: string;
}

/** A point that was crashed, and what was wrong afterwards. */
interface FinishedPoint {
  readonly workflow: string;
  readonly scenario: string;
  readonly label: string;
  readonly world: string;
  readonly problems: readonly Problem[];
}

/** A scenario that was gone through: `complete` if all its points are finished, but for those shared with others. */
interface FinishedScenario {
  readonly workflow: string;
  readonly scenario: string;
  readonly shared: number;
  readonly complete: boolean;
}

/** The sums of one workflow. */
interface Tally {
  scenarios: number;
  names: string[];
  points: number;
  /** Points not tried because another scenario is crashed in the very same world. */
  shared: number;
  lost: number;
  repeated: number;
  diverged: number;
}

export interface FinishedPoints {
  /** The scenario that was crashed in this world. */
  ownerOf(world: string): string | undefined;
  isComplete(scenario: string): boolean;
  addPoint(point: FinishedPoint): void;
  addScenario(scenario: FinishedScenario): void;
  /** Every point with a problem, those of earlier runs and other shards included. */
  problems(): readonly FinishedPoint[];
  /** Per workflow, over the stored points of all shards. */
  sums(): Record<string, Tally>;
}

type Line = FinishedPoint | FinishedScenario;

/**
 * Finished points in memory. With a folder they are also stored there, one file per shard and one line per point, and
 * the lines of all files are read first: an interrupted run continues, and files from another machine can be added.
 */
export function openFinishedPoints(folder: string | null, shard = '1/1'): FinishedPoints {
  const points = new Map<string, FinishedPoint>();
  const bad: FinishedPoint[] = [];
  const finished = new Map<string, FinishedScenario>();
  const take = (line: Line) => {
    if ('shared' in line) finished.set(line.scenario, line);
    else {
      if (!points.has(line.world)) points.set(line.world, line);
      if (line.problems.length > 0) bad.push(line);
    }
  };
  for (const line of folder === null ? [] : readLines(folder)) take(line);
  const file = folder === null ? null : path.join(folder, `${shard.replace('/', '-of-')}.jsonl`);
  if (folder !== null) mkdirSync(folder, { recursive: true });
  const add = (line: Line) => {
    take(line);
    // The line break comes first: a line that a killed process left half-written stays alone.
    if (file !== null) appendFileSync(file, `\n${JSON.stringify(line)}`);
  };
  return {
    ownerOf: (world) => points.get(world)?.scenario,
    isComplete: (scenario) => finished.get(scenario)?.complete === true,
    addPoint: add,
    addScenario: add,
    problems: () => bad,
    sums: () => sumsOf([...points.values()], [...finished.values()], bad),
  };
}

/** A line that a killed process left half-written does not count: its point is crashed again. */
function readLines(folder: string): Line[] {
  const files = globSync('*.jsonl', { cwd: folder }).sort();
  const lines = files.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'));
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });
}

function sumsOf(
  points: readonly FinishedPoint[],
  finished: readonly FinishedScenario[],
  bad: readonly FinishedPoint[],
): Record<string, Tally> {
  const all: readonly Line[] = [...points, ...finished];
  const tallyOf = (workflow: string): Tally => {
    const own = <Some extends Line>(lines: readonly Some[]) =>
      lines.filter((line) => line.workflow === workflow);
    const names = [...new Set(own(all).map(({ scenario }) => scenario))];
    const count = (kind: Kind) =>
      own(bad).flatMap(({ problems }) => problems.filter((problem) => problem.kind === kind)).length;
    return {
      scenarios: names.length,
      names,
      points: own(points).length,
      shared: own(finished).reduce((sum, { shared }) => sum + shared, 0),
      lost: count('lost'),
      repeated: count('repeated'),
      diverged: count('diverged'),
    };
  };
  const workflows = [...new Set(all.map(({ workflow }) => workflow))];
  return Object.fromEntries(workflows.map((workflow) => [workflow, tallyOf(workflow)]));
}
