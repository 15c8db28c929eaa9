import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Step } from '../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { prepareHome } from './environments.ts';
import { cacheFolder, installProgram, type ProgramName } from './programs.ts';

/** A tree, a home and a model of its own for one recording. */
export interface Stage {
  readonly file: string;
  readonly tree: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly server: ModelServer;
  /** Stands in the environment of everything the program starts. */
  readonly call_id: string;
}

/** How a recorded run ended; stands beside its lines. */
export interface Ending {
  readonly what: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly exit: number | null;
  readonly signal: string | null;
  readonly seconds: number;
  /** From our signal or cancel to the end; null when none was sent, `never` when it had to be killed. */
  readonly ended_after_ms: number | 'never' | null;
  /** Commands of processes it started that lived on. */
  readonly left: readonly string[];
  readonly written: readonly string[];
  readonly requests: readonly string[];
  readonly stderr: readonly string[];
}

const HERE = path.join(import.meta.dirname, 'recorded');
export const PROMPT = 'Play the part';

export async function withStage(
  program: ProgramName,
  stepsFor: (tree: string) => readonly Step[],
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  const installed = await installProgram(program);
  if (!installed.ok) throw new Error(installed.reason);
  const home = await realpath(await mkdtemp(path.join(cacheFolder(), 'home-')));
  const tree = await realpath(await mkdtemp(path.join(tmpdir(), 'tree-')));
  execFileSync('git', ['init', '-q', tree]);
  const steps = stepsFor(tree);
  const server = await startModelServer(({ prompt }) => (prompt.includes(PROMPT) ? steps : null));
  try {
    const call_id = path.basename(home);
    const own = await prepareHome(program, server.url, home);
    const env = { PATH: process.env.PATH ?? '', ...own, MARK: call_id };
    await play({ file: installed.file, tree, home, env, server, call_id });
  } finally {
    await server.close();
    const folders = [home, tree, `${tree}-beside`];
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

/** Processes that outlived the program, then and two seconds later; afterwards none is left. */
export async function killStage(stage: Stage): Promise<string[]> {
  const { call_id } = stage;
  const commands = () => flagged(call_id).map((pid) => scrub(commandOf(pid), stage).slice(0, 160));
  const atEnd = commands();
  await wait(2000);
  const later = commands();
  for (const pid of flagged(call_id)) end(pid);
  const gone = atEnd.filter((line) => !later.includes(line)).map((line) => `${line} (gone within 2 s)`);
  return [...later, ...gone].filter((line) => line !== '');
}

function flagged(call_id: string): number[] {
  const carries = (pid: string) => read(`/proc/${pid}/environ`).split('\0').includes(`MARK=${call_id}`);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && carries(entry))
    .map(Number);
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

/** A process may end while it is looked at. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

/** What there is to see after a run, beside its lines. */
export async function survey({ tree, server }: Stage, before: number) {
  const beside = existsSync(`${tree}-beside`) ? ['(beside the tree)'] : [];
  return {
    written: [...(await readdir(tree)).filter((entry) => entry !== '.git'), ...beside],
    requests: server.served.slice(before).map(({ method, path, status, step, fault, tools }) => {
      const turn = step === null ? 'aside' : `step ${step}`;
      return `${method} ${path} ${status} ${turn}${fault ? ` ${fault}` : ''}, ${tools.length} tools`;
    }),
  };
}

/** No path, port or key of this machine stays in what is kept. */
export function scrub(text: string, { tree, home, server }: Stage): string {
  return text
    .replaceAll(tree, '/tree')
    .replaceAll(tree.replaceAll('/', '-'), '-tree')
    .replaceAll(path.basename(tree).toLowerCase(), 'tree')
    .replaceAll(home, '/agent-home')
    .replaceAll(cacheFolder(), '/programs')
    .replaceAll('/$bunfs/root', '/bundle')
    .replaceAll(`${tmpdir()}/`, '/temp/')
    .replaceAll(new URL(server.url).host, '127.0.0.1:1');
}

export function scrubLines(text: string, stage: Stage): string[] {
  return scrub(text, stage)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => line.slice(0, 300));
}

/** Long lists and texts are cut: a parser needs the shape of a line, not every tool's name. */
function trimLine(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), (_, value) => {
      if (typeof value === 'string' && value.length > 600) return `${value.slice(0, 600)}…`;
      return Array.isArray(value) && value.length > 8 ? value.slice(0, 8) : value;
    });
  } catch {
    return line;
  }
}

/** Keeps the lines of a run and how it ended, and tells the end. */
export async function keep(
  folder: string,
  name: string,
  kept: { ending: Ending; lines: string[] },
): Promise<void> {
  await mkdir(path.join(HERE, folder), { recursive: true });
  const lines = kept.lines.filter((line) => line !== '').map((line) => `${trimLine(line)}\n`);
  await writeFile(path.join(HERE, folder, `${name}.jsonl`), lines.join(''));
  const index = path.join(HERE, folder, 'endings.json');
  const before = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')) : {};
  const all = Object.entries({ ...before, [name]: kept.ending }).sort(([a], [b]) => a.localeCompare(b));
  await writeFile(index, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
  const { exit, signal, seconds, left } = kept.ending;
  console.log(folder, name, { exit, signal, seconds, left: left.length });
}
