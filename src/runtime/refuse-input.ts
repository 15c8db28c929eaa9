import type * as z from 'zod';
import { type Rejection, reject } from '../engine/rejection.ts';

/** Input of a surface that does not fit its schema: names the field and what is wrong with it. */
export function refuseInput(error: z.ZodError): Rejection {
  const issue = error.issues[0];
  return reject('bad_input', {
    field: issue?.path.join('.') || 'input',
    problem: issue?.message ?? 'not allowed',
  });
}
