import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { openAgent } from '../../src/adapters/agents.ts';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import { BACK_OFF_POLICY } from '../../src/engine/back-off.ts';
import { NPM_PROJECT } from '../support/deliver-script.ts';
import { initGit, type Lab, openLabAt } from '../support/lab.ts';
import { type Parts, playRoles } from '../support/model-server/play-roles.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { writePersonConfig } from '../support/person-config.ts';
import { prepareHome } from './environments.ts';
import { cacheFolder, type ProgramName } from './programs.ts';

/** One agent under test: its name for `--agent`, and the real program behind it. */
export interface Subject {
  readonly agent: string;
  readonly program: ProgramName;
  readonly file: string;
}

/** What a case needs to differ in. */
export interface Wanted {
  readonly parts: Parts;
  /** More of the agent's entry in baton.yaml. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** More of the person's settings. */
  readonly person?: Readonly<Record<string, unknown>>;
  /** More of baton.yaml. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A repository with tests, a state directory, a home for the program and a model, all of one case's own. */
export interface Ground {
  readonly subject: Subject;
  readonly root: string;
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;
  readonly server: ModelServer;
  /** The composition of the product with the real agent; a second one is what another process would have. */
  open(): Promise<Lab>;
  git(...args: string[]): string;
  /** Processes of this case that live, by what started them or where they work. */
  alive(): Promise<string[]>;
  remove(): Promise<void>;
}

export async function layGround(subject: Subject, wanted: Wanted): Promise<Ground> {
  mkdirSync(cacheFolder(), { recursive: true });
  // Not under the temporary folder: see prepareHome.
  const base = realpathSync(mkdtempSync(path.join(cacheFolder(), 'ground-')));
  const [root, state, home] = ['project', 'state', 'home'].map((name) => path.join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [root, state, home]) mkdirSync(folder);
  const server = await startModelServer(playRoles(wanted.parts));
  const own = await prepareHome(subject.program, server.url, home);
  // Where programs look anyway, so that only Baton's own settings are found by it.
  const config = path.join(home, '.config');
  const env = {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    ...own,
    XDG_CONFIG_HOME: config,
    GROUND: base,
  };
  writePersonConfig(config, personConfigOf(subject, wanted, Object.keys(own)));
  layProject(root, configOf(subject, wanted));
  return {
    subject,
    root,
    state,
    env,
    server,
    open: () => {
      process.env.XDG_CONFIG_HOME = config;
      return openLab({ root, home: state }, env);
    },
    git: (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim(),
    alive: () => aliveIn(base),
    remove: async () => {
      await server.close();
      for (const pid of await aliveIn(base)) execFileSync('kill', ['-9', pid.split(' ')[0] ?? '']);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** The program, and the variables of the test's home by name, as a person would allow them. */
function personConfigOf({ agent, file }: Subject, { person = {} }: Wanted, own: string[]) {
  const env = ['GROUND', ...own.filter((name) => name !== 'HOME')];
  return stringify({ agents: { [agent]: { command: [file], env } }, ...person });
}

function configOf({ agent, program }: Subject, { settings = {}, config = {} }: Wanted) {
  const kind = program === 'claude-acp' ? { kind: 'acp' } : {};
  return stringify({
    agent,
    agents: { [agent]: { ...kind, ...settings } },
    checks: { build: null, lint: null, type_check: null },
    ...config,
  });
}

function layProject(root: string, config: string): void {
  for (const [name, text] of Object.entries({ ...NPM_PROJECT, 'baton.yaml': config })) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  initGit(root);
}

/** After a limited call without a time: long enough to be a sleep, and short enough for a test. */
const SHORT = { first_ms: 8000, most_ms: 8000 };

export function openLab(
  location: { root: string; home: string },
  env: Readonly<Record<string, string>>,
): Promise<Lab> {
  const worker = (kind: 'acp' | 'command') => [
    process.execPath,
    path.resolve(`src/adapters/agent-${kind}/worker.ts`),
  ];
  return openLabAt(location, {
    wrap: (deps) => ({
      ...deps,
      backoff_policy: { ...BACK_OFF_POLICY, limited: SHORT },
      agent: (policy, role) => {
        const name = (role === undefined ? undefined : policy.by_role?.[role]?.agent) ?? policy.agent;
        return openAgent(name, policy, {
          processes: deps.processes,
          root: location.root,
          home: location.home,
          now: deps.clock.now,
          env,
          worker,
        });
      },
    }),
  });
}

/** Every process whose environment names the ground, whatever became of its parents, group or session. */
async function aliveIn(base: string): Promise<string[]> {
  const own = createProcesses().self().pid;
  const listed = execFileSync('sh', ['-c', `grep -lsz "^GROUND=${base}$" /proc/[0-9]*/environ || true`], {
    encoding: 'utf8',
  });
  const pids = listed.split('\n').flatMap((line) => /\/proc\/(\d+)\//.exec(line)?.[1] ?? []);
  return pids.filter((pid) => Number(pid) !== own).map((pid) => `${pid} ${commandOf(pid)}`);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 160);
  } catch {
    return ''; // ended meanwhile
  }
}
