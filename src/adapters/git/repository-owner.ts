import { orElse } from '../../engine/system-error.ts';
import { createFile, listFolder, readSmallFile } from '../../files/real-files.ts';
import { child, type RealPath } from '../../files/real-path.ts';

/**
 * Which repository a state folder belongs to. Each file `owner/<n>` contains the path of a git directory. The highest
 * number counts. A file is created whole and never changed, so if two processes claim the folder at once, one wins.
 */
export interface Owner {
  readonly n: number;
  /** Null in a state folder of an earlier version, or if the file is damaged. */
  readonly path: string | null;
}

const FOLDER = 'owner';

/** The current owner of a state folder. */
export async function readOwner(home: RealPath): Promise<Owner> {
  const [last] = await numbersIn(home);
  return last === undefined ? { n: 0, path: null } : { n: last, path: await pathOf(home, last) };
}

/** Paths the repository had before, the latest first. */
export async function earlierPaths(home: RealPath): Promise<string[]> {
  const [, ...earlier] = await numbersIn(home);
  const paths = await Promise.all(earlier.map((n) => pathOf(home, n)));
  return paths.filter((path) => path !== null);
}

/** Makes this path the owner after `seen`. False if another process was faster. Throws if the disk refuses it. */
export async function claimOwner(home: RealPath, seen: Owner, path: RealPath): Promise<boolean> {
  const folder = child(home, FOLDER);
  // Loaded here because `status` reads the owner and never claims it.
  const { makePrivate } = await import('../../files/state-files.ts');
  await makePrivate(folder);
  const text = `${JSON.stringify({ path })}\n`;
  return await createFile(
    folder,
    String(seen.n + 1),
    text,
    process.getBuiltinModule('node:crypto').randomBytes(6).toString('hex'),
  );
}

async function numbersIn(home: RealPath): Promise<number[]> {
  const entries = await listFolder(child(home, FOLDER)).catch(orElse([], 'ENOENT'));
  const numbers = entries.flatMap(({ name }) => (/^\d+$/.test(name) ? [Number(name)] : []));
  return numbers.sort((a, b) => b - a);
}

async function pathOf(home: RealPath, n: number): Promise<string | null> {
  const text = (await readSmallFile(child(child(home, FOLDER), String(n)))) ?? '';
  return text.endsWith('"}\n') ? (JSON.parse(text) as { path: string }).path : null;
}
