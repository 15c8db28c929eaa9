import * as z from 'zod';
import { BRIEF_REASONS } from './ticket.ts';

/** Catalogue text: message id and arguments, put into a language only when it is shown. */
export const Msg = z.strictObject({
  msg: z.string().min(1),
  args: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});
export type Msg = z.infer<typeof Msg>;

/** A string is verbatim text of a worker or a person and never translated; a Msg is catalogue text. */
export const Text = z.union([z.string(), Msg]);
export type Text = z.infer<typeof Text>;

/** Why a ticket waits with a brief (CON-63); any other awaiting reason has no brief. */
export const BriefReason = z.enum(BRIEF_REASONS);
export type BriefReason = z.infer<typeof BriefReason>;

/** The knowledge entry a brief is about; shown as the pointer to more depth. */
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
 * What a gate shows, bottom line first (CON-64). Frozen when the gate is stored. `payload` holds the promised writes
 * and is never shown; `banners` is Baton's own addition: warnings that stand above everything else.
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
});
export type BriefDoc = z.infer<typeof BriefDoc>;
