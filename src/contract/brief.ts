import * as z from 'zod';
import { BRIEF_REASONS } from './ticket.ts';

/** Catalogue text: message id and arguments. It is translated only when it is shown. */
export const Msg = z.strictObject({
  msg: z.string().min(1),
  args: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  /** The name of the document that the text asks to read. */
  to_read: z.string().optional(),
});
export type Msg = z.infer<typeof Msg>;

/** A string is verbatim text of a worker or a person and is never translated. A Msg is catalogue text. */
export const Text = z.union([z.string(), Msg]);
export type Text = z.infer<typeof Text>;

/** Why a ticket waits with a brief (CON-63). Any other reason to wait has no brief. */
export const BriefReason = z.enum(BRIEF_REASONS);
export type BriefReason = z.infer<typeof BriefReason>;

/** The knowledge entry a brief is about. It is shown as a pointer to more detail. */
export const DecisionRef = z.strictObject({ type: z.string().min(1), id: z.string().min(1) });
export type DecisionRef = z.infer<typeof DecisionRef>;

const Recommendation = z.strictObject({
  text: Text,
  confidence: z.enum(['high', 'medium', 'low']).optional(),
  cede: z.boolean().optional(),
});

const BriefItem = z.strictObject({
  kind: z.enum(['decision', 'content-input', 'derived-constraint']),
  text: Text,
  recommendation: Text.optional(),
  deferred: z.boolean().optional(),
});

/**
 * The content of a gate, conclusion first (CON-64). Frozen when the gate is stored. `payload` holds the promised
 * writes, which code lists in the brief. Only Baton writes `banners` and `criteria`. Banners are warnings above
 * everything else. `criteria` are the acceptance criteria that the ticket already has.
 */
export const BriefDoc = z.strictObject({
  decide: z.union([z.string().regex(/\S/, 'must not be blank'), Msg]),
  recommend: Recommendation.nullable().default(null),
  why: z.array(Text).default([]),
  alternatives: z.array(z.strictObject({ option: Text, rejection: Text })).default([]),
  context: z.array(Text).default([]),
  items: z.array(BriefItem),
  research: z.array(Text).default([]),
  load_bearing_gap: Text.nullable().default(null),
  tail: Text.nullable().default(null),
  payload: z.array(z.unknown()).default([]),
  banners: z.array(Text).default([]),
  criteria: z.array(z.string()).optional(),
});
export type BriefDoc = z.infer<typeof BriefDoc>;
