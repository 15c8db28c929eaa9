import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Hash } from '../../contract/ids.ts';
import { AdapterError, failure } from '../../engine/errors.ts';
import { orElse, systemFailure } from '../../engine/system-error.ts';
import { syncFolder, writeWhole } from '../../files/whole-file.ts';
import type { Artefacts } from '../../ports/artefacts.ts';

/**
 * Stores texts as files `<folder>/ab/abcdef…`, named by their hash. A name always refers to a complete, synced file.
 * `put` writes and syncs a temporary file in `<folder>/tmp`. It renames that file and syncs its directory before it
 * returns. Files that a crash leaves in `tmp` are never read.
 */
export function createFileArtefacts(folder: string): Artefacts {
  const dir = resolve(folder);
  return {
    put: async (text) => {
      const bytes = Buffer.from(text, 'utf8');
      const hash = hashOf(bytes);
      await withStoreErrors(() => keep(dir, hash, bytes));
      return hash;
    },
    get: (hash) => withStoreErrors(() => read(dir, hash)),
    has: (hash) => withStoreErrors(async () => HASH.test(hash) && (await sizeOf(pathOf(dir, hash))) !== null),
  };
}

const HASH = /^sha256:([0-9a-f]{64})$/;

async function keep(dir: string, hash: Hash, bytes: Buffer): Promise<void> {
  const path = pathOf(dir, hash);
  // A file of another size is damaged. This writes its content again.
  if ((await sizeOf(path)) !== bytes.length) {
    await makeDirectory(join(dir, 'tmp'));
    await makeDirectory(dirname(path));
    const random = process.getBuiltinModule('node:crypto').randomBytes(6).toString('hex');
    const part = join(dir, 'tmp', `${process.pid}-${random}`);
    await writeWhole(path, bytes, { part, mode: 0o600, synced: 'content' });
  }
  // Also for an existing file: the process that wrote it may have died between the rename and this sync.
  await syncFolder(dirname(path));
}

/** Also syncs the parent of every directory it creates. */
async function makeDirectory(path: string): Promise<void> {
  const top = await mkdir(path, { recursive: true, mode: 0o700 });
  if (top === undefined) return;
  for (let made = path; made.length >= top.length; made = dirname(made)) await syncFolder(dirname(made));
}

async function read(dir: string, hash: Hash): Promise<string> {
  const bytes = await readFile(pathOf(dir, hash)).catch(orElse(null, 'ENOENT'));
  if (bytes === null) throw missing(hash);
  if (hashOf(bytes) !== hash) throw failure('artefact_corrupt', `${hash} is stored with other content`);
  return bytes.toString('utf8');
}

async function sizeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(orElse(null, 'ENOENT')))?.size ?? null;
}

function pathOf(dir: string, hash: Hash): string {
  const hex = HASH.exec(hash)?.[1];
  if (!hex) throw missing(hash);
  return join(dir, hex.slice(0, 2), hex);
}

function hashOf(bytes: Buffer): Hash {
  return `sha256:${process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex')}`;
}

function missing(hash: string): AdapterError {
  return failure('artefact_missing', `there is no text ${hash}`);
}

async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AdapterError || !(error instanceof Error)) throw error;
    const { code, retry } = systemFailure(error) ?? { code: 'store_io', retry: 'permanent' };
    throw failure(code, error.message, { retry, cause: error });
  }
}
