import { existsSync, readdirSync, realpathSync } from 'node:fs';

import path from 'node:path';

/** Folders of a home that contain programs and no keys. */
const TOOLS = [
  ...[
    '.nvm',
    '.volta',
    '.fnm',
    '.asdf',
    '.pyenv',
    '.rbenv',
    '.sdkman',
    '.rustup',
    '.cargo/bin',
    '.cargo/env',
  ],
  ...['.local/bin', '.local/lib', '.local/share/mise', '.local/share/fnm', '.local/share/pnpm'],
  ...['.deno/bin', '.bun/bin', 'go/bin', '.dotnet', '.nix-profile'],
];

/** Entries of `<prefix>` that programs in `<prefix>/bin` load. */
const PREFIX = ['lib', 'lib64', 'libexec', 'pyvenv.cfg'];

/**
 * The parts of hidden folders that a sandbox shows so that programs work. These are known tool folders, the folders of
 * the PATH, the targets of links in those, and the folders of the program files.
 */
export function toolPaths(homes: readonly string[], PATH: string, files: readonly string[]): string[] {
  const known = homes.flatMap((home) => TOOLS.map((name) => path.join(home, name)));
  const folders = [...PATH.split(path.delimiter), ...files.map((file) => path.dirname(file))];
  // Other folders need no mount, and links in them are not followed.
  const hidden = [...homes, ...TEMPORARY];
  const bins = [...new Set(folders.filter(path.isAbsolute))].filter((folder) => isBelow(folder, hidden));
  return [...new Set([...known, ...bins.flatMap((bin) => withPrefix(bin, homes))])].filter(existsSync);
}

/** Shared folders that contain sockets and secrets of other programs. */
export const TEMPORARY = ['/tmp', '/var/tmp', '/run', '/dev/shm'];

function withPrefix(bin: string, homes: readonly string[]): string[] {
  const beside = PREFIX.map((name) => path.join(path.dirname(bin), name));
  return [bin, ...beside, ...linkTargets(bin).flatMap((file) => rootOf(file, homes))];
}

function linkTargets(folder: string): string[] {
  try {
    const links = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    return links.flatMap(({ name }) => {
      try {
        return [realpathSync(path.join(folder, name))];
      } catch {
        return []; // the link is broken
      }
    });
  } catch {
    return []; // a PATH may name folders that do not exist
  }
}

/** The folder a program is installed in, never the home itself. */
function rootOf(file: string, homes: readonly string[]): string[] {
  // A package loads its dependencies from the `node_modules` that contains it.
  const home = homes.find((folder) => isBelow(file, [folder])) ?? '';
  const modules = /^.*?\/node_modules\//.exec(file.slice(home.length))?.[0];
  if (modules) return [home + modules];
  const share = /^.*?\/\.local\/share\/[^/]+/.exec(file)?.[0];
  if (share) return [share];
  const folder = path.dirname(file);
  const root = path.basename(folder) === 'bin' ? path.dirname(folder) : folder;
  return [homes.includes(root) ? file : root];
}

/** The parts of hidden folders that a program file needs: everything that is installed with it. */
export function installedWith(file: string, homes: readonly string[]): string[] {
  if (!path.isAbsolute(file) || !existsSync(file)) return [];
  const temporary = TEMPORARY.find((folder) => isBelow(file, [folder]) && file !== folder);
  if (temporary) return [path.join(temporary, path.relative(temporary, file).split(path.sep)[0] ?? '')];
  return isBelow(file, homes) ? [...rootOf(file, homes), ...rootOf(realpathSync(file), homes)] : [];
}

/** Whether a path is one of the folders or inside of one. */
export function isBelow(name: string, folders: readonly string[]): boolean {
  return folders.some((folder) => name === folder || name.startsWith(`${folder}${path.sep}`));
}
