import type { Hash } from '../contract/ids.ts';

/** Texts by content hash. A text is on disk, synced and renamed, before any commit names it. */
export interface Artefacts {
  put(text: string): Promise<Hash>;
  /** Throws AdapterError `artefact_missing` or `artefact_corrupt` (content no longer has its hash). */
  get(hash: Hash): Promise<string>;
  has(hash: Hash): Promise<boolean>;
}
