import * as z from 'zod';
import { PRIORITIES } from './ticket.ts';

export const Long = z.string().max(20_000);
export const Line = z.string().trim().min(1).max(300);
export const Label = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\s,]+$/, 'must have no spaces or commas');
export const Title = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\r\n]*$/, 'must be one line');

/**
 * One write that an accept promises (CON-72). The brief lists it, and the ledger identifies it by its content. It is
 * built lazily, because every command that renders a brief loads this file.
 */
export const PromisedWrite = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('acceptance_criterion'), text: Line }),
    z.strictObject({
      kind: z.literal('child_ticket'),
      key: Line,
      title: Title,
      description: Long.default(''),
      priority: z.enum(PRIORITIES).default('medium'),
      after: z.array(Line).max(50).default([]),
    }),
    z.strictObject({ kind: z.literal('checklist_item'), text: Line }),
    /** `text`: the text of the criterion. Code fills it in. */
    z.strictObject({
      kind: z.literal('ac_transfer'),
      criterion: Line,
      child: Line,
      text: Line.optional(),
    }),
    z.strictObject({ kind: z.literal('label_add'), label: Label }),
  ]),
);
export type PromisedWrite = z.infer<typeof PromisedWrite>;
