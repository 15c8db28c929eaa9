import * as z from 'zod';
import { ArtefactHash } from '../../contract/conventions.ts';
import { parseInput } from '../../engine/outside-table.ts';
import type { HookRoom } from '../../ports/hook-room.ts';
import type { StoreText } from '../../ports/workspace.ts';
import type { Git, GitEnvironment } from '../git/git.ts';
import {
  type ChangeContext,
  ChangeSetInput,
  ContentInput,
  findAdded,
  findChangeSet,
  findContent,
  findDiff,
  readableDiff,
} from './changes/change-set.ts';
import { findHandover, HandoverInput } from './documents/handover.ts';
import { findConventions } from './texts/conventions.ts';
import { CheckCommandInput, findCheckCommand, findProject, ProjectInput } from './texts/project.ts';
import { fileHash, findLines, LinesInput } from './texts/tree-files.ts';

/** A tree a run works in: the person's checkout, a plain folder or the run's own clone. */
export interface TreeContext extends ChangeContext {
  readonly git: Git;
  readonly environment: GitEnvironment;
  /** Where commit hooks run. Without it they run with the person's environment. */
  readonly hookRoom?: HookRoom | undefined;
  /** Folder of the person's hooks. Null if there is no repository or if hooks run in the sandbox. */
  openHooks(): Promise<string | null>;
}

/** Reads the outside world: one entry per query. */
export type QueryHandler<P> = (location: P, input: unknown, keep: StoreText) => Promise<unknown>;

/** One outside write and how it is found again after a crash. */
export interface Write<P> {
  perform(location: P, effect: string, input: unknown, keep: StoreText | undefined): Promise<unknown>;
  lookup(location: P, effect: string, input: unknown): Promise<unknown | null>;
}

const ConventionsInput = z.strictObject({
  reference: z.string().nullable(),
  reference_hash: ArtefactHash.nullable(),
  claude_md: z.boolean().default(false),
});
const FileHashInput = z.strictObject({ path: z.string() });

/** Queries that are the same in every tree. */
export const TREE_QUERIES = {
  conventions: (location, input, keep) =>
    findConventions(location, parseInput(ConventionsInput, input), keep),
  file_hash: (location, input) => fileHash(location, parseInput(FileHashInput, input).path),
  change_set: async (location, raw, keep) => {
    const input = parseInput(ChangeSetInput, raw);
    const found = await findChangeSet(location, input);
    const diff = await findDiff(location, input.since, found);
    const hooks = await (await import('./changes/hook-files.ts')).findHooks(location, found);
    const added = await findAdded(location, found, diff);
    const { findSecrets } = await import('./changes/find-secrets.ts');
    const secrets = findSecrets(added, found.created, { ...location.environment });
    const text = diff && (await keep(readableDiff(diff)));
    return { ...found, secrets, diff: text, lines: diff?.lines ?? null, ...(hooks && { hooks }) };
  },
  lines: (location, input) => findLines(location, parseInput(LinesInput, input)),
  content: (location, input) => findContent(location, parseInput(ContentInput, input)),
  project: (location, input) => findProject(location, parseInput(ProjectInput, input)),
  check_command: (location, input) => findCheckCommand(location, parseInput(CheckCommandInput, input)),
  handover: (location, input, keep) => findHandover(location, parseInput(HandoverInput, input), keep),
} as const satisfies Readonly<Record<string, QueryHandler<TreeContext>>>;
