import type { ExecFileException } from 'node:child_process';
import { failure } from './failure.ts';

/** What git needs to know of the person's environment: where programs are, and where their settings lie. */
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
  /** Bytes as latin1, in and out, where names need not be UTF-8. */
  readonly binary?: boolean;
  /** How long the call may take; two minutes unless given. */
  readonly deadline_ms?: number;
}

/** The git program. Every call names its folder. */
export interface Git {
  /** Folders git called a work tree, each with the `.git` it was said of. */
  readonly trees: Map<string, string>;
  /** Runs git without any setting of system or person; null when there is no git program. */
  run(cwd: string, args: readonly string[], options?: GitOptions): Promise<GitRun | null>;
  /** Standard output without its last line end; null when git failed or is missing. */
  ask(cwd: string, args: readonly string[]): Promise<string | null>;
  /** Standard output; throws `git_failed` when git did not succeed. */
  need(cwd: string, args: readonly string[], options?: GitOptions): Promise<string>;
  /**
   * Runs git as the person would: with their settings and their environment, hooks where the arguments name a folder
   * of them. For the final commit alone; null when there is no git program.
   */
  asPerson(cwd: string, args: readonly string[], options?: GitOptions): Promise<GitRun | null>;
  /** One setting as the person's own git sees it, global and system files included; null when it is not set. */
  setting(cwd: string, key: string, type?: 'path'): Promise<string | null>;
}

/** Nothing a repository or a person has set may run a program, ask a question or change our output. */
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
 * Git with a clean environment. Inherited GIT_* variables never reach it, so a call from inside a hook works on the
 * folder it names. A repository of another owner is worked in only if the person's own settings trust it.
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
  const ask: Git['ask'] = async (cwd, args) => {
    const done = await run(cwd, args);
    return done?.code === 0 ? done.stdout.replace(/\n$/, '') : null;
  };
  const need: Git['need'] = async (cwd, args, options) => {
    const done = await run(cwd, args, options);
    if (done?.code === 0) return done.stdout;
    const why = done === null ? 'there is no git program' : firstLine(done.stderr);
    throw failure('git_failed', `git ${commandOf(args)}: ${why}`, { retry: 'transient' });
  };
  const setting: Git['setting'] = async (cwd, key, type) => {
    const kind = type === undefined ? [] : [`--type=${type}`];
    // Not with our own settings in front: those would be the answer.
    const done = await execute(cwd, ['config', '-z', ...kind, '--get', key], { before: [] }, personal);
    const value = done?.code === 0 ? done.stdout.replace(/\0$/, '') : '';
    return value.trim() === '' ? null : value;
  };
  const asPerson: Git['asPerson'] = (cwd, args, options = {}) =>
    execute(cwd, args, { ...options, before: NO_PROGRAMS }, whole);
  return { trees: new Map(), run, ask, need, asPerson, setting };
}

const MAX_OUTPUT = 512 * 1024 * 1024;
const DEADLINE_MS = 120_000;

function execute(
  cwd: string,
  args: readonly string[],
  options: GitOptions & { readonly before?: readonly string[] },
  env: Record<string, string>,
): Promise<GitRun | null> {
  const encoding = options.binary ? 'latin1' : 'utf8';
  return new Promise((resolve, reject) => {
    const settings = { cwd, env: { ...env, ...options.env }, encoding, maxBuffer: MAX_OUTPUT } as const;
    const limits = { timeout: options.deadline_ms ?? DEADLINE_MS, killSignal: 'SIGKILL' } as const;
    const child = process
      .getBuiltinModule('node:child_process')
      .execFile(
        'git',
        [...(options.before ?? ALWAYS), ...args],
        { ...settings, ...limits },
        (error, stdout, stderr) => {
          if (error?.code === 'ENOENT') resolve(null);
          else if (error !== null && typeof error.code !== 'number') reject(broken(args, error));
          else resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
        },
      );
    // Git may end before it has read everything; its exit code tells what came of it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '', encoding);
  });
}

function broken(args: readonly string[], error: ExecFileException): Error {
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

/** A hook may need anything of the person's environment, but never the place some other git call works in. */
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
