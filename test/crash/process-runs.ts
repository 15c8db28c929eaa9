import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleProcessRuns } from './bundle.ts';
import { copyFolder, layOut } from './folder.ts';
import type { Scenario } from './scenario.ts';
import type { Summary } from './summary.ts';
import { seedOf } from './world.ts';

/** What one life of the process under test came to. */
export interface ProcessRun {
  readonly passed: readonly Passed[];
  /** The digest of its history at its end. */
  readonly world: string;
  readonly missing: { readonly lost: readonly string[]; readonly repeated: readonly string[] };
  readonly after: { readonly lost: readonly string[]; readonly repeated: readonly string[] };
  /** Whether the run came to its end; else it rests, and nobody drives it. */
  readonly ended: boolean;
  readonly summary: Summary;
}

/** A boundary a life passed, and the digest of its history there. */
export interface Passed {
  readonly label: string;
  readonly world: string;
}

/** A place to die at: the folder the life starts from, and which of its boundaries it is. */
export interface Point extends Passed {
  readonly from: string;
  readonly at: number;
}

/** A run nobody killed: every point it passed, what it was at each rest, and its end. */
export interface Reference {
  readonly points: readonly Point[];
  readonly stops: ReadonlySet<string>;
  readonly summary: Summary;
}

/** Equal keys: equal rows, records, documents and outside writes. */
const keyOf = ({ final, outside }: Summary): string => JSON.stringify([final, outside]);

export interface ProcessRuns {
  reference(scenario: Scenario): Promise<Reference>;
  /**
   * Dies at the point, starts again and plays on until the run is what the run nobody killed was at a rest of its own:
   * from there on the two are one, and every point behind it is died in as well. Otherwise, or where `whole` is
   * wished, to the end; null when that end never came.
   */
  crash(scenario: Scenario, point: Point, reference: Reference): Promise<Lived>;
  remove(): void;
}

interface Lived {
  readonly processRun: ProcessRun | null;
  readonly errors: string;
}

/** Memory where there is some: a killed process loses nothing that a disk would have, and git syncs every file. */
const MEMORY = '/dev/shm';

interface ProcessRunsOptions {
  /** `git` where a life may also die between two git commands of one write. */
  readonly within: string | null;
  /** Every life plays to the end. */
  readonly whole: boolean;
  readonly say: (line: string) => void;
}

export async function openProcessRuns({ within, whole, say }: ProcessRunsOptions): Promise<ProcessRuns> {
  const memory = process.platform === 'linux' && existsSync(MEMORY) && !process.env.TMPDIR;
  const base = mkdtempSync(path.join(memory ? MEMORY : tmpdir(), 'baton-crash-'));
  process.env.NODE_COMPILE_CACHE ??= path.join(base, 'compiled');
  const bundle = await bundleProcessRuns(path.join(base, 'bundle'));
  let folders = 0;
  const newFolder = () => path.join(base, String(++folders).padStart(7, '0'));
  const copy = (from: string) => {
    const to = newFolder();
    copyFolder(from, to);
    return to;
  };
  const live = (scenario: Scenario, dir: string, how: How) =>
    processRunOf(
      [
        bundle.child,
        scenario.name,
        dir,
        how.kill ?? 0,
        how.stops ?? 0,
        bundle.worker,
        how.world ?? '',
        within ?? '',
      ].map(String),
      dir,
    );
  return {
    reference: async (scenario) => {
      const seed = newFolder();
      layOut(seed, scenario);
      const points: Point[] = [];
      const stops = new Set<string>();
      for (let [from, world] = [seed, seedOf(scenario)]; ; ) {
        // Copied only while no process is at work: it has ended, and the next one goes on from here.
        const dir = copy(from);
        const { processRun, errors } = await live(scenario, dir, { stops: 1, world });
        if (!processRun) throw new Error(`${scenario.name}: the run nobody killed did not finish: ${errors}`);
        points.push(...processRun.passed.map((passed, n) => ({ from, at: n + 1, ...passed })));
        if (processRun.ended) return { points, stops, summary: processRun.summary };
        stops.add(keyOf(processRun.summary));
        [from, world] = [dir, processRun.world];
      }
    },
    crash: async (scenario, point, { stops }) => {
      const dir = copy(point.from);
      const first = await live(scenario, dir, { kill: point.at });
      if (first.signal !== 'SIGKILL') say(`${scenario.name} (${point.label}): was not killed`);
      const second = await live(scenario, dir, { stops: whole ? 0 : 1 });
      const met =
        second.processRun && !second.processRun.ended && stops.has(keyOf(second.processRun.summary));
      const last = met || second.processRun?.ended ? second : await live(scenario, dir, {});
      rmSync(dir, { recursive: true, force: true });
      return last;
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** The boundary to die at, the rests to stop after, and the history so far. */
interface How {
  readonly kill?: number;
  readonly stops?: number;
  readonly world?: string;
}

function processRunOf(
  args: readonly string[],
  dir: string,
): Promise<{ processRun: ProcessRun | null; errors: string; signal: NodeJS.Signals | null }> {
  const file = path.join(dir, 'summary.json');
  rmSync(file, { force: true });
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const errors: Buffer[] = [];
    const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.on('error', reject);
    child.on('close', (_code, signal) => {
      clearTimeout(timer);
      const processRun = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ProcessRun) : null;
      resolve({ processRun, errors: Buffer.concat(errors).toString('utf8').slice(0, 1500), signal });
    });
  });
}
