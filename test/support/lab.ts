import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agentRoom } from '../../src/adapters/agent-process/agent-room.ts';
import { createRehearsalAgent } from '../../src/adapters/agent-rehearsal/agent.ts';
import { parseScript } from '../../src/adapters/agent-rehearsal/script.ts';
import { openWorkspace } from '../../src/adapters/workspace/checkout/open.ts';
import { createDeps, locationEnvironment } from '../../src/compose.ts';
import type { Person } from '../../src/contract/answer.ts';
import type { Gate } from '../../src/contract/gate.ts';
import type { Policy, Run } from '../../src/contract/run.ts';
import { isRejection, type Rejection } from '../../src/engine/rejection.ts';
import type { Workflow } from '../../src/engine/workflow.ts';
import type { Processes } from '../../src/ports/processes.ts';
import type { Api } from '../../src/runtime/api.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { createApi } from '../../src/runtime/service.ts';
import type { DriveHandle, Progress, Receipt, StartOptions, StopPoint } from '../../src/runtime/views.ts';
import { cliTexts } from '../../src/texts.ts';
import { callerOf, TESTER } from './caller.ts';
import { probeTexts, probeWorkflow } from './probe.ts';
import { sharedBundle } from './shared-bundle.ts';
import { textsWith } from './texts.ts';
import { wayTexts, wayWorkflow } from './way.ts';

export { TESTER };

type Options = Omit<StartOptions, 'opened_by'>;

const START: Options = {
  agent: null,
  script: null,
  in_place: false,
  unattended: false,
  attended: false,
};

/** Workflows of tests alone. */
const OWN: Readonly<Record<string, Workflow>> = { probe: probeWorkflow, way: wayWorkflow };
const OWN_TEXTS = { ...probeTexts, ...wayTexts };
const TEXTS = textsWith(OWN_TEXTS);
/** As the command line composes it. */
const SAID = textsWith(OWN_TEXTS, cliTexts);

const AT_ONCE = { first_ms: 0, most_ms: 0 };
/** Nothing waits before it is tried again. */
const NO_PAUSE: Deps['backoff_policy'] = { limited: AT_ONCE, infrastructure: AT_ONCE, breaker: AT_ONCE };

export interface LabOptions {
  /** YAML of a rehearsal script; the built-in one otherwise. */
  readonly script?: string;
  readonly git?: boolean;
  /** The rehearsal agent's worker program; its source otherwise. */
  readonly worker?: string;
  /** Replaces the processes that workers and checks are started with. */
  readonly processes?: (real: Processes) => Processes;
  /** Files of the folder before anything happens. */
  readonly files?: Readonly<Record<string, string>>;
  /** Workers and checks are sandboxed, as they are by the command line. */
  readonly contained?: boolean;
  /** Replaces parts of the composition. */
  readonly wrap?: (deps: Deps) => Deps;
}

/** One folder with real SQLite, real git, real processes and the rehearsal agent; the API as a surface sees it. */
export interface Lab {
  readonly root: string;
  readonly home: string;
  readonly deps: Deps;
  readonly api: Api;
  readonly progress: Progress[];
  start(workflow: string, input: unknown, options?: Partial<Options>): Promise<DriveHandle>;
  refused(workflow: string, input: unknown, options?: Partial<Options>): Promise<Rejection>;
  answer(gate: Gate, option: string, more?: AnswerMore): Promise<Receipt>;
  answerRefused(gate: Gate, option: string, more?: AnswerMore): Promise<Rejection>;
  row(run: string): Promise<Run>;
  /** A second API on the same store, as another process would have it. */
  other(wrap?: (deps: Deps) => Deps, processes?: LabOptions['processes']): Promise<Lab>;
  close(): Promise<void>;
}

export interface AnswerMore {
  readonly text?: string;
  readonly fields?: Record<string, string | null>;
  readonly typed?: string;
  readonly digest?: string;
  readonly by?: Person;
}

export async function openLab(options: LabOptions = {}): Promise<Lab> {
  const base = mkdtempSync(path.join(tmpdir(), 'baton-lab-'));
  const root = path.join(base, 'photos');
  const home = path.join(base, 'home');
  mkdirSync(root);
  mkdirSync(home);
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  if (options.git) initGit(root);
  return openLabAt({ root, home }, options, () => rmSync(base, { recursive: true, force: true }));
}

