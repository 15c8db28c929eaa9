import * as z from 'zod';
import { ArtefactHash } from '../../contract/conventions.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Keep } from '../../ports/workspace.ts';
import { fileHash } from './append-file.ts';
import {
  type ChangePlace,
  ChangeSetInput,
  ContentInput,
  findChangeSet,
  findContent,
  findDiff,
} from './change-set.ts';
import { findConventions } from './conventions.ts';
import { failure } from './failure.ts';
import type { Git, GitEnvironment } from './git.ts';
import { findHandover, HandoverInput } from './handover.ts';
import { findLines, LinesInput } from './line-counts.ts';
import { findProject, ProjectInput } from './project.ts';

/** A tree a run works in, be it the person's checkout, a plain folder or a clone of the run's own. */
export interface TreePlace extends ChangePlace {
  readonly git: Git;
  readonly environment: GitEnvironment;
}

/** Reading the world: one entry per look. */
export type LookAt<P> = (place: P, input: unknown, keep: Keep) => Promise<unknown>;

/** One outside write and how it is found again after a crash. */
export interface Write<P> {
  perform(place: P, effect: string, input: unknown, keep: Keep | undefined): Promise<unknown>;
  lookup(place: P, effect: string, input: unknown): Promise<unknown | null>;
}

const ConventionsInput = z.strictObject({
  reference: z.string().nullable(),
  reference_hash: ArtefactHash.nullable(),
  claude_md: z.boolean().default(false),
});
const FileHashInput = z.strictObject({ path: z.string() });

/** Looks that are the same in every tree. */
export const TREE_LOOKS = {
  conventions: (place, input, keep) => findConventions(place, parseInput(ConventionsInput, input), keep),
  file_hash: (place, input) => fileHash(place, parseInput(FileHashInput, input).path),
  change_set: async (place, raw, keep) => {
    const input = parseInput(ChangeSetInput, raw);
    const found = await findChangeSet(place, input);
    const diff = await findDiff(place, input.since, found);
    return { ...found, diff: diff && (await keep(diff.text)), lines: diff?.lines ?? null };
  },
  lines: (place, input) => findLines(place, parseInput(LinesInput, input)),
  content: (place, input) => findContent(place, parseInput(ContentInput, input)),
  project: (place, input) => findProject(place, parseInput(ProjectInput, input)),
  handover: (place, input, keep) => findHandover(place, parseInput(HandoverInput, input), keep),
} as const satisfies Readonly<Record<string, LookAt<TreePlace>>>;

/** The entry of a table. Throws the code for a name the table does not have. */
export function tableEntry<T>(table: Readonly<Record<string, T>>, name: string, code: string): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw failure(code, `the workspace has no ${JSON.stringify(name)}`);
  return found;
}

/** The input comes from a workflow of ours: a wrong shape is our bug, not the world's. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw new InvariantError(z.prettifyError(parsed.error));
  return parsed.data;
}
