import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeAll } from 'vitest';
import { initGit } from '../support/lab.ts';
import { writePersonConfig } from '../support/person-config.ts';
import { sharedBundle } from '../support/shared-bundle.ts';

/** Gives a command a terminal of its own; part of util-linux. */
export const TERMINAL = 'script';

export interface Done {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command under way; `done` settles when it has ended. */
interface Started {
  readonly child: ChildProcess;
  readonly done: Promise<Done>;
}

interface OpenGate {
  readonly id: string;
  readonly run: string;
  readonly name: string;
  readonly iteration: number;
  readonly digest: string;
}

/** A folder, a state directory and the shipped command line as a person or a script uses it. */
export interface World {
  readonly root: string;
  readonly home: string;
  /** The person's settings of this world: `XDG_CONFIG_HOME`. */
  readonly config: string;
  /** The bundled program. */
  readonly main: string;
  /** Starts the command without a terminal. */
  start(...args: string[]): Started;
  /** Runs the command without a terminal. */
  run(...args: string[]): Promise<Done>;
  /**
   * Runs the command on a terminal of its own, as a person would; it never asks, so that no test waits. An answer
   * carries the digest of the gate as it is now: this person has read it.
   */
  person(...args: string[]): Promise<Done>;
  /** The same for a command that asks nothing anyway. */
  typed(...args: string[]): Promise<Done>;
  /** The open gates as they are stored. A process that lists them would cost 0.1 s. */
  openGates(): OpenGate[];
  /** Runs with `--json`; the last line as a value. */
  json<Value>(...args: string[]): Promise<Value>;
  file(name: string, text: string): string;
  readonly env: NodeJS.ProcessEnv;
}

export interface WorldOptions {
  readonly git?: boolean;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** State directory made by the test itself. */
  readonly home?: string;
  /** A machine on which bubblewrap cannot be used. */
  readonly bare?: boolean;
  /** The person's own settings, readable by them alone. */
  readonly personConfig?: string;
  /** A command in front of every start, such as `prlimit --fsize=1000`. */
  readonly below?: readonly string[];
  /** Where the world is made; a temporary folder unless given. */
  readonly under?: string;
}

/**
 * Worlds for the tests of one file, removed after each test together with every process that still runs in them. The
 * command line is the shipped one.
 */
export function worldsOfTest(): (options?: WorldOptions) => World {
  let bases: string[] = [];
  let running: Set<ChildProcess> = new Set();
  let main = '';
  beforeAll(async () => {
    ({ main } = await sharedBundle());
  });
  afterEach(() => {
    for (const child of running) child.kill('SIGKILL');
    for (const base of bases) rmSync(base, { recursive: true, force: true });
    bases = [];
    running = new Set();
  });
  return (options = {}) => {
    const base = mkdtempSync(path.join(options.under ?? tmpdir(), 'baton-world-'));
    bases.push(base);
    return createWorld({ base, main, running }, options);
  };
}

/** Why there is no terminal to be had on this machine, or null when there is one. */
export function terminalRefusal(): string | null {
  const tried = spawnSync(TERMINAL, ['-qec', 'true', '/dev/null'], { encoding: 'utf8' });
  return tried.status === 0 ? null : (tried.error?.message ?? tried.stderr);
}

interface Ground {
  readonly base: string;
  readonly main: string;
  readonly running: Set<ChildProcess>;
}

function createWorld({ base, main, running }: Ground, options: WorldOptions): World {
  const root = path.join(base, 'photos');
  const home = options.home ?? path.join(base, 'home');
  const config = path.join(base, 'config');
  mkdirSync(root);
  if (options.personConfig !== undefined) writePersonConfig(config, options.personConfig);
  const file = (name: string, text: string) => {
    const target = path.join(root, name);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
    return target;
  };
  for (const [name, text] of Object.entries(options.files ?? {})) file(name, text);
  if (options.git) initGit(root);
  const locations = { BATON_HOME: home, XDG_CONFIG_HOME: config };
  const own = { ...locations, LANG: 'en_US.UTF-8', NO_COLOR: '1', ...options.env };
  const env = { ...process.env, ...own, ...(options.bare && { PATH: pathWithoutBwrap(base) }) };
  const launch = (program: string, args: readonly string[]): Started => {
    // A session of its own has no controlling terminal, wherever the tests run.
    const child = spawn(program, args, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    return { child, done: ended(child).finally(() => running.delete(child)) };
  };
  const [program = '', ...before] = [...(options.below ?? []), process.execPath];
  const start = (...args: string[]) => launch(program, [...before, main, ...args]);
  const run = (...args: string[]) => start(...args).done;
  const typed = (...args: string[]) => {
    const command = [program, ...before, main, ...args].map(quoted).join(' ');
    return launch(TERMINAL, ['-qec', command, '/dev/null']).done;
  };
  const json = async (...args: string[]) => {
    const { stdout } = await run(...args, '--json');
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  };
  return {
    root,
    home,
    config,
    main,
    file,
    env,
    start,
    run,
    person: async (...args) => typed(...args, ...digestFor(args, home), '--no-input'),
    openGates: () => openGates(home),
    typed,
    json,
  };
}

/** Bubblewrap as it is where namespaces are blocked. */
function pathWithoutBwrap(base: string): string {
  const bin = path.join(base, 'bin');
  mkdirSync(bin);
  const says = 'bwrap: No permissions to create new namespace';
  writeFileSync(path.join(bin, 'bwrap'), `#!/bin/sh\necho "${says}" >&2\nexit 1\n`, { mode: 0o755 });
  return `${bin}${path.delimiter}${process.env.PATH}`;
}

/** `--digest` of the gate that is answered, where there is exactly one. */
function digestFor(args: readonly string[], home: string): string[] {
  const [command, name = '', option] = args;
  if (command !== 'answer' || option === undefined || args.includes('--digest')) return [];
  const meant = openGates(home).filter(
    ({ id, run }) => id === name || (!name.includes('.') && run.startsWith(name)),
  );
  return meant.length === 1 ? ['--digest', meant[0]?.digest ?? ''] : [];
}

/** Of all repositories with this state directory. Reads a copy: SQLite must write next to a file that it opens. */
function openGates(home: string): OpenGate[] {
  return globSync(path.join(home, '*/baton.db')).flatMap((file) => {
    const copy = mkdtempSync(path.join(tmpdir(), 'baton-gates-'));
    for (const part of globSync(`${file}{,-wal}`)) cpSync(part, path.join(copy, path.basename(part)));
    const db = new DatabaseSync(path.join(copy, 'baton.db'));
    try {
      const rows = db.prepare(
        "select id, run, name, iteration, digest from gates where status = 'open' order by key",
      );
      return rows.all() as unknown as OpenGate[];
    } finally {
      db.close();
      rmSync(copy, { recursive: true });
    }
  });
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function ended(child: ChildProcess): Promise<Done> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const [stdout, stderr] = [out, err].map((chunks) => Buffer.concat(chunks).toString());
      resolve({ code, signal, stdout: stdout ?? '', stderr: stderr ?? '' });
    });
  });
}

let sleeps = 0;

/** A command that sleeps for ever and is like no other that sleeps on this machine. */
export function uniqueSleep(): string {
  return `sleep 99999${process.pid}.${++sleeps}`;
}

/** Whether some process carries this text in its command line. */
export function isRunning(text: string): boolean {
  const listed = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  return listed.split('\n').some((line) => line.includes(text));
}

export function stands(world: World, name: string): boolean {
  return existsSync(path.join(world.root, name));
}
