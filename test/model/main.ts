import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { RULES } from './rule-break.ts';
import { type Found, search } from './search.ts';
import { WORLDS } from './worlds.ts';

/**
 * Searches every state each workflow can reach in its small world and holds it against the rules. A rule that is broken
 * is shown with the shortest way there. One thread per workflow.
 */
interface Searched extends Found {
  readonly seconds: number;
}

const say = (line: string) => process.stderr.write(`${line}\n`);

if (isMainThread) await main();
else parentPort?.postMessage(searchOne(workerData as string));

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, workflow: { type: 'string' } },
  });
  const names = Object.keys(WORLDS).filter((name) => !values.workflow || name === values.workflow);
  const waiting = [...names];
  const found = new Map<string, Searched>();
  const searchNext = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      found.set(name, await inThread(name));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, searchNext));
  const rows = names.map((name) => [name, found.get(name) as Searched] as const);
  for (const [name, { violations }] of rows) {
    for (const { rule, what, path } of violations) {
      say(`\n${name} breaks ${rule} (${RULES[rule]}): ${what}`);
      for (const line of path) say(`  ${line}`);
    }
  }
  if (values.json) {
    const counts = rows.map(([name, { states, violations }]) => [
      name,
      { states, violations: violations.length },
    ]);
    process.stdout.write(`${JSON.stringify({ workflows: Object.fromEntries(counts) })}\n`);
  } else process.stdout.write(table(rows));
  const bad = rows.some(([, { violations }]) => violations.length > 0);
  process.exitCode = bad || rows.length === 0 ? 1 : 0;
}

function inThread(name: string): Promise<Searched> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: name, stderr: false });
    thread.once('message', resolve);
    thread.once('error', reject);
  });
}

function searchOne(name: string): Searched {
  const world = WORLDS[name];
  if (!world) throw new Error(`no world of '${name}'`);
  const began = performance.now();
  const progress = (states: number, moves: number, open: number) =>
    say(`${name}: ${states} states, ${moves} moves, ${open} still to follow`);
  const found = search(world, { say: progress });
  return { ...found, seconds: (performance.now() - began) / 1000 };
}

function table(rows: readonly (readonly [string, Searched])[]): string {
  const head = ['workflow', 'states', 'moves', 'by itself', 'seconds', 'states/s', 'violations'];
  const body = rows.map(([name, { states, moves, longest, seconds, violations }]) =>
    [name, states, moves, longest, seconds.toFixed(1), Math.round(states / seconds), violations.length].map(
      String,
    ),
  );
  const widths = head.map((title, n) => Math.max(title.length, ...body.map((row) => row[n]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)))
      .join('  ');
  return `${[head, ...body].map(line).join('\n')}\n`;
}