/** A repository with one commit of whatever the folder holds. */
export function initGit(root: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Tess Tester');
  git('config', 'user.email', 'tess@example.org');
  writeFileSync(path.join(root, 'README'), 'photos\n');
  git('add', '.');
  git('commit', '-q', '-m', 'start');
}

/** The same in folders that exist already. */
export async function openLabAt(
  location: { root: string; home: string },
  options: LabOptions,
  cleanUp: () => void = () => undefined,
): Promise<Lab> {
  const { containment, ...base } = await createDeps(location);
  const script = options.script === undefined ? null : parsed(options.script);
  const workspace = await openWorkspace({
    root: location.root,
    namespace: 'baton',
    state: location.home,
    environment: locationEnvironment(location),
  });
  const worker = options.worker ?? (await sharedBundle()).rehearsalWorker;
  const argv = [process.execPath, worker];
  const processes = options.processes?.(base.processes) ?? base.processes;
  const agentOf = (policy: Policy) =>
    createRehearsalAgent({ processes, argv, script, env: process.env, room: agentRoom(policy) });
  const agent = agentOf({} as Policy);
  const own: Deps = {
    ...base,
    processes,
    workspace,
    treeOf: (run) => (run.policy.tree === 'clone' ? base.treeOf(run) : workspace),
    poll_ms: 20,
    backoff_policy: NO_PAUSE,
    texts: TEXTS,
    surfaceTexts: SAID,
    workflow: async (name) => OWN[name] ?? base.workflow(name),
    agent: async (policy) => (options.contained ? agentOf(policy) : agent),
    ...(options.contained && containment && { containment }),
  };
  const deps = options.wrap?.(own) ?? own;
  const api = createApi(deps, callerOf(TESTER, 'test'));
  const progress: Progress[] = [];
  api.onProgress((event) => progress.push(event));
  const lab: Lab = {
    ...location,
    deps,
    api,
    progress,
    start: async (workflow, input, more) => {
      const handle = await api.start({ workflow, input, ...START, ...more });
      if (isRejection(handle)) throw new Error(`refused: ${JSON.stringify(handle)}`);
      return handle;
    },
    refused: async (workflow, input, more) => {
      const handle = await api.start({ workflow, input, ...START, ...more });
      if (!isRejection(handle)) throw new Error('was not refused');
      return handle;
    },
    answer: async (gate, option, more = {}) => {
      const receipt = await send(api, gate, option, more);
      if (isRejection(receipt)) throw new Error(`refused: ${JSON.stringify(receipt)}`);
      return receipt;
    },
    answerRefused: async (gate, option, more = {}) => {
      const receipt = await send(api, gate, option, more);
      if (!isRejection(receipt)) throw new Error('was not refused');
      return receipt;
    },
    row: async (run) => {
      const row = await deps.store.load(run);
      if (!row) throw new Error(`no run ${run}`);
      return row;
    },
    other: (wrap, processes) =>
      openLabAt(location, { ...options, ...(wrap && { wrap }), ...(processes && { processes }) }),
    close: async () => {
      await api.close();
      cleanUp();
    },
  };
  return lab;
}

function send(api: Api, gate: Gate, option: string, more: AnswerMore) {
  const { text = null, fields = {}, typed = null, digest = gate.digest, by = TESTER } = more;
  return api.as(callerOf(by)).answer({ gate: gate.id, answer: { option, text, fields, typed, digest } });
}

function parsed(text: string) {
  const result = parseScript(text, { file: 'script.yaml', readFile: () => '' });
  if (!result.ok) throw new Error(`script: ${JSON.stringify(result.errors)}`);
  return result.script;
}

/** The gate a rest stands at; fails when there is none. */
export function gateOf(rest: StopPoint): Gate {
  if (!rest.gate) throw new Error(`no gate: ${JSON.stringify(rest)}`);
  return rest.gate;
}

/** Waits until a condition holds, looking often; a machine under load gets a minute. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('the condition never held');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
