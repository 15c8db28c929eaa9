import * as z from 'zod';
import type { GateId, Hash, Instant, RunId } from './ids.ts';

/** What a surface sends. `digest` is what the person saw; without it the surface has just shown the gate itself. */
export const AnswerInput = z.strictObject({
  option: z.string().min(1).max(64),
  text: z.string().max(20_000).nullable().default(null),
  fields: z.record(z.string().max(64), z.string().max(20_000).nullable()).default({}),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  typed: z.string().max(200).nullable().default(null),
});
export type AnswerInput = z.infer<typeof AnswerInput>;

type Surface = 'cli' | 'web' | 'mcp' | 'github' | 'demo' | 'test';

/** Who answers and what shows that it is a person. Made by a surface's own proof check, never taken from input. */
export interface Person {
  readonly person: string;
  readonly surface: Surface;
  readonly proof: 'terminal' | 'token' | 'login' | 'elicitation' | 'account' | 'composition';
}

/** A person, or the drive that answered for one (`agent:<mode>`). */
export type AnsweredBy = Person | { readonly agent: string; readonly drive: string };

/** The record of a decision: bound to the digest of exactly what was shown. Written once. */
export interface Answer {
  readonly receipt: string;
  readonly gate: GateId;
  readonly run: RunId;
  readonly iteration: number;
  readonly option: string;
  readonly text: string | null;
  readonly fields: Readonly<Record<string, string | null>>;
  readonly digest: Hash;
  readonly by: AnsweredBy;
  readonly at: Instant;
}
