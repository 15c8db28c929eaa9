import type { ExecFileException } from 'node:child_process';
import { failure } from '../../engine/errors.ts';
import type { EnterRoom } from '../../ports/hook-room.ts';

/** What git needs from the person's environment: where programs and the person's settings are. */
export interface GitEnvironment {
  readonly PATH?: string | undefined;
  readonly HOME?: string | undefined;
  readonly XDG_CONFIG_HOME?: string | undefined;
  readonly GIT_CONFIG_GLOBAL?: string | undefined;
  readonly GIT_CONFIG_SYSTEM?: string | undefined;
}

export interface GitRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface GitOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Input and output are bytes as latin1, because names may not be UTF-8. */
  readonly binary?: boolean;
  /** Time limit of the call. Default: two minutes. */
  readonly deadline_ms?: number;
}

interface PersonOptions extends GitOptions {
  /** The sandbox for git and every program it starts. Without one they have the person's environment. */
  readonly room?: EnterRoom;
}

/** The git program. Every call names its folder. */
export interface Git {
  /** Folders that git confirmed as work trees, each with the `.git` it was confirmed for. */
  readonly trees: Map<string, string>;
  /** Runs git without system settings or settings of the person. Null if there is no git program. */
  run(cwd: string, args: readonly string[], options?: GitOptions): Promise<GitRun | null>;
  /**
   * The variable of the person's environment that names a repository (`GIT_DIR`, `GIT_WORK_TREE`). Our calls do not use
   * it.
   */
  readonly elsewhere: string | null;
  /**
   * Standard output without its last line end. Null if git says no (exit code 1). Any other failure throws
   * `git_failed`.
   */
  ask(cwd: string, args: readonly string[]): Promise<string | null>;
  /** Standard output. Throws `git_failed` if git did not succeed. */
  need(cwd: string, args: readonly string[], options?: GitOptions): Promise<string>;
  /**
   * Runs git as the person would, with their settings and environment. Hooks run if the arguments name their folder.
   * Only for commits, the remote and reading the person's settings. Null if there is no git program.
   */
  asPerson(cwd: string, args: readonly string[], options?: PersonOptions): Promise<GitRun | null>;
  /** One setting as the person's own git sees it, global and system files included. Null if it is not set. */
  setting(cwd: string, key: string, type?: 'path'): Promise<string | null>;
}

/** Prevents settings of a repository or a person from running a program, asking a question or changing our output. */
const NO_PROGRAMS = [
  '--no-pager',
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false'].flatMap((entry) => ['-c', entry]),
  ...['i18n.commitEncoding=UTF-8', 'i18n.logOutputEncoding=UTF-8'].flatMap((entry) => ['-c', entry]),
];

const ALWAYS = [...NO_PROGRAMS, '--literal-pathspecs', '-c', 'core.fsync=all'];

