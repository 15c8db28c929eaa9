import type { RealPath } from '../../files/real-path.ts';
import type { HookRoom } from '../../ports/hook-room.ts';
import type { Git } from './git.ts';
import type { GitDirPlan } from './snapshots/git-dir.ts';

/** Where a commit is made: a tree, the git directory whose HEAD moves, and an index without changes of others. */
export interface CommitContext {
  readonly git: Git;
  readonly root: RealPath;
  readonly env: Readonly<Record<string, string>>;
  /** Folder of the person's hooks. Null means that no hook runs. */
  readonly hooks: string | null;
  /** Existing hooks that do not run. */
  readonly skips: readonly string[];
  /** Settings that staging needs, as `-c` arguments: the person's filters, which run only here. */
  readonly settings: readonly string[];
  /** Null means that hooks and filters have the person's environment. */
  readonly room: CommitRoom | null;
}

/**
 * A commit whose hooks and filters run in the sandbox. They get their own git directory. A git program outside must
 * never read a directory that they can write. Only objects and an index are taken out of it.
 */
export interface CommitRoom {
  readonly room: HookRoom;
  /** Our folder for the duration of the commit. */
  readonly folder: RealPath;
  /** Branch, head, settings and objects that the commit starts from. */
  readonly plan: GitDirPlan;
  readonly head: string | null;
  /** Git directory that receives the objects of the commit. */
  readonly gitDir: RealPath;
  /** The ref that the commit moves, as `update-ref` names it in the commit's own environment. */
  readonly ref: string;
  /** The person's git directories: they may contain keys, and hooks do not need them. */
  readonly hides: readonly string[];
  /** The person's hooks, wherever they are. */
  readonly shows: readonly string[];
  /** Also writable besides the tree: where large files are stored. */
  readonly writes: readonly string[];
}
