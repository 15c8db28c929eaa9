import * as z from 'zod';
import { KnowledgeQuery } from '../contract/knowledge.ts';
import { InvariantError } from '../engine/errors.ts';
import { cutText } from '../engine/knowledge.ts';
import type { Deps } from './deps.ts';

/** What a worker is given of one entry; the whole of it is in the ledger. */
const LONGEST_BODY = 2_000;

const Asked = KnowledgeQuery.extend({ ticket: z.string().nullable() });

/** Entries that fit the query, best match first, and the ids of those the ticket already rests on. Reads only. */
export async function lookKnowledge({ store }: Pick<Deps, 'store'>, input: unknown): Promise<unknown> {
  const asked = Asked.safeParse(input);
  if (!asked.success) throw new InvariantError(`a look at the ledger asks ${JSON.stringify(input)}`);
  const { ticket, ...query } = asked.data;
  const found = await store.knowledge(query);
  const linked = ticket === null ? [] : await store.ticketKnowledge(ticket);
  const entries = found.map(({ id, type, status, title, body, domains, review_by }) => {
    return { id, type, status, title, body: cutText(body, LONGEST_BODY), domains, review_by };
  });
  return { entries, linked: linked.map(({ id }) => id) };
}
