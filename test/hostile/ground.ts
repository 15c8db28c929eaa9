import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { NPM_PROJECT } from '../support/deliver-script.ts';
import { uniqueSleep, type World, type WorldOptions } from '../surfaces/end-to-end.ts';

export type Actor = 'worker' | 'check';

/** Values that must never leave the person's files and variables; each is found by its text alone. */
const SECRETS = {
  ssh: `ssh-${process.pid}-51c0ffee`,
  npm: `npm-${process.pid}-52c0ffee`,
  cloud: `cloud-${process.pid}-53c0ffee`,
  variable: `variable-${process.pid}-54c0ffee`,
  other: `other-${process.pid}-55c0ffee`,
} as const;

/** A repository with a person's keys around it and another run that waits for the person. */
export interface Ground {
  readonly actor: Actor;
  readonly root: string;
  readonly node: string;
  /** The built command line, as a shell words it. */
  readonly baton: string;
  readonly env: { readonly HOME: string; readonly BATON_HOME: string };
  readonly database: string;
  /** A folder outside of everything, that anyone may write. */
  readonly dropbox: string;
  readonly victim: { readonly run: string; readonly gate: string; readonly digest: string };
  /** Commands that sleep for ever; each is like no other on this machine. */
  readonly naps: Readonly<Record<'session' | 'clean' | 'double' | 'deaf', string>>;
  /** First line of every script: leaves a sign where a sandboxed worker or check may write one. */
  readonly saysThatItRuns: string;
  /** Whether a script ran at all: one that never started would look like one that was stopped. */
  scriptRan(): boolean;
  victimIsOpen(): boolean;
  victimTitle(): string;
  /** Whether a secret is anywhere a worker or check could have brought it. */
  leaked(name: keyof typeof SECRETS): boolean;
}

/** Puts a person's keys into a home folder, and the person's own setting for the sandbox. */
export function plantKeys(home: string): void {
  const file = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text, { mode: 0o600 });
  };
  file('.ssh/id_ed25519', `${SECRETS.ssh}\n`);
  file('.npmrc', `//registry.example/:_authToken=${SECRETS.npm}\n`);
  file('.config/gh/hosts.yml', `oauth_token: ${SECRETS.cloud}\n`);
  file('.bashrc', '# mine\n');
}

/** Tokens in the variables of the person's shell. */
export const TOKENS = { PERSONS_TOKEN: SECRETS.variable, OTHER_TOKEN: SECRETS.other };

/** Files of the repository beside the project itself. */
export const GROUND_FILES = {
  'asks.yaml':
    'script: 1\nroles:\n  interviewer:\n    - result: { questions: [{ text: Which?, why: it decides }] }\n',
  'rules.md': '# Rules\n\n- Names are short.\n',
};

/** How the world of a ground is made: a home with keys, variables with tokens, `sandbox` as the person's own setting. */
export function groundOptions(base: string, sandbox: 'required' | 'off'): WorldOptions {
  const home = path.join(base, 'person');
  plantKeys(home);
  const config = path.join(home, '.config');
  mkdirSync(path.join(config, 'baton'));
  writeFileSync(path.join(config, 'baton/config.yaml'), `sandbox: ${sandbox}\n`, { mode: 0o600 });
  return {
    git: true,
    files: { ...NPM_PROJECT, ...GROUND_FILES },
    env: { HOME: home, XDG_CONFIG_HOME: config, ...TOKENS },
  };
}

type Baton = Pick<World, 'root' | 'home' | 'main' | 'run' | 'json'>;

/** Starts the run that waits for the person. `home` is the person's folder with the keys. */
export async function layGround(
  world: Baton,
  { base, home }: { readonly base: string; readonly home: string },
  actor: Actor,
): Promise<Ground> {
  await world.run('spec', 'A victim', '--mode', 'quick', '--script', 'asks.yaml', '--no-input');
  const [gate] = await world.json<{ id: string; run: string; digest: string }[]>('gates');
  if (!gate) throw new Error('the victim has no gate');
  const dropbox = path.join(base, 'dropbox');
  mkdirSync(dropbox);
  const [state = ''] = readdirSync(world.home);
  const database = path.join(world.home, state, 'baton.db');
  const query = (sql: string) => {
    const db = new DatabaseSync(database, { readOnly: true });
    try {
      return db.prepare(sql).get()?.value;
    } finally {
      db.close();
    }
  };
  return {
    actor,
    root: world.root,
    node: process.execPath,
    baton: `${process.execPath} ${world.main}`,
    env: { HOME: home, BATON_HOME: world.home },
    database,
    dropbox,
    victim: { run: gate.run, gate: gate.id, digest: gate.digest },
    naps: { session: uniqueSleep(), clean: uniqueSleep(), double: uniqueSleep(), deaf: uniqueSleep() },
    saysThatItRuns: `echo ran-$((40 + 2))x; find ${world.home} -type d -name out -exec touch {}/ran-$((40 + 2))x \\;`,
    scriptRan: () =>
      isBelow('ran-42x', [world.home]) ||
      readdirSync(world.home, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('ran-42x')),
    victimIsOpen: () => query(`select status as value from gates where id = '${gate.id}'`) === 'open',
    victimTitle: () => String(query(`select title as value from runs where id = '${gate.run}'`)),
    leaked: (name) => isBelow(SECRETS[name], [world.home, dropbox, world.root]),
  };
}

/** Binary files count: a database or a pack may hold it. */
function isBelow(text: string, folders: readonly string[]): boolean {
  return spawnSync('grep', ['-rqaF', text, ...folders]).status === 0;
}
