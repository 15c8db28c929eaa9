import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import { deliverScript, type Roles } from '../support/deliver-script.ts';
import { type TypedRun, typeRun } from '../support/typed-run.ts';
import { uniqueSleep, type World, type WorldOptions } from '../surfaces/end-to-end.ts';

/** A repository on the machine of a person who has a key in their home folder. */
export interface HostileWorld extends Omit<World, 'person'> {
  /** The person's home folder. */
  readonly person: string;
  /** A folder of the machine outside home and temporary folders. */
  readonly outside: string;
  /** A command that sleeps and is like no other on this machine. */
  readonly sleep: string;
  /** Starts a run with these workers and goes to its first gate. Gives its id. */
  deliver(roles: Roles): Promise<string>;
  /** The same at a terminal, where a person answers these gates by their titles, and leaves at another one. */
  typed_deliver(roles: Roles, answers: Readonly<Record<string, string>>): Promise<TypedRun>;
  /** What workers and checks of the run reported from inside, in the ignored file `seen`. */
  seen(): string[];
}

const DELIVER = ['Greet in capitals', '--mode', 'single', '--model-config', 'balanced'];

export function hostileWorlds(
  newWorld: (options?: WorldOptions) => World,
): (files: (at: Paths) => Readonly<Record<string, string>>, options?: WorldOptions) => HostileWorld {
  let folders: string[] = [];
  let sleeps: string[] = [];
  afterEach(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    folders = [];
    for (const sleep of sleeps) endSleep(sleep);
    sleeps = [];
  });
  return (files, options = {}) => {
    const person = mkdtempSync(path.join(tmpdir(), 'baton-person-'));
    const outside = mkdtempSync(path.resolve('node_modules', '.baton-outside-'));
    const home = mkdtempSync(path.join(tmpdir(), 'baton-state-'));
    folders.push(person, outside, home);
    mkdirSync(path.join(person, '.ssh'));
    writeFileSync(path.join(person, '.ssh', 'id'), 'the key');
    const sleep = uniqueSleep();
    sleeps.push(sleep);
    const all = files({ person, outside, home, sleep });
    const env = { HOME: person };
    const world = newWorld({ ...options, git: true, home, env, files: { '.gitignore': 'seen\n', ...all } });
    const scripted = (roles: Roles) => {
      writeFileSync(path.join(person, 'script.yaml'), deliverScript(roles));
      return ['--script', path.join(person, 'script.yaml')];
    };
    return {
      ...world,
      person,
      outside,
      sleep,
      deliver: async (roles) => {
        const done = await world.run('deliver', ...DELIVER, ...scripted(roles), '--json');
        const [first = ''] = done.stdout.split('\n');
        if (!first.startsWith('{')) throw new Error(`${done.code} ${done.stdout}${done.stderr}`);
        return (JSON.parse(first) as { readonly run: string }).run;
      },
      typed_deliver: (roles, answers) =>
        typeRun(
          [process.execPath, world.main, 'deliver', ...DELIVER, ...scripted(roles)],
          { cwd: world.root, env: { ...process.env, BATON_HOME: home, LANG: 'C.UTF-8', HOME: person } },
          answers,
        ),
      seen: () =>
        globSync(path.join(home, '*', 'trees', '*', 'tree', 'seen')).flatMap((file) =>
          readFileSync(file, 'utf8').trim().split('\n'),
        ),
    };
  };
}

/** What hostile code is told about the machine. */
export interface Paths {
  readonly person: string;
  readonly outside: string;
  readonly home: string;
  /** A command that sleeps and is like no other on this machine. */
  readonly sleep: string;
}

/** A test that fails leaves nothing running either. */
function endSleep(sleep: string): void {
  const listed = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' });
  for (const line of listed.split('\n')) {
    const [, pid, args] = /^ *(\d+) (.*)$/.exec(line) ?? [];
    if (args?.includes(sleep)) process.kill(Number(pid), 'SIGKILL');
  }
}

/** Of these files, the ones that exist. */
export function existing(...files: readonly string[]): string[] {
  return files.filter(existsSync).map((file) => path.basename(file));
}
