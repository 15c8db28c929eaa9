import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { CacheOwner } from '../../ports/processes.ts';

interface Cache {
  /** Relative to the folder of all caches. */
  readonly folder: string;
  /** The parts that are stored; by default everything. The rest, such as settings, ends with the room. */
  readonly content?: readonly string[];
  /** Only an install reads it, because the installed packages are in the tree. */
  readonly install?: true;
}

/** Caches of package managers, by the variable that sets their folder. */
const CACHES: Readonly<Record<string, Cache>> = {
  npm_config_cache: { folder: 'npm', install: true },
  npm_config_store_dir: { folder: 'pnpm', install: true },
  YARN_CACHE_FOLDER: { folder: 'yarn' },
  COREPACK_HOME: { folder: 'corepack' },
  BUN_INSTALL_CACHE_DIR: { folder: 'bun', install: true },
  DENO_DIR: { folder: 'deno' },
  PIP_CACHE_DIR: { folder: 'pip', install: true },
  UV_CACHE_DIR: { folder: 'uv' },
  POETRY_CACHE_DIR: { folder: 'poetry' },
  CARGO_HOME: { folder: 'cargo', content: ['registry', 'git'] },
  GRADLE_USER_HOME: { folder: 'gradle', content: ['caches', 'wrapper'] },
  GOMODCACHE: { folder: 'gomod' },
  GOCACHE: { folder: 'gobuild' },
  NUGET_PACKAGES: { folder: 'nuget' },
  COMPOSER_CACHE_DIR: { folder: 'composer', install: true },
  BUNDLE_USER_CACHE: { folder: 'bundle', install: true },
  XDG_CACHE_HOME: { folder: 'xdg' },
  MAVEN_OPTS: { folder: 'm2' },
};

/** Rooms that share the content of a cache must share its lock too. */
const LOCKS = ['cargo/.package-cache'];

const contentOf = ({ folder, content = [''] }: Cache) => content.map((name) => path.join(folder, name));
const CONTENT = Object.values(CACHES).flatMap(contentOf);
/** Checks read these, because their packages are not in the tree. */
const READ_BY_CHECKS = Object.values(CACHES)
  .filter(({ install }) => !install)
  .flatMap(contentOf);

/**
 * The variables of all caches. Every room has the caches at the same path, whichever owner they belong to. Agents do
 * not get XDG_CACHE_HOME, because they find their own cache folders below the home.
 */
export function cacheVariables(cache: string, owner: CacheOwner | null): Record<string, string> {
  const locations = Object.entries(CACHES).map(([name, { folder }]) => [name, path.join(cache, folder)]);
  const { XDG_CACHE_HOME, MAVEN_OPTS, ...others } = Object.fromEntries(locations) as Record<string, string>;
  return {
    ...others,
    ...(owner?.of !== 'agents' && XDG_CACHE_HOME && { XDG_CACHE_HOME }),
    MAVEN_OPTS: `-Dmaven.repo.local=${MAVEN_OPTS}`,
  };
}

/** The stored parts of an owner's caches: the path in the room, and the folder that is mounted there. */
export function cacheMounts(cache: string, owner: CacheOwner | null): { from: string; path: string }[] {
  if (owner === null) return [];
  const store = storeOf(cache, owner);
  return [...CONTENT, ...LOCKS].map((name) => ({
    from: path.join(store, name),
    path: path.join(cache, name),
  }));
}

/**
 * Creates the caches of an owner. The caches of a run start as a copy of what installs have loaded. So nothing that
 * runs after a worker can write what another run reads.
 */
export async function makeCaches(cache: string, owner: CacheOwner): Promise<void> {
  const store = storeOf(cache, owner);
  if (existsSync(store)) return;
  await mkdir(path.dirname(store), { recursive: true, mode: 0o700 });
  const part = await mkdtemp(`${store}.part-`);
  for (const name of CONTENT) await mkdir(path.join(part, name), { recursive: true });
  for (const name of LOCKS) await writeFile(path.join(part, name), '');
  if (owner.of === 'checks') await copyInstalled(storeOf(cache, { of: 'installs' }), part);
  try {
    await rename(part, store);
  } catch (error) {
    // Another room of the same owner created them first.
    await rm(part, { recursive: true, force: true });
    if (!existsSync(store)) throw error;
  }
}

/** `cp` shares the blocks of files if the file system supports it. */
async function copyInstalled(installed: string, part: string): Promise<void> {
  const found = READ_BY_CHECKS.filter((name) => existsSync(path.join(installed, name)));
  for (const name of found) {
    const source = `${path.join(installed, name)}/.`;
    await promisify(execFile)('cp', ['-a', source, path.join(part, name)]);
  }
}

function storeOf(cache: string, owner: CacheOwner): string {
  return path.join(cache, owner.of, owner.of === 'checks' ? owner.run : '');
}
