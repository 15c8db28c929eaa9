import type { Hash } from '../contract/ids.ts';

/** Texts by content hash. A text is written, synced and renamed before a commit refers to it. */
export interface Artefacts {
  put(text: string): Promise<Hash>;
  /** Throws AdapterError `artefact_missing` or `artefact_corrupt` (the content does not match its hash). */
  get(hash: Hash): Promise<string>;
  has(hash: Hash): Promise<boolean>;
}
