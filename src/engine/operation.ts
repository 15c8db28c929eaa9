import type { Person } from '../contract/answer.ts';
import type { GateId, RunId } from '../contract/ids.ts';
import type { Deciding, PersonPolicy } from './judge-person.ts';
import type { Rejection } from './rejection.ts';

/**
 * Who may call an operation: anyone. Anyone but a worker. Anyone but a worker, with proof of a person recorded if there
 * is one (CON-116). Or only a proven person.
 */
export type Needs = 'nothing' | 'not_a_worker' | 'noted_person' | 'person';

/** The caller of an operation. Each surface proves its callers in its own way, and the operation says what it needs. */
export interface Caller {
  /** The name that is recorded where no proof is needed. */
  readonly name: string;
  readonly surface: 'cli' | 'web' | 'mcp' | 'github';
  /** The refusal if a worker or check started the caller's process. Null for every other caller. */
  refuseWorker(policy: PersonPolicy): Promise<Rejection | null>;
  /** Proof of a person for this decision, or a refusal that says how to give it. Null: the decision is about no run. */
  person(about: Deciding | null): Promise<Person | Rejection>;
}

/** What a call is about. `gate` and `digest` bind the proof of a person to what was shown. */
export interface Subject {
  readonly run?: RunId;
  readonly gate?: GateId;
  readonly digest?: string;
  /** What it changes, if that is not a run or gate. Only recorded. */
  readonly target?: string;
}
