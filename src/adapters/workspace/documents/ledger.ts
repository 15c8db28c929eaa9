import type { LexicalPath } from '../../../engine/paths.ts';
import { hashOf, readSmallFile, sha256 } from '../../../files/real-files.ts';
import { child, listedPath, type RealPath, resolvePath } from '../../../files/real-path.ts';
import { makePrivate, writeState } from '../../../files/state-files.ts';
import { guardDocsPath } from './guard.ts';

/**
 * Which documents of a tree Baton wrote: their hash by path. A worker may not write below the documents' folder. A file
 * there that is not exactly what we wrote last is therefore the worker's.
 */
export interface Ledger {
  /**
   * Called before a document is written. Until `settle` the earlier text also counts as ours. After a crash in between
   * the old file still exists, and it must not count as foreign.
   */
  note(path: string, hash: string): Promise<void>;
  /** Called after the document is written: only this text counts as ours. */
  settle(path: string, hash: string): Promise<void>;
  isOwn(path: string, hash: string): Promise<boolean>;
}

/** A ledger in a folder of the state directory, one small file per document. */
export function createLedger(folder: RealPath): Ledger {
  const name = (path: string) => sha256(path).slice('sha256:'.length);
  const read = async (path: string) => (await readSmallFile(child(folder, name(path))))?.split('\n') ?? [];
  const write = async (path: string, hashes: readonly string[]) => {
    await makePrivate(folder);
    await writeState(folder, name(path), hashes.join('\n'));
  };
  return {
    note: async (path, hash) => {
      const known = await read(path);
      if (known[0] !== hash) await write(path, [hash, ...known.filter((one) => one !== hash)]);
    },
    settle: (path, hash) => write(path, [hash]),
    isOwn: async (path, hash) => (await read(path)).includes(hash),
  };
}

/** A workspace without a state folder does not store hashes: every document below the folder counts as foreign. */
export const NO_LEDGER: Ledger = {
  note: () => Promise.resolve(),
  settle: () => Promise.resolve(),
  isOwn: () => Promise.resolve(false),
};

/** True if a regular file is exactly what we wrote there last. */
export async function isOwnFile(
  { root, ledger }: { readonly root: RealPath; readonly ledger: Ledger },
  path: LexicalPath,
): Promise<boolean> {
  const found = await resolvePath(root, path);
  const hash = found.ok && found.leaf === 'file' ? await hashOf(found.path) : null;
  return hash !== null && (await ledger.isOwn(path, hash));
}

/** If hooks of the person formatted a document of ours, it still counts as ours and may be written again. */
export async function noteFormatted(
  { root, ledger }: { readonly root: RealPath; readonly ledger: Ledger },
  path: string,
): Promise<void> {
  const hash = await hashOf(listedPath(root, path));
  if (hash !== null) await ledger.settle(path, hash);
}

interface NotedContext {
  readonly ledger: Ledger;
  readonly namespace: string;
}

interface Documents {
  readonly docs_path: string;
  readonly slug?: string | undefined;
  readonly files: readonly { name: string; text: string }[];
}

/**
 * Writes documents. All of them are noted before and settled afterwards. Refuses a folder that is not the documents'
 * folder.
 */
export async function writeNoted<T>(
  location: NotedContext,
  input: Documents,
  write: () => Promise<T>,
): Promise<T> {
  await eachOf(location, input, location.ledger.note);
  const written = await write();
  await eachOf(location, input, location.ledger.settle);
  return written;
}

/** Settles documents that were written by a process that died before it settled them. */
export async function foundNoted<T>(
  location: NotedContext,
  input: Documents,
  found: T | null,
): Promise<T | null> {
  if (found !== null) await eachOf(location, input, location.ledger.settle);
  return found;
}

async function eachOf(location: NotedContext, input: Documents, take: Ledger['note']): Promise<void> {
  const docs = guardDocsPath(input.docs_path, location.namespace, input.slug);
  await Promise.all(input.files.map(({ name, text }) => take(`${docs}/${name}`, sha256(text))));
}
