import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { median } from './stats.ts';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const BATON = path.join(ROOT, 'bin', 'baton.cjs');
const TASK = 'Refactor the upload module';
const SLUG = 'refactor-the-upload-module';
const ROUNDS = 31;
const FEW = 100;
const MANY = 10_000;

/** Medians of whole processes in milliseconds. */
export interface Cold {
  readonly node: number;
  readonly node_on_terminal: number;
  readonly version: number;
  readonly status: number;
  readonly answer_100: number;
  readonly answer_10000: number;
}

/**
 * The built program from a cold start. An answer is given as a person would: on a terminal (`script` makes one), to
 * the first gate of a `spec` run, and drives through two looks at the repository to the next gate. The bare Node it
 * is compared with runs on such a terminal too.
 */
export function measureCold(dir: string): Cold {
  execFileSync('npm', ['run', '-s', 'build'], { cwd: ROOT, stdio: ['ignore', 'ignore', 2] });
  const few = parkedStore(path.join(dir, 'few'), FEW);
  const many = parkedStore(path.join(dir, 'many'), MANY);
  const samples = new Map<keyof Cold, number[]>();
  for (let n = -2; n < ROUNDS; n++) {
    const once: Record<keyof Cold, () => number> = {
      node: () => few.run(['-e', '0']),
      node_on_terminal: () => few.onTerminal(['-e', '0'], 0),
      version: () => few.run([BATON, '--version']),
      status: () => few.run([BATON, 'status']),
      answer_100: () => few.answer(n + 2),
      answer_10000: () => many.answer(n + 2),
    };
    for (const [name, measure] of Object.entries(once) as [keyof Cold, () => number][]) {
      const ms = measure();
      if (n >= 0) samples.set(name, [...(samples.get(name) ?? []), ms]);
    }
  }
  return Object.fromEntries([...samples].map(([name, ms]) => [name, median(ms)])) as unknown as Cold;
}

interface ParkedStore {
  run(args: readonly string[]): number;
  onTerminal(args: readonly string[], exit: number): number;
  /** Answers the n-th parked run; it must come to rest at its next gate. */
  answer(n: number): number;
}

/** A repository with that many runs waiting at their first gate: one made by the program, the others copies of it. */
function parkedStore(dir: string, count: number): ParkedStore {
  const folder = path.join(dir, 'photos');
  mkdirSync(folder, { recursive: true });
  const git = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.org'];
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: folder });
  execFileSync('git', [...git, 'commit', '-q', '--allow-empty', '-m', 'start'], { cwd: folder });
  const home = path.join(dir, 'home');
  const env = { ...process.env, BATON_HOME: home, XDG_CACHE_HOME: path.join(dir, 'cache') };
  const time = (program: string, args: readonly string[], exit: number): number => {
    const started = performance.now();
    const ended = spawnSync(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ms = performance.now() - started;
    if (ended.status === exit) return ms;
    throw new Error(`${args.join(' ')}: exit ${ended.status}: ${ended.stdout}${ended.stderr}`);
  };
  const onTerminal = (args: readonly string[], exit: number) =>
    time('script', ['-qec', [process.execPath, ...args].map(quoted).join(' '), '/dev/null'], exit);
  time(process.execPath, [BATON, 'spec', TASK, '--mode', 'quick', '--no-input'], 4);
  const ids = multiply(databaseIn(home), count);
  // The copies have the gate of the one run, and with it its digest.
  const listed = execFileSync(process.execPath, [BATON, 'gates', ids[0] ?? '', '--json'], {
    cwd: folder,
    env,
  });
  const [{ digest }] = JSON.parse(listed.toString()) as [{ digest: string }];
  return {
    run: (args) => time(process.execPath, args, 0),
    onTerminal,
    answer: (n) =>
      onTerminal([BATON, 'answer', `${ids[n]}.g1`, 'continue', '--digest', digest, '--no-input'], 4),
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function databaseIn(home: string): string {
  const found = readdirSync(home).find((name) => name.startsWith('repo-'));
  return path.join(home, found ?? '', 'baton.db');
}

const TABLES = ['runs', 'events', 'records', 'decisions', 'gates', 'drives'];
/** Gates are found by the run's key times this, and their place in the run. */
const SPAN = 2 ** 24;

/** Copies the one run in the file under other ids and other subjects, one key after the other. */
function multiply(file: string, count: number): string[] {
  const db = new DatabaseSync(file);
  const { id } = db.prepare('select id from runs').get() as { id: string };
  const ids = [id, ...Array.from({ length: count - 1 }, (_, n) => `sp-b${String(n).padStart(5, '0')}`)];
  db.exec('begin');
  for (const table of TABLES) {
    const step = table === 'gates' ? SPAN : 1;
    for (const row of db.prepare(`select * from ${table}`).all()) {
      // The number of an event is its place in the file: the next one is taken.
      const columns = Object.keys(row).filter((column) => table !== 'events' || column !== 'n');
      const insert = db.prepare(
        `insert into ${table} (${columns.map((c) => `"${c}"`).join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      );
      ids.slice(1).forEach((copy, n) => {
        const text = (value: string) => value.replaceAll(id, copy).replaceAll(SLUG, `${SLUG}-${n}`);
        insert.run(...columns.map((c) => copied(c, row[c] ?? null, text, (n + 1) * step)));
      });
    }
  }
  db.exec('commit');
  db.close();
  return ids;
}

function copied(
  column: string,
  value: SQLOutputValue,
  text: (value: string) => string,
  step: number,
): SQLOutputValue {
  if (typeof value === 'string') return text(value);
  const isKey = typeof value === 'number' && (column === 'key' || column === 'run');
  return isKey ? value + step : value;
}
