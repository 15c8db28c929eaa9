import type { LexicalPath } from '../../engine/paths.ts';
import { hashOf, readOwn, sha256 } from './files.ts';
import { guardDocsPath } from './guard.ts';
import { child, listedPath, type RealPath, resolvePath } from './real-path.ts';
import { makePrivate, writeState } from './state-files.ts';

/**
 * Which documents of a tree are our own writing: their hash by path. A worker may not write below the documents'
 * folder, so a file there that is not exactly what we wrote last is the worker's.
 */
export interface Ledger {
  /** Called before a document is written; after a crash in between the old file is not ours, and is written again. */
  note(path: string, hash: string): Promise<void>;
  isOwn(path: string, hash: string): Promise<boolean>;
}

/** A ledger in a folder of the state directory, one small file per document. */
export function createLedger(folder: RealPath): Ledger {
  const name = (path: string) => sha256(path).slice('sha256:'.length);
  return {
    note: async (path, hash) => {
      await makePrivate(folder);
      await writeState(folder, name(path), hash);
    },
    isOwn: async (path, hash) => (await readOwn(child(folder, name(path)))) === hash,
  };
}

/** A workspace without a state folder remembers nothing: every document below the folder counts as foreign. */
export const NO_LEDGER: Ledger = {
  note: () => Promise.resolve(),
  isOwn: () => Promise.resolve(false),
};

/** True where a regular file is exactly what we wrote there last. */
export async function isOwnFile(
  { root, ledger }: { readonly root: RealPath; readonly ledger: Ledger },
  path: LexicalPath,
): Promise<boolean> {
  const found = await resolvePath(root, path);
  const hash = found.ok && found.leaf === 'file' ? await hashOf(found.path) : null;
  return hash !== null && (await ledger.isOwn(path, hash));
}

/** A document of ours that hooks of the person formatted is still ours, and may be written again. */
export async function noteFormatted(
  { root, ledger }: { readonly root: RealPath; readonly ledger: Ledger },
  path: string,
): Promise<void> {
  const hash = await hashOf(listedPath(root, path));
  if (hash !== null) await ledger.note(path, hash);
}

/** Notes all documents of a write before it is done. Refuses a folder that is not the documents'. */
export async function noteDocuments(
  place: { readonly ledger: Ledger; readonly namespace: string },
  input: {
    readonly docs_path: string;
    readonly slug?: string | undefined;
    readonly files: readonly { name: string; text: string }[];
  },
): Promise<void> {
  const docs = guardDocsPath(input.docs_path, place.namespace, input.slug);
  for (const { name, text } of input.files) await place.ledger.note(`${docs}/${name}`, sha256(text));
}
