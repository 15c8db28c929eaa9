import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { prepareHome } from './environments.ts';
import { cacheFolder, installProgram } from './programs.ts';
import { type Ask, CASES, type Case, COMMANDS, STARTED } from './record-cases.ts';

// Runs the real programs through the cases and keeps what they said: `node test/agents/record.ts [program] [case...]`.
// The parsers of the adapters are tested on these lines, so a new version of a program is first recorded again.

type Recorded = keyof typeof COMMANDS;

/** How a recorded run ended; stands beside its lines. */
interface Ending {
  readonly what: string;
  readonly argv: readonly string[];
  readonly exit: number | null;
  readonly signal: string | null;
  readonly seconds: number;
  /** From the signal to the end; null when none was sent, `never` when it had to be killed. */
  readonly ended_after_ms: number | 'never' | null;
  /** Commands of processes it started that lived on. */
  readonly left: readonly string[];
  readonly written: readonly string[];
  readonly requests: readonly string[];
  readonly stderr: readonly string[];
}

const HERE = path.join(import.meta.dirname, 'recorded');
const GRACE_MS = 10_000;
const PATIENCE_MS = 120_000;
const SESSION = /"(?:session_id|thread_id|sessionID)":"([^"]+)"/;

async function recordCase(program: Recorded, name: string): Promise<void> {
  const played = CASES[name];
  if (!played) throw new Error(`there is no case ${name}`);
  const home = await realpath(await mkdtemp(path.join(cacheFolder(), 'home-')));
  const tree = await realpath(await mkdtemp(path.join(tmpdir(), 'tree-')));
  execFileSync('git', ['init', '-q', tree]);
  const steps = played.steps(tree);
  const server = await startModelServer(({ prompt }) => (prompt.includes('Play the part') ? steps : null));
  try {
    const stage = { program, name, played, home, tree, server };
    const { session } = await recordRun(stage, played.ask, name);
    if (played.resume && session) await recordRun(stage, { ...played.ask, session }, `${name}-2`);
  } finally {
    await server.close();
    await Promise.all([home, tree].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

interface Stage {
  readonly program: Recorded;
  readonly name: string;
  readonly played: Case;
  readonly home: string;
  readonly tree: string;
  readonly server: ModelServer;
}

async function recordRun(stage: Stage, ask: Ask, file: string): Promise<{ session: string | null }> {
  const { program, home, tree, server, played } = stage;
  const installed = await installProgram(program);
  if (!installed.ok) throw new Error(installed.reason);
  const schema = path.join(home, 'schema.json');
  await writeFile(schema, JSON.stringify(ask.schema ?? {}));
  const argv = COMMANDS[program](ask, { tree, schema });
  const mark = path.basename(home);
  const before = server.served.length;
  const env = { PATH: process.env.PATH ?? '', ...(await prepareHome(program, server.url, home)), MARK: mark };
  const started = Date.now();
  const child = spawn(installed.file, argv, { cwd: tree, env, stdio: 'pipe', detached: true });
  child.stdin.end(ask.session ? 'Go on.' : `Play the part "${stage.name}".`);
  const said = Promise.all([buffer(child.stdout), buffer(child.stderr)]);
  const closed = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const group = -(child.pid ?? 0);
  const signal = ask.session ? undefined : played.signal;
  const patience = setTimeout(() => process.kill(group, 'SIGKILL'), PATIENCE_MS);
  const sent = signal ? await signalWhen(stage, group, before) : null;
  const never =
    sent === null
      ? null
      : await Promise.race([closed.then(() => false), wait(GRACE_MS, true, { ref: false })]);
  if (never) process.kill(group, 'SIGKILL');
  const [exit, by] = await closed;
  const ended = Date.now();
  clearTimeout(patience);
  const atEnd = alive(mark);
  await wait(2000);
  const later = alive(mark);
  const gone = atEnd.filter((line) => !later.includes(line)).map((line) => `${line} (gone within 2 s)`);
  endAll(mark);
  const [out, err] = await said;
  const clean = (text: string) => scrub(text, stage);
  const ending: Ending = {
    what: ask.session ? `${played.what}: the second run` : played.what,
    argv: [program, ...argv].map(clean),
    exit,
    signal: by,
    seconds: Math.round((ended - started) / 100) / 10,
    ended_after_ms: sent === null ? null : never ? 'never' : ended - sent,
    left: [...later, ...gone].map(clean),
    written: (await readdir(tree)).filter((entry) => entry !== '.git'),
    requests: server.served
      .slice(before)
      .map(({ method, path, status, step, fault, tools }) =>
        [
          method,
          path,
          status,
          step === null ? 'aside' : `step ${step}`,
          fault ?? '',
          `${tools.length} tools`,
        ].join(' '),
      ),
    stderr: clean(err.toString())
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(0, 12)
      .map((line) => line.slice(0, 300)),
  };
  await keep(program, file, ending, clean(out.toString()));
  console.log(program, file, JSON.stringify(ending, null, 1));
  return { session: sessionOf(out.toString()) };
}

async function signalWhen({ played, tree, server }: Stage, group: number, before: number): Promise<number> {
  const steps = played.steps(tree).length;
  const due = () =>
    played.until === 'shell'
      ? existsSync(path.join(tree, STARTED))
      : server.served.slice(before).some(({ step }) => step === steps - 1);
  const end = Date.now() + 60_000;
  while (!due() && Date.now() < end) await wait(50);
  await wait(500);
  const { signal } = played;
  if (signal) process.kill(group, signal);
  return Date.now();
}

function processes(mark: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`MARK=${mark}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function alive(mark: string): string[] {
  return processes(mark)
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim().slice(0, 160);
      } catch {
        return '';
      }
    })
    .filter((line) => line !== '');
}

function endAll(mark: string): void {
  for (const pid of processes(mark)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

/** No path, port or key of this machine stays in what is kept. */
function scrub(text: string, { tree, home, server }: Stage): string {
  return text
    .replaceAll(tree, '/tree')
    .replaceAll(tree.replaceAll('/', '-'), '-tree')
    .replaceAll(home, '/home/agent')
    .replaceAll(cacheFolder(), '/programs')
    .replaceAll(server.url, 'http://127.0.0.1:1')
    .replaceAll(new URL(server.url).port, '1');
}

function sessionOf(out: string): string | null {
  return SESSION.exec(out)?.[1] ?? null;
}

/** Long lists and texts are cut: a parser needs the shape of a line, not every tool's name. */
function trimLine(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), (_, value) => {
      if (typeof value === 'string' && value.length > 600) return `${value.slice(0, 600)}…`;
      return Array.isArray(value) && value.length > 12 && typeof value[0] === 'string'
        ? value.slice(0, 12)
        : value;
    });
  } catch {
    return line;
  }
}

async function keep(program: Recorded, file: string, ending: Ending, out: string): Promise<void> {
  const folder = path.join(HERE, program);
  await mkdir(folder, { recursive: true });
  const lines = out.split('\n').filter((line) => line !== '');
  await writeFile(path.join(folder, `${file}.jsonl`), lines.map((line) => `${trimLine(line)}\n`).join(''));
  const index = path.join(folder, 'endings.json');
  const before = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')) : {};
  await writeFile(index, `${JSON.stringify({ ...before, [file]: ending }, null, 2)}\n`);
}

const [only, ...chosen] = process.argv.slice(2);
for (const program of only ? [only as Recorded] : (Object.keys(COMMANDS) as Recorded[])) {
  for (const name of chosen.length > 0 ? chosen : Object.keys(CASES)) await recordCase(program, name);
}
