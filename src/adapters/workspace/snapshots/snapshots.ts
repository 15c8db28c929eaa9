import type { LineCount } from '../../../contract/deliver-found.ts';
import { failure } from '../../../engine/errors.ts';

/** One path that differs between two states of a tree. */
export interface TreeChange {
  readonly path: string;
  /** False if the name is not UTF-8 and `path` is only an approximation. */
  readonly exact: boolean;
  readonly change: 'created' | 'modified' | 'deleted';
  /** True if it is a link now. */
  readonly link: boolean;
  /** The executable bit, if it was added or removed. Null if it did not change or git does not record it. */
  readonly rights: '+x' | '-x' | null;
  /** Kind and content it has now, as one string. Empty if it was deleted. */
  readonly content: string;
}

/** How the present tree differs from a snapshot. */
export interface Difference {
  /** Hash of the present tree. */
  readonly tree: string;
  readonly changes: readonly TreeChange[];
  /** Git directories and names like them that appeared in the tree. */
  readonly odd: readonly string[];
  /** Submodules. A worker may not write in them or replace them. */
  readonly links: readonly string[];
  /** Control files of the tree's own git directory that changed, as `.git/...`. */
  readonly git: readonly string[];
}

/** A change as text, and its size. */
export interface TreeDiff {
  /** A unified diff. */
  readonly text: string;
  /** Added and removed lines, by path. A file that is not text has no entry. */
  readonly lines: Readonly<Record<string, LineCount>>;
}

/** States of a tree, stored beside it. No method changes the tree. */
export interface Snapshots {
  /** Stores the present tree under a name and returns its hash. If the name was taken before, its tree stays. */
  take(name: string): Promise<string>;
  /** Like `take`, but replaces the tree of the name, unless the same `by` took it. `takenBy` returns `by`. */
  retake(name: string, by: string): Promise<string>;
  /**
   * Like `take`, but these paths are stored as in the snapshot `since`, and so are git directories inside the tree. Git
   * directories that appeared after it still show as a change.
   */
  takeExcept(name: string, since: string, paths: readonly string[]): Promise<string>;
  takenBy(name: string): Promise<string | null>;
  since(name: string): Promise<Difference>;
  /** Names that are ignored now only because these ignore files differ from the snapshot. Folders end in a slash. */
  newlyIgnored(name: string, changed: readonly string[]): Promise<string[]>;
  /**
   * Names that are not part of a snapshot: those that git ignores, or without git the folders of tools. Folders end in
   * a slash.
   */
  ignored(): Promise<string[]>;
  /** The change of these paths since a snapshot, for people. Null if no diff can be made. */
  diff(name: string, paths: readonly string[]): Promise<TreeDiff | null>;
  /** Bytes of a regular file in a snapshot. Null if the snapshot has none there. */
  read(name: string, path: string): Promise<Buffer | null>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** A snapshot's name as one part of a ref or file name. */
export function snapshotKey(name: string): string {
  if (!NAME.test(name) || name.includes('..') || name.length > 200)
    throw failure('path_refused', `${JSON.stringify(name)} is not a name for a snapshot`);
  return name.replaceAll('/', '+');
}

/** The error for a snapshot that was never taken. */
export function noSnapshot(name: string): Error {
  return failure('no_such_snapshot', `there is no snapshot ${JSON.stringify(name)} of this tree`);
}
