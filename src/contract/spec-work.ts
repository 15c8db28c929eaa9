import * as z from 'zod';
import { refuseTwins } from './criterion-twins.ts';

/** Results of the workers of a `spec` run, and the input of people for it. */

export const QuestionId = z.string().regex(/^q([1-9]|1[01])$/);

/** One question as asked. The engine assigns the id, which is the same in notes, markers and documents. */
export const Question = z.strictObject({
  id: QuestionId,
  text: z.string().min(1).max(1_000),
  why: z.string().max(1_000),
});
export type Question = z.infer<typeof Question>;

/** Result of the interviewer. Its ids are ignored. Surplus questions are cut, in order (SP-25). */
export const InterviewerResult = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        id: z.string().max(40).optional(),
        text: z.string().trim().min(1).max(1_000),
        why: z.string().trim().min(1).max(1_000),
      }),
    )
    .max(40),
});
export type InterviewerResult = z.infer<typeof InterviewerResult>;

/** One change a person requested: the entry record `request`, with the verbatim text. */
export const ChangeRequest = z.strictObject({ text: z.string().min(1).max(20_000) });
export type ChangeRequest = z.infer<typeof ChangeRequest>;

/**
 * One question and answer of the notes: the entry record `note`. `unconfirmed`: the answer is unknown, so no one may
 * assume one.
 */
export const Note = z.strictObject({
  id: QuestionId,
  round: z.int().min(1).max(3),
  question: z.string(),
  why: z.string(),
  answer: z.string().nullable(),
  unconfirmed: z.boolean(),
});
export type Note = z.infer<typeof Note>;

const Passage = z.string().trim().min(1).max(4_000);
const Passages = z.array(Passage).min(1).max(100);
/** One line, for a heading. */
const Title = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\r\n]*$/);

const Criterion = z.strictObject({
  id: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/),
  name: Title,
  given: Passage,
  when: Passage,
  outcome: Passage,
});

const Risk = z.strictObject({
  text: Passage,
  likelihood: z.enum(['low', 'med', 'high']),
  mitigation: Passage,
});

/**
 * The specification: seven parts, none empty (SP-31). Result of the writer. Keys and enum values are English in every
 * language. Text that depends on an unconfirmed answer carries `[unconfirmed q2]`.
 */
export const SpecDoc = z
  .strictObject({
    goal: Passage,
    background_decisions: Passages,
    scope: Passages,
    out_of_scope: Passages,
    edge_cases: Passages,
    acceptance_criteria: z.array(Criterion).min(1).max(100),
    risks: z.array(Risk).min(1).max(100),
  })
  .superRefine((doc, ctx) => refuseTwins('acceptance_criteria', doc.acceptance_criteria, ctx));
export type SpecDoc = z.infer<typeof SpecDoc>;
