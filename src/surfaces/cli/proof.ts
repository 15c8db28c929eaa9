import type { Person } from '../../contract/answer.ts';
import type { Gate } from '../../contract/gate.ts';
import { isEarly } from '../../engine/judge-person.ts';
import { isRejection, type Rejection } from '../../engine/rejection.ts';
import type { Translate } from '../../engine/workflow.ts';
import { typeCode } from './caller.ts';
import { type OpenContext, optionText } from './context.ts';

interface ProofDeps extends OpenContext {
  readonly t: Translate;
  readonly interrupt?: AbortController;
}

type GateName = Pick<Gate, 'id' | 'run' | 'digest'>;

/** Gets proof of a person for an answer to this gate, before the answer is sent. */
export async function proveAtGate(
  open: ProofDeps,
  gate: GateName,
  begun: Promise<Person | Rejection> | null = null,
): Promise<Person | Rejection> {
  const about = open.api.deciding(subjectOf(gate));
  const code = optionText(open, 'code');
  const early = await begun;
  const again = early === null || (isRejection(early) && isEarly(early));
  const first = again ? await open.deps.person(about.then((facts) => facts && { ...facts, code })) : early;
  return typeCode(open, first, await about);
}

/**
 * Starts the proof while the run is looked up, because asking git for the person's name takes as long. It does not ask
 * for a strong proof yet. `proveAtGate` does that.
 */
export function beginProof(open: OpenContext, gate: GateName): Promise<Person | Rejection> {
  const code = optionText(open, 'code');
  const about = open.api
    .deciding(subjectOf(gate))
    .then((facts) => facts && { ...facts, code, early: true as const });
  const person = open.deps.person(about);
  person.catch(() => undefined);
  return person;
}

function subjectOf({ id, run, digest }: GateName) {
  return { run, gate: id, digest };
}
