import * as z from 'zod';
import type { GateId, Hash, Instant, RunId } from './ids.ts';

/** A person's answer as a surface sends it. `digest` identifies the gate content that the person saw. */
export const AnswerInput = z.strictObject({
  option: z.string().min(1).max(64),
  text: z.string().max(20_000).nullable().default(null),
  fields: z.record(z.string().max(64), z.string().max(20_000).nullable()).default({}),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  typed: z.string().max(200).nullable().default(null),
});
export type AnswerInput = z.infer<typeof AnswerInput>;

type Surface = 'cli' | 'web' | 'mcp' | 'github' | 'demo' | 'test';

/**
 * The proof that an answer comes from a person. The terminal proofs, from strongest to weakest:
 * - `sandboxed_network`: workers and checks were sandboxed, with network.
 * - `older_terminal`: the terminal is older than the work.
 * - `security_key`, `sudo`: the person's own strong proof.
 * - `terminal`: only the terminal itself.
 */
const PROOFS = [
  'sandboxed_network',
  'older_terminal',
  'security_key',
  'sudo',
  'terminal',
  'login',
  'elicitation',
  'account',
  'composition',
] as const;
export type Proof = (typeof PROOFS)[number];

/** The proof as a workflow stores it beside a name. Absent if it was not recorded. */
export const PROVEN = {
  proof: z.enum(PROOFS).optional(),
  code: z.literal(true).optional(),
};

/** The answering person, with the proof. A surface's own proof check creates it. It is never taken from input. */
export interface Person {
  readonly person: string;
  readonly surface: Surface;
  readonly proof: Proof;
  /** The terminal that drives the run showed a code, and the person typed it here. */
  readonly code?: true;
}

/** A person, or the drive that answered for one (`agent:<mode>`). */
export type AnsweredBy = Person | { readonly agent: string; readonly drive: string };

/** The record of a decision, bound to the digest of exactly what was shown. Written once. */
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
