import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bundleLives } from './bundle.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import type { Summary } from './summary.ts';

/**
 * Kills a real process at every boundary of every scenario, starts it again, and compares with the run nobody
 * killed. Lost: something stored or answered is gone. Repeated: a call with a stored result ran again, an outside
 * write was done twice, or an answered gate was asked again. Diverged: another final state.
 */
interface Life {
  readonly count: number;
  readonly labels: readonly string[];
  readonly missing: { readonly lost: readonly string[]; readonly repeated: readonly string[] };
  readonly after: { readonly lost: readonly string[]; readonly repeated: readonly string[] };
  readonly summary: Summary;
}

interface Tally {
  scenarios: number;
  points: number;
  lost: number;
  repeated: number;
  diverged: number;
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    workflow: { type: 'string' },
    scenario: { type: 'string' },
    /** Only each n-th boundary, for a quick look; every one otherwise. */
    every: { type: 'string', default: '1' },
  },
});
const base = mkdtempSync(path.join(tmpdir(), 'baton-crash-'));
process.env.NODE_COMPILE_CACHE ??= path.join(base, 'compiled');
const bundle = await bundleLives(path.join(base, 'bundle'));
const say = (line: string) => process.stderr.write(`${line}\n`);

const chosen = scenarios.filter(
  (scenario) =>
    (!values.workflow || scenario.workflow === values.workflow) &&
    (!values.scenario || scenario.name === values.scenario),
);
const workflows: Record<string, Tally> = {};
for (const scenario of chosen) {
  const tally = workflows[scenario.workflow] ?? {
    scenarios: 0,
    points: 0,
    lost: 0,
    repeated: 0,
    diverged: 0,
  };
  workflows[scenario.workflow] = tally;
  tally.scenarios++;
  await crashEverywhere(scenario, tally);
}
rmSync(base, { recursive: true, force: true });
for (const [name, tally] of Object.entries(workflows)) {
  say(
    `${name}: ${tally.scenarios} scenarios, ${tally.points} points, ${tally.lost} lost, ${tally.repeated} repeated, ${tally.diverged} diverged`,
  );
}
if (values.json) process.stdout.write(`${JSON.stringify({ workflows })}\n`);
const bad = Object.values(workflows).some((tally) => tally.lost + tally.repeated + tally.diverged > 0);
process.exitCode = bad || chosen.length === 0 ? 1 : 0;

async function crashEverywhere(scenario: Scenario, tally: Tally): Promise<void> {
  const seed = path.join(base, `${scenario.name}-seed`);
  layOut(seed, scenario);
  const reference = await lifeOf(scenario, copyOf(seed, 'reference'), 0);
  if (!reference) throw new Error(`${scenario.name}: the run nobody killed did not finish`);
  if (!reference.summary.final.includes(`"result":"${scenario.result}"`)) {
    throw new Error(
      `${scenario.name}: expected the result '${scenario.result}': ${reference.summary.final.slice(0, 4000)}`,
    );
  }
  const every = Math.max(1, Number(values.every) || 1);
  const points = Array.from({ length: reference.count }, (_, index) => index + 1).filter(
    (point) => (point + scenario.name.length) % every === 0,
  );
  const count = points.length;
  const started = Date.now();
  const worker = async () => {
    for (let point = points.shift(); point !== undefined; point = points.shift()) {
      tally.points++;
      await crashAt({ scenario, seed, reference, tally }, point);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker));
  say(
    `${scenario.workflow} ${scenario.name}: ${count} points in ${Math.round((Date.now() - started) / 1000)} s`,
  );
}

interface Crashing {
  readonly scenario: Scenario;
  readonly seed: string;
  readonly reference: Life;
  readonly tally: Tally;
}

async function crashAt({ scenario, seed, reference, tally }: Crashing, point: number): Promise<void> {
  const dir = copyOf(seed, String(point));
  const where = `${scenario.name} point ${point} (${reference.labels[point - 1]})`;
  await lifeOf(scenario, dir, point);
  const life = await lifeOf(scenario, dir, 0);
  const report = (kind: 'lost' | 'repeated' | 'diverged', what: string) => {
    tally[kind]++;
    say(`${kind}: ${where}: ${what}`);
  };
  if (!life) return report('diverged', `did not come to an end after the restart: ${tail(dir)}`);
  const lost = [...life.missing.lost, ...life.after.lost];
  const repeated = [...life.missing.repeated, ...life.after.repeated, ...writtenTwice(life, reference)];
  if (lost.length > 0) report('lost', lost.join('; '));
  if (repeated.length > 0) report('repeated', repeated.join('; '));
  if (life.summary.problems.length > 0) report('diverged', life.summary.problems.join('; '));
  else if (life.summary.final !== reference.summary.final)
    report('diverged', firstDifference(life.summary.final, reference.summary.final));
  else if (
    life.summary.outside.join('\n') !== reference.summary.outside.join('\n') &&
    repeated.length === 0
  ) {
    report('diverged', `outside: ${life.summary.outside.join(' | ')}`);
  }
  rmSync(dir, { recursive: true, force: true });
}

/** More commits, lines or files than the run nobody killed made. */
function writtenTwice(life: Life, reference: Life): string[] {
  return life.summary.outside.length > reference.summary.outside.length
    ? [
        `outside writes: ${life.summary.outside.filter((line) => !reference.summary.outside.includes(line)).join(', ')}`,
      ]
    : [];
}

function firstDifference(one: string, two: string): string {
  let index = 0;
  while (one[index] === two[index]) index++;
  return `…${one.slice(Math.max(0, index - 60), index + 80)}… instead of …${two.slice(index, index + 80)}…`;
}

function lifeOf(scenario: Scenario, dir: string, killAt: number): Promise<Life | null> {
  const file = path.join(dir, 'summary.json');
  rmSync(file, { force: true });
  return new Promise((resolve, reject) => {
    const process_ = spawn(
      process.execPath,
      [bundle.child, scenario.name, dir, String(killAt), bundle.worker],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    const errors: Buffer[] = [];
    const timer = setTimeout(() => process_.kill('SIGKILL'), 60_000);
    process_.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    process_.on('error', reject);
    process_.on('close', (_code, signal) => {
      clearTimeout(timer);
      if (killAt > 0 && signal !== 'SIGKILL') say(`${scenario.name} point ${killAt}: was not killed`);
      writeFileSync(path.join(dir, 'stderr.txt'), Buffer.concat(errors));
      resolve(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Life) : null);
    });
  });
}

function tail(dir: string): string {
  return readFileSync(path.join(dir, 'stderr.txt'), 'utf8').slice(0, 1500);
}

/** The folder before the run: files, and a repository with one commit that is the same every time. */
function layOut(dir: string, scenario: Scenario): void {
  const root = path.join(dir, 'photos');
  mkdirSync(root, { recursive: true });
  mkdirSync(path.join(dir, 'home'));
  for (const [name, text] of Object.entries(scenario.files ?? {})) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  if (!scenario.git) return;
  const env = {
    ...process.env,
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe', env });
  git('init', '-q', '-b', 'main', '--template=');
  git('config', 'user.name', 'Tess Tester');
  git('config', 'user.email', 'tess@example.org');
  git('add', '.');
  git('commit', '-q', '--allow-empty', '-m', 'start');
}

function copyOf(seed: string, name: string): string {
  const dir = path.join(base, 'lives', `${path.basename(seed)}-${name}`);
  cpSync(seed, dir, { recursive: true });
  return dir;
}
