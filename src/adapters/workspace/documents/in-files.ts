import { failure, guardRefused } from '../../../engine/errors.ts';
import type { LexicalPath } from '../../../engine/paths.ts';
import { hashOf, replaceFile, sha256, statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { walkTo } from './guard.ts';

export interface FileDocuments {
  readonly docs: LexicalPath;
  readonly files: readonly { readonly name: string; readonly text: string }[];
  readonly overwrite: boolean;
}

export interface WrittenDocuments {
  readonly files: readonly string[];
}

/**
 * Writes documents as files. Everything is checked before the first folder is created. Each file is replaced as a
 * whole. A file that already has its text is left alone, so a repeat after a crash writes only what is missing.
 */
export async function writeDocuments(
  root: RealPath,
  effect: string,
  documents: FileDocuments,
): Promise<WrittenDocuments> {
  const present = await walkTo(root, documents.docs, false);
  const missing = present === null ? documents.files : await checkTargets(present, documents);
  const folder = present ?? (await walkTo(root, documents.docs, true));
  if (folder === null) throw guardRefused('not_a_folder', documents.docs);
  const tag = sha256(effect).slice('sha256:'.length, 'sha256:'.length + 8);
  for (const { name, text } of missing) await replaceFile(folder, name, text, tag);
  return { files: documentPaths(documents) };
}

/** The result if all files exist with exactly these texts, else null. */
export async function findWritten(
  root: RealPath,
  documents: FileDocuments,
): Promise<WrittenDocuments | null> {
  const folder = await walkTo(root, documents.docs, false);
  if (folder === null) return null;
  for (const { name, text } of documents.files) {
    const target = child(folder, name);
    if (!(await statOf(target))?.isFile() || (await hashOf(target)) !== sha256(text)) return null;
  }
  return { files: documentPaths(documents) };
}

/** Paths from the root, as shown to people and stored. */
export function documentPaths(documents: Pick<FileDocuments, 'docs' | 'files'>): string[] {
  return documents.files.map(({ name }) => `${documents.docs}/${name}`);
}

/** The error for a document with other content that may not be overwritten. */
export function documentsExist(docs: LexicalPath, name: string): Error {
  return failure('documents_exist', `${docs}/${name} exists with other content`);
}

async function checkTargets(folder: RealPath, documents: FileDocuments): Promise<FileDocuments['files']> {
  const missing = [];
  for (const file of documents.files) {
    const target = child(folder, file.name);
    const found = await statOf(target);
    if (found?.isSymbolicLink()) throw guardRefused('link', `${documents.docs}/${file.name}`);
    if (found && !found.isFile()) throw guardRefused('not_a_file', `${documents.docs}/${file.name}`);
    if (found && (await hashOf(target)) === sha256(file.text)) continue;
    if (found && !documents.overwrite) throw documentsExist(documents.docs, file.name);
    missing.push(file);
  }
  return missing;
}
