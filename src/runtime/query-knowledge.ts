import * as z from 'zod';
import { KnowledgeQuery } from '../contract/knowledge.ts';
import { cutText } from '../engine/cut-text.ts';
import { InvariantError } from '../engine/errors.ts';
import type { Deps } from './deps.ts';

/** Longest body of an entry that a worker gets. The ledger has the whole text. */
const LONGEST_BODY = 2_000;

const AnnouncementRequest = KnowledgeQuery.extend({ ticket: z.string().nullable() });

/**
 * Entries that match the query, best match first, and the ids of entries that the ticket already depends on. Only
 * reads.
 */
export async function queryKnowledge({ store }: Pick<Deps, 'store'>, input: unknown): Promise<unknown> {
  const asked = AnnouncementRequest.safeParse(input);
  if (!asked.success) throw new InvariantError(`a look at the ledger asks ${JSON.stringify(input)}`);
  const { ticket, ...query } = asked.data;
  const found = await store.knowledge(query);
  const linked = ticket === null ? [] : await store.ticketKnowledge(ticket);
  const entries = found.map(({ id, type, status, title, body, domains, review_by }) => {
    return { id, type, status, title, body: cutText(body, LONGEST_BODY), domains, review_by };
  });
  return { entries, linked: linked.map(({ id }) => id) };
}
