import type * as z from 'zod';
import type { Person } from '../contract/answer.ts';
import type { RunId } from '../contract/ids.ts';
import { KnowledgeQuery, NewKnowledge, type StoredKnowledge, Supersession } from '../contract/knowledge.ts';
import type { ShownDecision, SupersededDecision } from '../contract/knowledge-views.ts';
import { cleanValue } from '../engine/clean-text.ts';
import { refuseInput } from '../engine/refuse-input.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { Superseded } from '../ports/knowledge.ts';
import { deliver } from './apply.ts';
import type { Deps } from './deps.ts';

/** Records an entry that a person states. */
export async function recordDecision(
  { store, clock }: Deps,
  input: unknown,
  by: Person,
): Promise<StoredKnowledge | Rejection> {
  const entry = checked(NewKnowledge, input);
  if (isRejection(entry)) return entry;
  const recorded = await store.recordKnowledge(entry, by.person, clock.now());
  return recorded.kind === 'recorded' ? recorded.entry : taken(entry.title, recorded.by);
}

/**
 * Supersedes the entry in one transaction. Then each ticket that depends on it gets the fact, at once if no process
 * drives it.
 */
export async function supersedeDecision(
  deps: Deps,
  input: unknown,
  by: Person,
): Promise<SupersededDecision | Rejection> {
  const ask = checked(Supersession, input);
  if (isRejection(ask)) return ask;
  const { id, ...next } = ask;
  const successor = wholeSuccessor(next);
  if (isRejection(successor)) return successor;
  const done = await deps.store.supersede({ id, successor, by: by.person, at: deps.clock.now() });
  if (done.kind !== 'superseded') return refuseSuperseding(done, id, next.title ?? '');
  for (const ticket of done.told) await deliver(deps, ticket);
  return { entry: done.entry, successor: done.successor, told: done.told };
}

/**
 * A successor needs both type and title. If no field is given, there is no successor. Other combinations are refused
 * (CON-95).
 */
function wholeSuccessor(next: Omit<Supersession, 'id'>) {
  const { type, title, body, domains } = next;
  if (type !== null && title !== null) return { type, title, body, domains };
  const given = Object.entries({ title, type, body: body || null, domain: domains.join(', ') || null });
  const half = given.filter(([, value]) => value !== null).map(([name]) => name);
  return half.length === 0
    ? null
    : reject('bad_input', { given: half.join(', ') }, { msg: 'engine.rejection.half_successor' });
}

function refuseSuperseding(
  refused: Exclude<Superseded, { kind: 'superseded' }>,
  id: string,
  title: string,
): Rejection {
  switch (refused.kind) {
    case 'unknown':
      return reject('no_such_decision', { id });
    case 'title_taken':
      return taken(title, refused.by);
    case 'superseded_before':
      return reject(
        'wrong_moment',
        { id, by: refused.by ?? 'none' },
        { msg: 'engine.rejection.superseded_before' },
      );
  }
}

/** Records on a person's behalf that a ticket depends on an entry. */
export async function linkDecision(
  deps: Deps,
  ticket: RunId,
  id: string,
  by: Person,
): Promise<ShownDecision | Rejection> {
  const linked = await deps.store.linkKnowledge(id, ticket, by.person, deps.clock.now());
  return linked ? showDecision(deps, id) : reject('no_such_decision', { id });
}

export async function findDecisions(
  { store }: Deps,
  query: unknown,
): Promise<readonly StoredKnowledge[] | Rejection> {
  const asked = checked(KnowledgeQuery, query);
  return isRejection(asked) ? asked : store.knowledge(asked);
}

export async function showDecision({ store }: Deps, id: string): Promise<ShownDecision | Rejection> {
  const entry = await store.knowledgeEntry(id);
  if (!entry) return reject('no_such_decision', { id });
  return { entry, supersedes: await store.replacedBy(id), tickets: await store.linkedTickets(id) };
}

/** Cleans the text before it is validated, so that the shown text equals the stored one. */
function checked<T>(schema: z.ZodType<T>, input: unknown): T | Rejection {
  const clean = cleanValue(input);
  const parsed = schema.safeParse(clean);
  return parsed.success ? parsed.data : refuseInput(parsed.error, clean);
}

function taken(title: string, by: string): Rejection {
  return reject('title_taken', { title, by });
}
