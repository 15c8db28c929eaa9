import path from 'node:path';
import { walCommits } from '../test/support/wal-commits.ts';
import { openBare } from './bare.ts';
import { openBaton, type Work } from './baton.ts';
import { type Contender, TRANSITIONS } from './job.ts';
import type { Peer } from './peer.ts';
import { median, timed } from './stats.ts';

const ALONE = 250;
const ROUNDS = 25;
const TOGETHER = 16;

/** Milliseconds per run, medians. Null where the peer is missing. */
export interface Throughput {
  readonly bare: number;
  readonly baton: number;
  readonly baton_16: number;
  readonly baton_16_lockstep: number;
  readonly langgraph: number | null;
  readonly langgraph_16: number | null;
  readonly commits_per_transition: number;
}

/** The same job on all of them, run by run in turn, so that a slow moment of the machine meets all alike. */
export async function measureThroughput(dir: string, peer: Peer | null): Promise<Throughput> {
  const bare = openBare(path.join(dir, 'bare.db'));
  const alone = await openBaton(path.join(dir, 'alone'), async () => {});
  const apart = await openBaton(path.join(dir, 'apart'), atDifferentTicks());
  const lockstep = await openBaton(path.join(dir, 'lockstep'), tick);
  await warmUp([bare, alone, apart, lockstep], peer);
  const commits_per_transition = await countCommits(path.join(dir, 'alone', 'baton.db'), alone);
  const one: Samples = { bare: [], baton: [], langgraph: [] };
  for (let n = 0; n < ALONE; n++) {
    one.bare.push(await timed(() => bare.one(`one-${n}`)));
    one.baton.push(await timed(() => alone.one(`one-${n}`)));
    if (peer && n % 3 === 0) one.langgraph.push(await peer.run([`one-${n}`], 1));
  }
  const many: Samples & { lockstep: number[] } = { bare: [], baton: [], lockstep: [], langgraph: [] };
  for (let n = 0; n < ROUNDS; n++) {
    for (let k = 0; k < 4; k++) many.bare.push(await timed(() => bare.one(`many-${n}-${k}`)));
    many.baton.push((await timed(() => inFlight(apart, 3 * TOGETHER))) / (3 * TOGETHER));
    many.lockstep.push((await timed(() => inFlight(lockstep, TOGETHER))) / TOGETHER);
    if (peer && n % 4 === 0) many.langgraph.push((await peer.run(ids(n), TOGETHER)) / TOGETHER);
  }
  await Promise.all([bare, alone, apart, lockstep].map((contender) => contender.close()));
  // Both halves are compared with the bare loop of their own time; the figures are put on one scale by it.
  const scale = median(one.bare) / median(many.bare);
  return {
    bare: median(one.bare),
    baton: median(one.baton),
    baton_16: median(many.baton) * scale,
    baton_16_lockstep: median(many.lockstep) * scale,
    langgraph: peer ? median(one.langgraph) : null,
    langgraph_16: peer ? median(many.langgraph) * scale : null,
    commits_per_transition,
  };
}

interface Samples {
  readonly bare: number[];
  readonly baton: number[];
  readonly langgraph: number[];
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One to eight turns of the event loop, the same sequence every time. */
function atDifferentTicks(): Work {
  let seed = 1;
  return async () => {
    // The low bits of such a sequence repeat at once, and a product beyond 2^53 has none: `imul` and the high ones.
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    for (let turns = 1 + ((seed >>> 16) % 8); turns > 0; turns--) await tick();
  };
}

let named = 0;

async function inFlight(contender: Contender, runs: number): Promise<void> {
  let left = runs;
  const worker = async () => {
    while (left-- > 0) await contender.one(`run-${named++}`);
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}

function ids(round: number): string[] {
  return Array.from({ length: TOGETHER }, (_, n) => `many-${round}-${n}`);
}

async function warmUp(contenders: readonly Contender[], peer: Peer | null): Promise<void> {
  for (const contender of contenders) for (let n = 0; n < 40; n++) await contender.one(`warm-${n}`);
  if (peer)
    await peer.run(
      Array.from({ length: 20 }, (_, n) => `warm-${n}`),
      1,
    );
}

/** Read from the file itself, over runs that fit into one round of the log. */
async function countCommits(file: string, contender: Contender): Promise<number> {
  for (let tries = 0; tries < 20; tries++) {
    const before = walCommits(file);
    for (let n = 0; n < 4; n++) await contender.one(`count-${tries}-${n}`);
    const commits = walCommits(file) - before;
    if (commits > 0) return commits / (4 * TRANSITIONS);
  }
  throw new Error('the log was begun anew each time');
}
