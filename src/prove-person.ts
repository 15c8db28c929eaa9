import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { hardFileLimit, isTagged, readLimits } from './adapters/processes/process-tag.ts';
import { createProcesses } from './adapters/processes/processes.ts';
import type { GateCodes } from './adapters/terminal/gate-codes.ts';
import { openSeenGates, type SeenGates } from './adapters/terminal/seen-gates.ts';
import { hasTerminal, readNamespaces, terminalOpened } from './adapters/terminal/terminal-facts.ts';
import type { Person } from './contract/answer.ts';
import type { StrongProof } from './contract/person-config.ts';
import type { PersonReference } from './contract/run.ts';
import {
  claimAt,
  type PersonPolicy,
  type ProcessFacts,
  refuseProcess,
  refuseWorker,
} from './engine/judge-person.ts';
import { isRejection, type Rejection, reject } from './engine/rejection.ts';
import { outsideEnvironment } from './find-location.ts';
import { expandHome } from './person-config-file.ts';
import type { Processes } from './ports/processes.ts';
import type { ProofRequest } from './surfaces/cli/deps.ts';

export interface ProofOptions {
  readonly folder: string;
  /** State directory of the workspace. Null before it exists. */
  readonly home: () => string | null;
  readonly processes?: Pick<Processes, 'workerAncestor' | 'self' | 'isAlive'>;
  /** The strong proof that the person set up, for answers that only a terminal vouches for. Null if there is none. */
  readonly strong?: () => Promise<StrongProof | null>;
}

/** One instance for the whole command, so that the ancestors of this process are read once. */
const own = createProcesses();

/**
 * Proof of a person on the command line, in this order. The process is not a worker's and has a terminal. If another
 * terminal drives the run, its code confirms the answer. Then the strongest claim (`claimAt`) is recorded. If that is
 * only `terminal`, the strong proof that the person set up is required. docs/guide/gates.md says what each claim is
 * worth.
 */
export async function provePerson(
  options: ProofOptions,
  about: ProofRequest | null | Promise<ProofRequest | null>,
): Promise<Person | Rejection> {
  const processes = options.processes ?? own;
  // Started early: git takes as long as loading the run.
  const name = personName(options.folder);
  const given = await about;
  const facts = readFacts(processes);
  const refused = refuseProcess(facts, given?.policy);
  if (refused) return refused;
  const confirmed = given ? await askTerminal(options.home(), processes, given) : null;
  if (confirmed && confirmed !== 'ok') return confirmed;
  const proof = claimOf(facts, given);
  const code = confirmed === 'ok' && ({ code: true } as const);
  const strong = given && proof === 'terminal' && !code ? await options.strong?.() : null;
  const shown = strong ? await showStrong(strong, given as ProofRequest, options.folder) : proof;
  if (isRejection(shown)) return shown;
  return { person: await name, surface: 'cli', proof: shown, ...code };
}

/**
 * Asks for the strong proof that the person set up. Without it the answer is refused, never accepted with a weaker
 * proof.
 */
async function showStrong(
  strong: StrongProof,
  { early, run, digest }: ProofRequest,
  folder: string,
): Promise<'sudo' | 'security_key' | Rejection> {
  const reason = strong === 'sudo' ? strong : 'security_key';
  if (early) return reject('not_a_person', { reason: 'early' });
  const env = outsideEnvironment(folder);
  const { confirmBySudo, signWith } = await import('./adapters/terminal/strong-proof.ts');
  const shown =
    strong === 'sudo'
      ? await confirmBySudo(env)
      : await signWith(expandHome(strong.security_key), digest ?? run, env);
  return shown ? reason : reject('not_a_person', { reason });
}

function claimOf({ namespaces }: ProcessFacts, given: ProofRequest | null): Person['proof'] {
  const now = Date.now();
  const since = given?.since ? Date.parse(given.since) : Number.NEGATIVE_INFINITY;
  return claimAt(given?.policy ?? {}, since, { namespaces, age: () => terminalOpened(now) });
}

/** A worker, a check or any process they started may not answer, stop or resume. Null for every other process. */
export function refuseWorkerProcess(
  policy?: PersonPolicy,
  processes: Pick<Processes, 'workerAncestor'> = own,
): Rejection | null {
  return refuseWorker(readFacts(processes), policy);
}

/** The facts about the starting process that a run stores. */
export function readReference(): PersonReference {
  return { file_limit: hardFileLimit()?.toString() ?? null, namespaces: readNamespaces() };
}

/** Codes of the gates shown in this terminal, for answers given in another one. */
export async function showCodes(home: string): Promise<GateCodes> {
  return (await loadCodes()).openGateCodes(home, process.pid);
}

/** Loaded only if a terminal drives the run, so that other answers do not pay for it. */
function loadCodes(): Promise<typeof import('./adapters/terminal/gate-codes.ts')> {
  return import('./adapters/terminal/gate-codes.ts');
}

/** Gates that were shown to this person. A gate that a worker prints does not count as shown. */
export function seenGates(home: string): SeenGates {
  const seen = openSeenGates(home);
  return { ...seen, add: async (gate) => (refuseWorkerProcess() ? undefined : seen.add(gate)) };
}

function readFacts(processes: Pick<Processes, 'workerAncestor'>): ProcessFacts {
  const limits = readLimits();
  return {
    call: processes.workerAncestor(),
    tagged: limits !== null && isTagged(limits),
    file_limit: limits?.file?.toString() ?? null,
    namespaces: readNamespaces(),
    terminal: hasTerminal(),
  };
}

/** Asks the terminal that drives the run. Null if no other terminal drives it. */
async function askTerminal(
  home: string | null,
  processes: Pick<Processes, 'self' | 'isAlive'>,
  { holder, run, gate, code }: ProofRequest,
): Promise<'ok' | Rejection | null> {
  const self = processes.self();
  if (home === null || !holder || holder.host !== self.host || holder.pid === self.pid) return null;
  if (!processes.isAlive(holder)) return null;
  const { askDriver } = await loadCodes();
  const said = await askDriver(home, holder.pid, { run, gate, code });
  const args = { pid: String(holder.pid), run };
  switch (said) {
    case 'ok':
      return 'ok';
    case 'absent':
      return null;
    case 'not_shown':
      return gate === null ? null : reject('answer_there', { ...args, why: 'not_shown' });
    case 'needed':
    case 'wrong':
      return reject('code_needed', { ...args, typed: said });
    case 'locked':
    case 'silent':
      return reject('answer_there', { ...args, why: said });
  }
}

async function personName(folder: string): Promise<string> {
  const lines = await new Promise<string>((resolve) => {
    // Without git or without the setting, the name of the system user is used.
    const args = ['config', '-z', '--get-regexp', '^user\\.(name|email)$'];
    execFile('git', args, { cwd: folder, env: outsideEnvironment(folder) }, (_error, stdout) =>
      resolve(stdout ?? ''),
    );
  });
  // If a key is set several times, the last value counts.
  const entries = lines.split('\0').map((line) => line.split('\n'));
  const setting = (key: string) => (entries.findLast(([found]) => found === key)?.[1] ?? '').trim();
  const [name, email] = [setting('user.name'), setting('user.email')];
  return name ? `${name}${email ? ` <${email}>` : ''}` : userInfo().username;
}
