import type { Person } from '../../contract/answer.ts';
import type { RunId } from '../../contract/ids.ts';
import type { Run } from '../../contract/run.ts';
import type { Deciding } from '../../engine/judge-person.ts';
import type { Caller, Needs, Subject } from '../../engine/operation.ts';
import { isRejection, type Rejection } from '../../engine/rejection.ts';
import type { Deps } from '../deps.ts';
import { isDamage } from '../load.ts';

/** What a caller wants to do, and what it needs for that. */
export interface Request {
  readonly needs: Needs;
  readonly subject: Subject;
  /** The name recorded if a worker tried it. */
  readonly command: string;
}

/** The person is set if the operation asks for one and the caller proved to be one. */
export interface Permit {
  readonly person: Person | null;
}

/** The one place where a worker or an unproven person is refused. A worker's attempt is recorded in its run's log. */
export async function permit(deps: Deps, caller: Caller, request: Request): Promise<Permit | Rejection> {
  const allowed = await judge(deps, caller, request);
  if (!isRejection(allowed)) return allowed;
  await noteRefusal(deps, allowed, request);
  return request.subject.gate === undefined ? reworded(allowed) : allowed;
}

async function judge(deps: Deps, caller: Caller, { needs, subject }: Request): Promise<Permit | Rejection> {
  if (needs === 'nothing') return { person: null };
  if (needs !== 'person') {
    const run = subject.run === undefined ? null : await loadRow(deps, subject.run);
    const refused = await caller.refuseWorker(run?.policy ?? {});
    if (refused || needs === 'not_a_worker') return refused ?? { person: null };
  }
  const person = await caller.person(await decidingOn(deps, subject));
  if (!isRejection(person)) return { person };
  return needs === 'person' ? person : { person: null };
}

/** The facts that a person's proof depends on: the current run, and the age of the work on it. */
export async function decidingOn(deps: Deps, { run: id, gate, digest }: Subject): Promise<Deciding | null> {
  if (id === undefined) return decidingHere(deps);
  const run = await loadRow(deps, id);
  if (!run) return null;
  const { policy, holder } = run;
  return {
    run: id,
    gate: gate ?? null,
    digest: digest ?? null,
    holder,
    policy,
    since: await startOfWork(deps, run),
  };
}

/**
 * A decision without a run is checked against the newest run, because the limit of a person's process is the same for
 * all.
 */
async function decidingHere(deps: Deps): Promise<Deciding | null> {
  const [newest] = await deps.store.list({ ended: false, limit: 1 });
  const run = newest ? await loadRow(deps, newest.id) : null;
  if (!run) return null;
  const { reference } = run.policy;
  const policy = reference ? { reference } : {};
  return { run: run.id, gate: null, digest: null, holder: null, policy, since: null };
}

/** The start of the topmost parent, because a child's work began with it. */
async function startOfWork(deps: Deps, { parent, created_at }: Run): Promise<string> {
  const above = parent === null ? null : await loadRow(deps, parent);
  return above ? startOfWork(deps, above) : created_at;
}

/** Null if the run does not exist or cannot be read. */
async function loadRow(deps: Deps, id: RunId): Promise<Run | null> {
  try {
    return (await deps.store.load(id)) ?? null;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
}

/** A refusal for another reason than a worker is not recorded. */
async function noteRefusal(deps: Deps, { message }: Rejection, { subject, command }: Request): Promise<void> {
  const call_id = message.args?.call_id;
  if (typeof call_id !== 'string') return;
  const run = subject.run ?? call_id.split('/')[0] ?? '';
  const { noteWorker } = await import('../note-worker.ts');
  await noteWorker(deps, run, { call_id, command, target: subject.target ?? subject.gate ?? run });
}

/** Rewords a refusal for an operation that is not an answer at a gate. */
function reworded(refusal: Rejection): Rejection {
  if (refusal.rejection !== 'not_a_person') return refusal;
  return { ...refusal, message: { ...refusal.message, msg: 'engine.rejection.not_a_person_decides' } };
}
