import type { Person, Proof } from '../contract/answer.ts';
import type { Msg } from '../contract/brief.ts';
import type { GateId, Instant, RunId } from '../contract/ids.ts';
import type { Holder, Policy } from '../contract/run.ts';
import { type Rejection, reject } from './rejection.ts';

/** Facts that a process can find out about itself. */
export interface ProcessFacts {
  /** Call id in the environment of this process or of an ancestor. */
  readonly call: string | null;
  /** Its hard file limit is a process tag. */
  readonly tagged: boolean;
  /** Hard limit on file size in bytes. Null: unlimited. */
  readonly file_limit: string | null;
  readonly namespaces: string | null;
  readonly terminal: boolean;
}

/** When the terminal of a process was opened, in milliseconds of the clock. Null: unknown. */
interface TerminalAge {
  readonly leader: number | null;
  /**
   * Start of the program that holds the other end of the terminal: tmux, sshd, `script`. Null: not visible to Baton.
   */
  readonly holder: number | null;
}

/** The relevant part of a run's policy. Empty without a run. */
export type PersonPolicy = Partial<Pick<Policy, 'reference' | 'containment'>>;

/** The facts that a person's proof depends on: the run, its gate, who drives it, and its policy for proof. */
export interface Deciding {
  readonly run: RunId;
  /** Null: a command for the run, not an answer. */
  readonly gate: GateId | null;
  /** A person's strong proof is bound to this digest. Null without a gate. */
  readonly digest: string | null;
  readonly holder: Holder | null;
  readonly policy: PersonPolicy;
  /** No worker of the run or of its parents is older than this. Null: not known. */
  readonly since: Instant | null;
}

/** Recorded if a worker removed its call id from the environment. */
const UNNAMED_CALL = 'call id removed';

/** Refuses a process that a worker or check started. The process tag remains if the environment is cleared. */
export function refuseWorker(facts: ProcessFacts, { reference }: PersonPolicy = {}): Rejection | null {
  const { call, tagged, file_limit } = facts;
  const lowered = reference !== undefined && isLower(file_limit, reference.file_limit);
  if (call !== null || tagged) return refuse('worker', { call_id: call ?? UNNAMED_CALL });
  if (lowered) return refuse('limit', { call_id: UNNAMED_CALL });
  return null;
}

/** Refuses a process that cannot be a person's: a worker's, one without a terminal, one in a foreign namespace. */
export function refuseProcess(facts: ProcessFacts, stored: PersonPolicy = {}): Rejection | null {
  const worker = refuseWorker(facts, stored);
  if (worker) return worker;
  if (isForeign(facts.namespaces, stored.reference?.namespaces ?? null)) return refuse('namespace');
  return facts.terminal ? null : refuse('no_terminal');
}

function refuse(reason: string, args: Readonly<Record<string, string>> = {}): Rejection {
  return reject('not_a_person', { ...args, reason });
}

/** A process can lower its hard limit but never raise it, so a higher limit cannot come from a worker. */
function isLower(limit: string | null, reference: string | null): boolean {
  if (limit === null) return false;
  return reference === null || BigInt(limit) < BigInt(reference);
}

/**
 * The user mapping decides: it differs in every namespace that an ordinary user can create. Namespace numbers are
 * ignored, because they change when a container restarts, and that must not lock a person out.
 */
function isForeign(namespaces: string | null, reference: string | null): boolean {
  if (namespaces === null || reference === null) return false;
  return usersOf(namespaces) !== usersOf(reference);
}

function usersOf(namespaces: string): string {
  return namespaces.split(' ').slice(2).join(' ');
}

/** The strongest proof that an answer at a terminal may claim. `since`: no worker started before this time. */
export function claimAt({ containment, reference }: PersonPolicy, since: number, at: Claimant): Proof {
  // Agents and installs always have network access, so the claim is never stronger.
  if (containment?.kind === 'bwrap') return 'sandboxed_network';
  const { leader, holder } = at.age();
  const older = leader !== null && leader < since && (holder === null || holder < since);
  return older && reference?.namespaces === at.namespaces ? 'older_terminal' : 'terminal';
}

/** `age` is read only if needed, because it has to query other processes. */
export interface Claimant {
  readonly namespaces: string | null;
  age(): TerminalAge;
}

/** The proof check ended before the person was asked for the strong proof they set up. */
export function isEarly({ rejection, message }: Rejection): boolean {
  return rejection === 'not_a_person' && message.args?.reason === 'early';
}

/** The message about the proof of an answer. Null if the proof does not come from a terminal. */
export function proofMessage(by: Pick<Person, 'person' | 'proof' | 'code'>): Msg | null {
  if (!TOLD.has(by.proof)) return null;
  const confirmed = by.code ? 'code' : 'none';
  return { msg: 'engine.proof', args: { proof: by.proof, name: by.person, confirmed } };
}

const TOLD: ReadonlySet<Proof> = new Set([
  'sandboxed_network',
  'older_terminal',
  'security_key',
  'sudo',
  'terminal',
]);
