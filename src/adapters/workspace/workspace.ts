import * as z from 'zod';
import { ArtefactHash } from '../../contract/conventions.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Keep, Workspace } from '../../ports/workspace.ts';
import { AppendInput, fileHash, lookupAppend, performAppend } from './append-file.ts';
import { findConventions } from './conventions.ts';
import { DocumentsInput, lookupDocuments, performDocuments } from './documents.ts';
import { workspaceFacts } from './facts.ts';
import { failure, withIo } from './failure.ts';
import { freeBytes } from './files.ts';
import { createGit, type GitEnvironment } from './git.ts';
import { realFolder } from './real-path.ts';
import { checkReference } from './reference.ts';
import { findRepository } from './repository.ts';
import { findSetup } from './setup.ts';
import { changedSinceMark, type MarkPlace, markTree } from './tree-mark.ts';

export interface WorkspaceOptions {
  readonly root: string;
  readonly namespace: string;
  /** Where git is found and where the person's git settings lie; the process's own environment unless given. */
  readonly environment?: GitEnvironment;
}

/**
 * The folder or repository a run works in. A folder inside a work tree of git opens the whole tree; whether git is
 * there is asked anew by every operation that depends on it.
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const environment = options.environment ?? process.env;
  const git = createGit(environment);
  const folder = await realFolder(options.root);
  const root = (await findRepository(git, folder))?.top ?? folder;
  const place: MarkPlace = { git, root, namespace: options.namespace, environment };
  return {
    root,
    facts: () => workspaceFacts(git, root),
    checkReference: (path) => checkReference(place, path),
    look: ({ what, input }, keep) =>
      withIo(`look ${what}`, () => entry(LOOKS, what, 'unknown_look')(place, input, keep)),
    perform: ({ op, effect, input }) =>
      withIo(`write ${op}`, () => entry(OPS, op, 'unknown_op').perform(place, effect, input)),
    lookup: ({ op, effect, input }) =>
      withIo(`lookup ${op}`, () => entry(OPS, op, 'unknown_op').lookup(place, effect, input)),
    mark: () => withIo('mark', () => markTree(place)),
    changedSince: (mark) => withIo('mark', () => changedSinceMark(place, mark)),
    freeBytes: () => withIo('free space', () => freeBytes(root)),
  };
}

const SetupInput = z.strictObject({ slug: z.string(), docs_path: z.string(), branch: z.string().nullable() });
const ConventionsInput = z.strictObject({
  reference: z.string().nullable(),
  reference_hash: ArtefactHash.nullable(),
});
const FileHashInput = z.strictObject({ path: z.string() });

type LookAt = (place: MarkPlace, input: unknown, keep: Keep) => Promise<unknown>;

const LOOKS: Readonly<Record<string, LookAt>> = {
  setup: (place, input) => findSetup(place, parse(SetupInput, input)),
  conventions: (place, input, keep) => findConventions(place, parse(ConventionsInput, input), keep),
  file_hash: (place, input) => fileHash(place, parse(FileHashInput, input).path),
};

interface Write {
  perform(place: MarkPlace, effect: string, input: unknown): Promise<unknown>;
  lookup(place: MarkPlace, effect: string, input: unknown): Promise<unknown | null>;
}

const OPS: Readonly<Record<string, Write>> = {
  write_documents: {
    perform: (place, effect, input) => performDocuments(place, effect, parse(DocumentsInput, input)),
    lookup: (place, effect, input) => lookupDocuments(place, effect, parse(DocumentsInput, input)),
  },
  append_file: {
    perform: (place, effect, input) => performAppend(place, effect, parse(AppendInput, input)),
    lookup: (place, effect, input) => lookupAppend(place, effect, parse(AppendInput, input)),
  },
};

function entry<T>(table: Readonly<Record<string, T>>, name: string, code: string): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw failure(code, `the workspace has no ${JSON.stringify(name)}`);
  return found;
}

/** The input comes from a workflow of ours: a wrong shape is our bug, not the world's. */
function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw new InvariantError(z.prettifyError(parsed.error));
  return parsed.data;
}