const UNASKED = { GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', SSH_ASKPASS: '', GIT_EDITOR: 'false' };

const QUIET = {
  ...UNASKED,
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
};

const ALONE = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' };

const PERSONAL = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'] as const;

const DUBIOUS = 'dubious ownership';

/**
 * Git with a clean environment. Of the inherited GIT_* variables it uses only those that name setting files. A call
 * from inside a hook therefore works on the folder it names. Git works in a repository of another owner only if the
 * person's own settings trust it.
 */
export function createGit(environment: GitEnvironment): Git {
  const alone = { ...picked(environment, ['PATH']), ...QUIET, ...ALONE };
  const personal = { ...picked(environment, PERSONAL), ...QUIET };
  const whole = { ...withoutGit(environment), ...picked(environment, PERSONAL), ...UNASKED };

  const run: Git['run'] = async (cwd, args, options = {}) => {
    const done = await execute(cwd, args, options, alone);
    if (done === null || done.code === 0 || !done.stderr.includes(DUBIOUS)) return done;
    const trusted = await execute('/', ['config', '-z', '--get-all', 'safe.directory'], {}, personal);
    const again = await execute(cwd, args, options, { ...alone, ...trust(trusted?.stdout ?? '') });
    if (again?.stderr.includes(DUBIOUS)) throw failure('git_refused', firstLine(again.stderr));
    return again;
  };
  const ask: Git['ask'] = async (cwd, args) => yesOrNo(await run(cwd, args), args);
  const need: Git['need'] = async (cwd, args, options) => {
    const done = await run(cwd, args, options);
    if (done?.code === 0) return done.stdout;
    throw gitFailure(done, args);
  };
  const setting: Git['setting'] = async (cwd, key, type) => {
    const kind = type === undefined ? [] : [`--type=${type}`];
    // Our own settings are not put in front: git would return those.
    const done = await execute(cwd, ['config', '-z', ...kind, '--get', key], { before: [] }, personal);
    const value = done?.code === 0 ? done.stdout.replace(/\0$/, '') : '';
    return value.trim() === '' ? null : value;
  };
  const asPerson: Git['asPerson'] = (cwd, args, options = {}) =>
    execute(cwd, args, { ...options, before: NO_PROGRAMS }, whole);
  return { trees: new Map(), elsewhere: namedElsewhere(environment), run, ask, need, asPerson, setting };
}

/** Standard output of a query. Null for a no. Any other exit code is a failure of git, never an answer. */
export function yesOrNo(done: GitRun | null, args: readonly string[]): string | null {
  if (done?.code === 0) return done.stdout.replace(/\n$/, '');
  if (done?.code === 1) return null;
  throw gitFailure(done, args);
}

/** The error of a failed call, with git's message. */
export function gitFailure(done: GitRun | null, args: readonly string[]): Error {
  return failure('git_failed', `git ${commandOf(args)}: ${wordsOf(done)}`, { retry: 'transient' });
}

/** Why git failed, in its own words. */
export function wordsOf(done: GitRun | null): string {
  if (done === null) return NO_PROGRAM;
  return firstLine(done.stderr) || `exit code ${done.code}`;
}

const NO_PROGRAM = 'there is no git program';

function namedElsewhere(environment: GitEnvironment): string | null {
  const set = environment as Readonly<Record<string, string | undefined>>;
  return ['GIT_DIR', 'GIT_WORK_TREE'].find((name) => set[name]) ?? null;
}

const MAX_OUTPUT = 512 * 1024 * 1024;
const DEADLINE_MS = 120_000;

function execute(
  cwd: string,
  args: readonly string[],
  options: PersonOptions & { readonly before?: readonly string[] },
  env: Record<string, string>,
): Promise<GitRun | null> {
  const encoding = options.binary ? 'latin1' : 'utf8';
  const command = ['git', ...(options.before ?? ALWAYS), ...args];
  const started = options.room?.(command) ?? { argv: command, env };
  const [program = '', ...rest] = started.argv;
  return new Promise((resolve, reject) => {
    const all = { ...started.env, ...options.env };
    const settings = { cwd, env: all, encoding, maxBuffer: MAX_OUTPUT } as const;
    const limits = { timeout: options.deadline_ms ?? DEADLINE_MS, killSignal: 'SIGKILL' } as const;
    const child = process
      .getBuiltinModule('node:child_process')
      .execFile(program, rest, { ...settings, ...limits }, (error, stdout, stderr) => {
        const failed = (options.room && noRoom(error, stderr)) ?? (error && notRun(args, error));
        if (failed) reject(failed);
        else resolve(error?.code === 'ENOENT' ? null : { code: Number(error?.code ?? 0), stdout, stderr });
      });
    // Git may end before it has read all input. Its exit code decides the result.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '', encoding);
  });
}

/** The error if the sandbox itself could not be created and git did not start. Null otherwise. */
function noRoom(error: ExecFileException | null, stderr: string): Error | null {
  const failed = error?.code === 'ENOENT' || (error?.code === 1 && stderr.startsWith('bwrap: '));
  return failed ? failure('no_sandbox', firstLine(stderr) || 'bwrap is not there any more') : null;
}

/** The error if git was killed or could not be started. Null if git ended by itself or there is no git program. */
function notRun(args: readonly string[], error: ExecFileException): Error | null {
  if (error.code === 'ENOENT' || typeof error.code === 'number') return null;
  const why = error.killed ? 'did not end in time' : error.message;
  return failure('git_failed', `git ${commandOf(args)}: ${why}`, { retry: 'transient', cause: error });
}

function commandOf(args: readonly string[]): string {
  return args.find((arg, n) => !arg.startsWith('-') && args[n - 1] !== '-c') ?? '';
}

function trust(zeroSeparated: string): Record<string, string> {
  const values = zeroSeparated.split('\0').slice(0, -1);
  const pairs = values.flatMap((value, n) => [
    [`GIT_CONFIG_KEY_${n}`, 'safe.directory'],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(values.length), ...Object.fromEntries(pairs) };
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

/** A hook may need any variable of the person's environment, but never the repository of another git call. */
function withoutGit(environment: GitEnvironment): Record<string, string> {
  const entries = Object.entries(environment as Record<string, string | undefined>);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => !entry[0].startsWith('GIT_') && !!entry[1]),
  );
}

function picked(
  environment: GitEnvironment,
  keys: readonly (keyof GitEnvironment)[],
): Record<string, string> {
  const entries = keys.map((key) => [key, environment[key]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [keyof GitEnvironment, string] => !!entry[1]));
}

/**
 * Environment of the person's git. By the call id, Baton finds and ends programs that a killed process left running.
 */
export function effectVariables(effect: string): Readonly<Record<string, string>> {
  return { BATON_CALL: effect };
}

const MOST_LINES = 20;

export function lastLines(done: GitRun | null): string {
  if (done === null) return 'there is no git program';
  const text = `${done.stderr}\n${done.stdout}`.trim();
  return text.split('\n').slice(-MOST_LINES).join('\n').slice(-2000) || `exit code ${done.code}`;
}
