import * as z from 'zod';
import { DOMAINS } from './knowledge.ts';
import { Label, Title } from './promised-write.ts';
import { DESIGN_TRACKS, PRIORITIES } from './ticket.ts';

/** Results of the workers of a ticket. Keys and enum values are English in every language. */
const Passage = z.string().trim().min(1).max(2_000);
const Line = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[^\r\n]*$/);
const Key = z.string().regex(/^[a-z0-9][a-z0-9-]{0,30}$/);

/** The brief as a worker writes it (CON-64). The engine makes the promised writes from the fields beside it. */
const WorkerBrief = z.strictObject({
  decide: Passage,
  recommend: z
    .strictObject({
      text: Passage,
      confidence: z.enum(['high', 'medium', 'low']).optional(),
      cede: z.boolean().optional(),
    })
    .nullable(),
  why: z.array(Passage).max(20),
  alternatives: z.array(z.strictObject({ option: Passage, rejection: Passage })).max(10),
  context: z.array(Passage).max(20),
  items: z
    .array(
      z.strictObject({
        kind: z.enum(['decision', 'content-input']),
        text: Passage,
        recommendation: Passage.optional(),
        deferred: z.boolean().optional(),
      }),
    )
    .max(20),
  research: z.array(Passage).max(3).default([]),
  load_bearing_gap: Passage.nullable().default(null),
});
export type WorkerBrief = z.infer<typeof WorkerBrief>;

const Decision = z.strictObject({
  title: Title,
  body: z.string().trim().min(1).max(10_000),
  domains: z.array(z.enum(DOMAINS)).min(1).max(DOMAINS.length),
});

/** Either only questions for a person, or a complete draft (CON-100). */
const asking = {
  questions: z.array(Passage).max(10).default([]),
  brief: WorkerBrief.nullable(),
  /** Ids of the ledger entries it depends on, or the stated gap (CON-96). */
  grounds: z.array(z.string().max(60)).max(20).default([]),
  gap: Passage.nullable().default(null),
  related: z.array(Line).max(20).default([]),
  reasoning: z.string().max(10_000).default(''),
  decision: Decision.nullable(),
};

export const Clarification = z.strictObject({
  ...asking,
  criteria: z.array(Line).max(20),
  labels: z.array(Label).max(5).default([]),
  /** The decision itself is the whole result: a decision-only ticket ends here. */
  deliverable: z.boolean().default(false),
});
export type Clarification = z.infer<typeof Clarification>;

export const Decomposition = z.strictObject({
  ...asking,
  children: z
    .array(
      z.strictObject({
        key: Key,
        title: Title,
        description: z.string().max(10_000).default(''),
        priority: z.enum(PRIORITIES).default('medium'),
        /** Keys of children that must be done before it. */
        after: z.array(Key).max(20).default([]),
        /** Ids of this ticket's criteria that the child takes over. */
        criteria: z.array(z.string().max(20)).max(20).default([]),
      }),
    )
    .max(20),
});
export type Decomposition = z.infer<typeof Decomposition>;

export const Design = z.strictObject({
  ...asking,
  /** The tracks this ticket needs. The first design sets them for all. */
  tracks: z.array(z.enum(DESIGN_TRACKS)).min(1).max(3),
});
export type Design = z.infer<typeof Design>;

export const TicketPlan = z.strictObject({
  ...asking,
  checklist: z.array(Line).max(40),
});
export type TicketPlan = z.infer<typeof TicketPlan>;

export const StalePatch = z.strictObject({
  ...asking,
  /** Work that must be done again. Null: only the knowledge is updated. */
  rework: z
    .enum([
      'revising-promoting',
      'revising-clarifying',
      'revising-decomposing',
      'revising-designing',
      'revising-building',
    ])
    .nullable(),
});
export type StalePatch = z.infer<typeof StalePatch>;

export const ReleaseDraft = z.strictObject({ brief: WorkerBrief });
export type ReleaseDraft = z.infer<typeof ReleaseDraft>;

/** A runbook from the criteria: actions with expected results. It marks what cannot be verified (CON-91). */
export const Runbook = z.strictObject({
  brief: WorkerBrief,
  steps: z
    .array(
      z.strictObject({
        criterion: z.string().max(20),
        do: Passage,
        expect: Passage,
        unverifiable: z.boolean().default(false),
      }),
    )
    .max(50),
});
export type Runbook = z.infer<typeof Runbook>;
