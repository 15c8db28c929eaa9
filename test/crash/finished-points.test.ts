import { appendFileSync, copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { crashScenarios } from './crash-scenarios.ts';
import { type FinishedPoints, openFinishedPoints } from './finished-points.ts';
import type { Point, ProcessRun, Reference } from './process-runs.ts';
import type { Scenario } from './scenario.ts';
import { scenarios as ALL } from './scenarios.ts';
import { inShard, parseShard } from './shard.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'baton-points-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Three scenarios. The first two share their first point; the other points are their own. */
const SCENARIOS = ['one', 'two', 'three'].map(
  (name): Scenario => ({
    name,
    workflow: name === 'three' ? 'deliver' : 'spec',
    input: {},
    script: '',
    answers: {},
    result: 'done',
  }),
);
const SHARED = { spec: 'start', deliver: 'other start' } as Record<string, string>;

function pointsOf({ name, workflow }: Scenario): Point[] {
  const worlds = [SHARED[workflow] ?? '', `${name} 2`, `${name} 3`];
  return worlds.map((world, n) => ({ world, label: `commit ${n + 1}`, from: name, at: n + 1 }));
}

const SUMMARY = { final: '"result":"done"', outside: [], problems: [] };
const NONE = { lost: [], repeated: [] };
const FINE: ProcessRun = {
  passed: [],
  world: '',
  missing: NONE,
  after: NONE,
  ended: true,
  summary: SUMMARY,
};

interface Played {
  readonly crashed: string[];
  readonly references: string[];
  readonly said: string[];
}

interface PlayOptions {
  /** Interrupted while this world is crashed. */
  readonly interruptAt?: string;
  /** This world loses an answer. */
  readonly lostAt?: string;
  readonly scenarios?: readonly Scenario[];
  readonly every?: number;
}

async function play(finished: FinishedPoints, options: PlayOptions = {}): Promise<Played> {
  const { interruptAt, lostAt, scenarios = SCENARIOS, every = 1 } = options;
  const [crashed, references, said]: [string[], string[], string[]] = [[], [], []];
  const interrupted = new AbortController();
  await crashScenarios({
    scenarios,
    finished,
    every,
    at: '',
    parallel: 1,
    signal: interrupted.signal,
    say: (line) => said.push(line),
    processRuns: {
      reference: async (scenario) => {
        references.push(scenario.name);
        return { points: pointsOf(scenario), stops: new Set(), summary: SUMMARY } satisfies Reference;
      },
      crash: async (_scenario, { world }) => {
        crashed.push(world);
        if (world === interruptAt) {
          interrupted.abort();
          return { processRun: null, errors: 'killed by Ctrl-C' };
        }
        const missing = world === lostAt ? { lost: ['an answer'], repeated: [] } : NONE;
        return { processRun: { ...FINE, missing }, errors: '' };
      },
    },
  });
  return { crashed, references, said };
}

const WHOLE = {
  spec: { scenarios: 2, names: ['one', 'two'], points: 5, shared: 1, lost: 0, repeated: 0, diverged: 0 },
  deliver: { scenarios: 1, names: ['three'], points: 3, shared: 0, lost: 0, repeated: 0, diverged: 0 },
};

describe('a run of all scenarios', () => {
  test('crashes a world that two scenarios share once', async () => {
    const finished = openFinishedPoints(null);
    const { crashed } = await play(finished);
    expect(crashed).toEqual([
      'start',
      'one 2',
      'one 3',
      'two 2',
      'two 3',
      'other start',
      'three 2',
      'three 3',
    ]);
    expect(finished.sums()).toEqual(WHOLE);
  });

  test('counts what was lost, and says where', async () => {
    const finished = openFinishedPoints(null);
    const { said } = await play(finished, { lostAt: 'two 3' });
    expect(said).toContain('lost: two point 3 (commit 3): an answer');
    expect(finished.sums()).toEqual({ ...WHOLE, spec: { ...WHOLE.spec, lost: 1 } });
  });
});

describe('a run that stores its points', () => {
  test('continues after an interruption: each point is crashed once, and the sums are those of one whole run', async () => {
    const first = await play(openFinishedPoints(folder), { interruptAt: 'two 2' });
    expect(first.crashed).toEqual(['start', 'one 2', 'one 3', 'two 2']);
    const continued = openFinishedPoints(folder);
    const second = await play(continued);
    expect(second.references).toEqual(['two', 'three']);
    expect(second.crashed).toEqual(['two 2', 'two 3', 'other start', 'three 2', 'three 3']);
    expect(continued.sums()).toEqual(WHOLE);
    expect((await play(openFinishedPoints(folder))).references).toEqual([]);
  });

  test('does not count what was found while it was interrupted', async () => {
    const finished = openFinishedPoints(folder);
    await play(finished, { interruptAt: 'one 2' });
    expect(finished.sums().spec).toMatchObject({ points: 1, diverged: 0 });
  });

  test('remembers a problem, also of a point that is not crashed again', async () => {
    await play(openFinishedPoints(folder), { lostAt: 'one 3' });
    const continued = openFinishedPoints(folder);
    expect(continued.problems()).toMatchObject([{ scenario: 'one', problems: [{ kind: 'lost' }] }]);
    await play(continued);
    expect(continued.sums()).toEqual({ ...WHOLE, spec: { ...WHOLE.spec, lost: 1 } });
  });

  test('does not take a sample for the whole scenario', async () => {
    await play(openFinishedPoints(folder), { every: 2 });
    const continued = openFinishedPoints(folder);
    expect(SCENARIOS.filter(({ name }) => continued.isComplete(name))).toEqual([]);
    await play(continued);
    expect(continued.sums()).toEqual(WHOLE);
  });

  test('crashes a point again whose line was left half-written, and what follows is read', async () => {
    await play(openFinishedPoints(folder), { interruptAt: 'one 3' });
    const [file = ''] = readdirSync(folder).map((name) => path.join(folder, name));
    appendFileSync(file, '\n{"workflow":"spec","scenario":"one","wor');
    const continued = openFinishedPoints(folder);
    expect((await play(continued)).crashed.slice(0, 2)).toEqual(['one 3', 'two 2']);
    expect(openFinishedPoints(folder).sums()).toEqual(WHOLE);
  });
});

describe('shards', () => {
  test('cover every scenario once, and the last one sums up all of them', async () => {
    for (const i of [1, 2]) {
      const shard = parseShard(`${i}/2`) ?? expect.unreachable();
      await play(openFinishedPoints(folder, `${i}/2`), { scenarios: inShard(SCENARIOS, shard) });
    }
    expect(readdirSync(folder).sort()).toEqual(['1-of-2.jsonl', '2-of-2.jsonl']);
    expect(openFinishedPoints(folder).sums()).toEqual({
      deliver: WHOLE.deliver,
      spec: { ...WHOLE.spec, names: expect.arrayContaining(['one', 'two']) as string[] },
    });
  });

  test('that crashed the same world on two machines count it once', async () => {
    const other = mkdtempSync(path.join(tmpdir(), 'baton-points-'));
    await play(openFinishedPoints(folder, '1/2'));
    await play(openFinishedPoints(other, '2/2'));
    const [name = ''] = readdirSync(other);
    copyFileSync(path.join(other, name), path.join(folder, name));
    rmSync(other, { recursive: true });
    expect(openFinishedPoints(folder).sums()).toEqual(WHOLE);
  });

  test.each([1, 2, 3, 7])('%d of them are all scenarios of the crash run', (n) => {
    const parts = Array.from({ length: n }, (_, at) => inShard(ALL, { i: at + 1, n }));
    expect(
      parts
        .flat()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(ALL.map(({ name }) => name).sort());
  });

  test.each(['0/3', '4/3', '1', '1/0', 'a/b', '-1/2', '1/2/3', ''])('%j is not a shard', (text) => {
    expect(parseShard(text)).toBeUndefined();
  });
});
