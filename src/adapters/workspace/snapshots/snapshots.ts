import type { LineCount } from '../../../contract/deliver-found.ts';
import { failure } from '../failure.ts';

/** One path that differs between two states of a tree. */
export interface TreeChange {
  readonly path: string;
  /** False where the name is not UTF-8 and `path` only stands for it. */
  readonly exact: boolean;
  readonly change: 'created' | 'modified' | 'deleted';
  /** It is a link now. */
  readonly link: boolean;
  /** The right to run it, where that came or went; null where it stayed or git has no say in it. */
  readonly rights: '+x' | '-x' | null;
  /** Kind and content it has now, in one word; empty where it is gone. */
  readonly content: string;
}

/** How the present tree differs from a snapshot. */
export interface Difference {
  /** Hash of the present tree. */
  readonly tree: string;
  readonly changes: readonly TreeChange[];
  /** Git directories and names like them that came into the tree. */
  readonly odd: readonly string[];
  /** Submodules: nobody writes there, or in their place. */
  readonly links: readonly string[];
  /** Control files of the tree's own git directory that changed, as `.git/...`. */
  readonly git: readonly string[];
}

/** A change as text, and its size. */
export interface TreeDiff {
  /** A unified diff. */
  readonly text: string;
  /** Lines that came and went, by path; a file that is no text has none. */
  readonly lines: Readonly<Record<string, LineCount>>;
}

/** States of a tree kept beside it. None of these changes the tree. */
export interface Snapshots {
  /** Keeps the present tree under a name and gives its hash; a name taken before keeps what it has. */
  take(name: string): Promise<string>;
  /** As `take`, but the name is given anew. `by` says who took it; `takenBy` gives that back. */
  retake(name: string, by: string): Promise<string>;
  /**
   * As `take`, but these paths are kept as the snapshot `since` has them, and so are git directories inside the tree:
   * what came there after it still shows as a change.
   */
  takeExcept(name: string, since: string, paths: readonly string[]): Promise<string>;
  takenBy(name: string): Promise<string | null>;
  since(name: string): Promise<Difference>;
  /** Names ignored now only because these ignore files are no longer what the snapshot has; folders end in a slash. */
  newlyIgnored(name: string, changed: readonly string[]): Promise<string[]>;
  /** Names that are no part of a snapshot: those git ignores, without git folders of tools; folders end in a slash. */
  ignored(): Promise<string[]>;
  /** The change of these paths since a snapshot, for people; null where none can be made. */
  diff(name: string, paths: readonly string[]): Promise<TreeDiff | null>;
  /** Bytes of a regular file in a snapshot; null when the snapshot has none there. */
  read(name: string, path: string): Promise<Buffer | null>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** A snapshot's name as one part of a ref or file name. */
export function snapshotKey(name: string): string {
  if (!NAME.test(name) || name.includes('..') || name.length > 200)
    throw failure('path_refused', `${JSON.stringify(name)} is not a name for a snapshot`);
  return name.replaceAll('/', '+');
}

/** The error for a snapshot nobody took. */
export function noSnapshot(name: string): Error {
  return failure('no_such_snapshot', `there is no snapshot ${JSON.stringify(name)} of this tree`);
}
