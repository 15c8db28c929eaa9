import type { Hash } from '../contract/ids.ts';
import type { Op, Query } from '../contract/step.ts';

/** Result of reading a reference file, after the whole check chain (SP-15). */
export type ReferenceCheck =
  | { readonly ok: true; readonly path: string; readonly text: string }
  | {
      readonly ok: false;
      readonly check: number;
      readonly msg: string;
      readonly args: Record<string, string | number>;
    };

export interface WorkspaceFacts {
  readonly folder: string;
  readonly git: { readonly branch: string | null; readonly head: string | null } | null;
}

/** A file left by a killed process that no one uses. It does not stop a run, and later runs remove it. */
export interface Leftover {
  readonly kind: 'lock' | 'clone' | 'object';
  readonly path: string;
}

/** Stores a text as an artefact and returns its hash. */
export type StoreText = (text: string) => Promise<Hash>;

/** An outside write with everything rendered: file texts, commit message. */
export interface PreparedOp {
  readonly op: string;
  /** Effect id. Written into the outside system if possible (commit trailer), so that it can be looked up. */
  readonly effect: string;
  readonly input: Op['input'];
}

/**
 * Fingerprint of a tree (including untracked files, without ignored ones), to detect what a worker changed. Empty:
 * there is no tree to compare.
 */
export type TreeFingerprint = string;

/** Contents of a commit: paths of the change set, and the snapshot they are compared with. */
export interface CommitParts {
  readonly paths: readonly string[];
  readonly since: string;
}

/** The folder or repository of a run. Only validated paths reach a file operation. */
export interface Workspace {
  /** Real path of the tree that workers run in. */
  readonly root: string;
  facts(): Promise<WorkspaceFacts>;
  checkReference(path: string): Promise<ReferenceCheck>;
  /** Reads the tree or repository. Throws AdapterError. Safe to repeat. */
  query(query: Query, keep: StoreText): Promise<unknown>;
  /**
   * Performs one outside write. If it throws AdapterError, nothing is half done or the write can be looked up. Writes
   * whose result is an artefact need `keep`.
   */
  perform(op: PreparedOp, keep?: StoreText): Promise<unknown>;
  /** After a crash: the result if the write happened, null if it did not. */
  lookup(op: PreparedOp): Promise<unknown | null>;
  fingerprint(): Promise<TreeFingerprint>;
  /** Paths that changed since an earlier fingerprint. */
  changedSince(fingerprint: TreeFingerprint): Promise<string[]>;
  /**
   * Records files with ignored names written since a worker began (milliseconds). Fingerprints and snapshots skip these
   * names. The query `change_set` reports them. Safe to repeat.
   */
  noteIgnored(run: string, since: number): Promise<void>;
  /**
   * Fingerprints, by name, of files that git and Baton obey in the person's own repository, outside the run's own tree:
   * hooks, settings, `baton.yaml`. Empty if the tree is the person's own, because `fingerprint` compares that.
   */
  controls(): Promise<Readonly<Record<string, string>>>;
  /**
   * Stores the current tree under a name, with untracked files, without ignored ones. Returns its hash. It changes no
   * file, and an existing name keeps its content. In a run's own tree it also resets the workers' git directory to its
   * original state.
   */
  snapshot(name: string): Promise<string>;
  /**
   * Restores the run's own tree to a snapshot byte for byte. `kept` names the snapshot that stores the tree from
   * before.
   * In the person's folder it throws `never_reverts` and changes nothing.
   */
  restore(name: string): Promise<{ readonly kept: string }>;
  /**
   * A folder beside the run's own tree with exactly the content of a commit of these paths, and its own git directory.
   * `fresh`: it is new, and no command has run in it. The same key returns the same folder until it is left.
   * Absent if the tree is the person's own folder.
   */
  checkOut?(key: string, commit: CommitParts): Promise<{ readonly root: string; readonly fresh: boolean }>;
  /** Removes that folder. A missing folder is not an error. */
  leaveCheckout?(): Promise<void>;
  /** Free bytes on the disk of the tree. */
  freeBytes(): Promise<number>;
}
