import type { Hash } from '../contract/ids.ts';
import type { Look, Op } from '../contract/step.ts';

/** What reading a reference file found, after the whole check chain (SP-15). */
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
  /** A repository by its looks, and no program to ask: the checkout could not be left alone. */
  readonly git_missing?: true;
}

/** Keeps a text as an artefact and gives its hash. */
export type Keep = (text: string) => Promise<Hash>;

/** An outside write with everything rendered: file texts, commit message. */
export interface PreparedOp {
  readonly op: string;
  /** Effect id; written into the world where it can be (commit trailer), so that it can be looked up. */
  readonly effect: string;
  readonly input: Op['input'];
}

/**
 * Fingerprint of a tree (untracked included, ignored excluded), to see what a worker did to it. An empty one says
 * that there is no tree to compare.
 */
export type TreeMark = string;

/** The folder or repository a run works in. Only validated paths reach a file operation. */
export interface Workspace {
  /** Real path of the tree workers run in. */
  readonly root: string;
  facts(): Promise<WorkspaceFacts>;
  checkReference(path: string): Promise<ReferenceCheck>;
  /** Reads the world; throws AdapterError. Safe to repeat. */
  look(look: Look, keep: Keep): Promise<unknown>;
  /**
   * Carries out one outside write; throws AdapterError with nothing half done, or the write can be looked up. `keep`
   * is needed by writes whose result is an artefact.
   */
  perform(op: PreparedOp, keep?: Keep): Promise<unknown>;
  /** After a crash: the result of a write that did happen, or null when it did not. */
  lookup(op: PreparedOp): Promise<unknown | null>;
  mark(): Promise<TreeMark>;
  /** Paths that differ between a mark taken earlier and now. */
  changedSince(mark: TreeMark): Promise<string[]>;
  /**
   * Puts on record what was written since a worker began, in milliseconds, where no mark and no snapshot looks: names
   * git ignores. The look `change_set` tells it. Safe to repeat.
   */
  noteIgnored(run: string, since: number): Promise<void>;
  /**
   * Keeps the present tree under a name, untracked files included, ignored ones not; gives its hash. No file is
   * touched, and a name that was taken before keeps what it has. In a run's own tree the git directory of the workers
   * is as it was made afterwards, whatever an earlier worker set in it.
   */
  snapshot(name: string): Promise<string>;
  /**
   * Puts the run's own tree back to a snapshot byte for byte; `kept` names where the present one was kept first. In
   * the person's folder it throws `never_reverts` and touches nothing.
   */
  restore(name: string): Promise<{ readonly kept: string }>;
  /** Bytes free where the tree lives. */
  freeBytes(): Promise<number>;
}
