import * as z from 'zod';

export const KNOWLEDGE_TYPES = [
  'product-design',
  'technical-design',
  'ux-ui-design',
  'architecture',
  'business',
  'convention',
  'specification',
  'deferral',
] as const;
export const KNOWLEDGE_STATUSES = ['Asserted', 'Accepted', 'Superseded', 'Archived'] as const;
export const DOMAINS = ['engineering', 'operations', 'data', 'product', 'customer', 'process'] as const;
export const SOURCE_TYPES = ['ticket', 'adr', 'manual', 'inferred', 'research'] as const;
export type KnowledgeStatus = (typeof KNOWLEDGE_STATUSES)[number];
export type KnowledgeType = (typeof KNOWLEDGE_TYPES)[number];
export type Domain = (typeof DOMAINS)[number];

const Day = z.iso.date();

/** An entry of the decision ledger (CON-94). The id is `B-12.d3` if a ticket made it, `D-7` if a person did. */
export const KnowledgeEntry = z.strictObject({
  id: z.string().regex(/^(?:[A-Z][A-Z0-9]*-\d+\.d\d+|D-\d+)$/),
  type: z.enum(KNOWLEDGE_TYPES),
  status: z.enum(KNOWLEDGE_STATUSES).default('Asserted'),
  title: z.string().trim().min(1).max(200),
  body: z.string().max(20_000).default(''),
  domains: z.array(z.enum(DOMAINS)).max(DOMAINS.length).default([]),
  source_type: z.enum(SOURCE_TYPES).default('manual'),
  source_activity: z.string().max(40).nullable().default(null),
  source_task_id: z.string().max(40).nullable().default(null),
  review_by: Day.nullable().default(null),
});
export type KnowledgeEntry = z.infer<typeof KnowledgeEntry>;

/** An entry as stored, with its times, its author and its replacement. */
export interface StoredKnowledge extends KnowledgeEntry {
  readonly superseded_by: string | null;
  readonly recorded_by: string;
  readonly recorded_at: string;
  readonly updated_at: string;
}

/** Filters of a query. All given filters must match. `search` is full text over title and body. */
export const KnowledgeQuery = z.strictObject({
  domains: z.array(z.enum(DOMAINS)).default([]),
  type: z.enum(KNOWLEDGE_TYPES).nullable().default(null),
  status: z.enum(KNOWLEDGE_STATUSES).nullable().default(null),
  search: z.string().max(500).nullable().default(null),
  limit: z.int().min(1).max(200).default(50),
});
export type KnowledgeQuery = z.infer<typeof KnowledgeQuery>;

/** Result of the query `knowledge`: the entries that match, and the ids of those that the ticket already depends on. */
export const KnowledgeFound = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        id: z.string().max(60),
        type: z.enum(KNOWLEDGE_TYPES),
        status: z.enum(KNOWLEDGE_STATUSES),
        title: z.string().max(300),
        body: z.string().max(2_100),
        domains: z.array(z.enum(DOMAINS)),
        review_by: z.string().max(40).nullable(),
      }),
    )
    .max(50),
  linked: z.array(z.string().max(60)).max(200),
});

/** Input to record an entry. The ledger assigns the next `D-n`. */
export const NewKnowledge = KnowledgeEntry.omit({ id: true });
export type NewKnowledge = z.infer<typeof NewKnowledge>;

/** The replacement of an entry. It is Accepted from the start (CON-95). */
export type Successor = Pick<KnowledgeEntry, 'type' | 'title' | 'body' | 'domains'>;

/** Input to supersede an entry. With type and title it is replaced. Without both it is retired (CON-95). */
export const Supersession = KnowledgeEntry.pick({ body: true, domains: true }).extend({
  id: z.string().min(1).max(64),
  type: KnowledgeEntry.shape.type.nullable().default(null),
  title: KnowledgeEntry.shape.title.nullable().default(null),
});
export type Supersession = z.infer<typeof Supersession>;
