import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Hash } from '../../contract/ids.ts';
import { AdapterError } from '../../engine/errors.ts';
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
      await told(() => keep(dir, hash, bytes));
      return hash;
    },
    get: (hash) => told(() => read(dir, hash)),
    has: (hash) => told(async () => HASH.test(hash) && (await sizeOf(pathOf(dir, hash))) !== null),
  };
}

const HASH = /^sha256:([0-9a-f]{64})$/;

async function keep(dir: string, hash: Hash, bytes: Buffer): Promise<void> {
  const path = pathOf(dir, hash);
  // A file of another size is damaged. This writes its content again.
  if ((await sizeOf(path)) !== bytes.length) {
    await makeDirectory(join(dir, 'tmp'));
    await makeDirectory(dirname(path));
    await writeAndRename(
      path,
      join(
        dir,
        'tmp',
        `${process.pid}-${process.getBuiltinModule('node:crypto').randomBytes(6).toString('hex')}`,
      ),
      bytes,
    );
  }
  // Also for an existing file: the process that wrote it may have died between the rename and this sync.
  await syncDirectory(dirname(path));
}

/** Also syncs the parent of every directory it creates. */
async function makeDirectory(path: string): Promise<void> {
  const top = await mkdir(path, { recursive: true, mode: 0o700 });
  if (top === undefined) return;
  for (let made = path; made.length >= top.length; made = dirname(made)) await syncDirectory(dirname(made));
}

async function writeAndRename(path: string, passing: string, bytes: Buffer): Promise<void> {
  try {
    const file = await open(passing, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(passing, path);
  } catch (error) {
    await rm(passing, { force: true });
    throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function read(dir: string, hash: Hash): Promise<string> {
  const bytes = await readFile(pathOf(dir, hash)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw missing(hash, error);
    throw error;
  });
  if (hashOf(bytes) !== hash) {
    const detail = `${hash} is stored with other content`;
    throw new AdapterError({ code: 'artefact_corrupt', retry: 'permanent', detail });
  }
  return bytes.toString('utf8');
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function pathOf(dir: string, hash: Hash): string {
  const hex = HASH.exec(hash)?.[1];
  if (!hex) throw missing(hash);
  return join(dir, hex.slice(0, 2), hex);
}

function hashOf(bytes: Buffer): Hash {
  return `sha256:${process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex')}`;
}

function missing(hash: string, cause?: Error): AdapterError {
  const failure = {
    code: 'artefact_missing',
    retry: 'permanent',
    detail: `there is no text ${hash}`,
  } as const;
  return new AdapterError(failure, { cause });
}

const CODES: Readonly<Record<string, { code: string; retry: 'transient' | 'permanent' }>> = {
  ENOSPC: { code: 'disk_full', retry: 'transient' },
  EDQUOT: { code: 'disk_full', retry: 'transient' },
  EROFS: { code: 'store_read_only', retry: 'permanent' },
  EACCES: { code: 'store_read_only', retry: 'permanent' },
  EPERM: { code: 'store_read_only', retry: 'permanent' },
};

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AdapterError || !(error instanceof Error)) throw error;
    const kind = CODES[(error as NodeJS.ErrnoException).code ?? ''] ?? {
      code: 'store_io',
      retry: 'permanent',
    };
    throw new AdapterError({ ...kind, detail: error.message }, { cause: error });
  }
}
