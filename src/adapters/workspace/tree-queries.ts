import * as z from 'zod';
import { ArtefactHash } from '../../contract/conventions.ts';
import type { HookRoom } from '../../ports/hook-room.ts';
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
import { type QueryTable, query } from './tables.ts';
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

const ConventionsInput = z.strictObject({
  reference: z.string().nullable(),
  reference_hash: ArtefactHash.nullable(),
  claude_md: z.boolean().default(false),
});
const FileHashInput = z.strictObject({ path: z.string() });

/** Queries of every tree. */
export const TREE_QUERIES: QueryTable<TreeContext> = {
  conventions: query(ConventionsInput, findConventions),
  file_hash: query(FileHashInput, (location, { path }) => fileHash(location, path)),
  change_set: query(ChangeSetInput, async (location, input, keep) => {
    const found = await findChangeSet(location, input);
    const diff = await findDiff(location, input.since, found);
    const hooks = await (await import('./changes/hook-files.ts')).findHooks(location, found);
    const added = await findAdded(location, found, diff);
    const { findSecrets } = await import('./changes/find-secrets.ts');
    const secrets = findSecrets(added, found.created, { ...location.environment });
    const text = diff && (await keep(readableDiff(diff)));
    return { ...found, secrets, diff: text, lines: diff?.lines ?? null, ...(hooks && { hooks }) };
  }),
  lines: query(LinesInput, findLines),
  content: query(ContentInput, findContent),
  project: query(ProjectInput, findProject),
  check_command: query(CheckCommandInput, findCheckCommand),
  handover: query(HandoverInput, findHandover),
};
