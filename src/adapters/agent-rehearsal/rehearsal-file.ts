import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../engine/parse-json.ts';
import { validatePath } from '../../engine/paths.ts';
import type { BuiltinCall } from './builtin-text.ts';

/** The text of the scope slot that allows every path. */
const NO_LIMIT = '(no limit)';
/** A longer path cannot be named in a result. */
const LONGEST = 300;

/** The goal of the specification in the slots, or the whole slot if it is not a specification. */
export function goalOf({ slots }: Pick<BuiltinCall, 'slots'>): string {
  const spec = slots.spec ?? '';
  const goal = (parseJson(spec) as { goal?: unknown } | null)?.goal;
  return typeof goal === 'string' && goal.trim() !== '' ? goal : spec;
}

/**
 * The one file that the built-in script writes, the same for the same goal and scope. It is in the first folder that
 * the text of the scope allows and that no file or link blocks, else in the root.
 */
export function rehearsalFile(told: Pick<BuiltinCall, 'slots' | 'cwd'>): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256').update(goalOf(told));
  const name = `rehearsal-${hash.digest('hex').slice(0, 8)}.md`;
  const scope = (told.slots.scope ?? '').split('\n').filter((glob) => glob.trim() !== '');
  if (scope.length === 0 || scope[0] === NO_LIMIT) return name;
  for (const glob of scope) {
    const folder = folderOf(glob, told.cwd);
    const path = folder === '' ? name : `${folder}/${name}`;
    if (folder !== null && path.length <= LONGEST && isAllowed(path, scope)) return path;
  }
  return name;
}

function isAllowed(path: string, scope: readonly string[]): boolean {
  const checked = validatePath(path, 'diff_target', { namespace: 'baton', scope });
  return checked.ok && checked.path === path;
}

/** The part of a glob that certainly names a folder; null if a file or a link blocks it. */
function folderOf(glob: string, cwd: string | undefined): string | null {
  if (glob.trim().startsWith('!')) return null;
  const parts = glob
    .trim()
    .replace(/^\.\//, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const at = parts.findIndex((part) => /[*?[\]{}()!+@]/.test(part));
  const folders = at === -1 ? parts : parts.slice(0, at);
  const isFile = at === -1 && !glob.trim().endsWith('/') && /.\../.test(folders.at(-1) ?? '');
  return isFile || !folders.every((_, n) => mayBeFolder(cwd, folders.slice(0, n + 1)))
    ? null
    : folders.join('/');
}

function mayBeFolder(cwd: string | undefined, parts: readonly string[]): boolean {
  if (cwd === undefined) return true;
  try {
    return lstatSync(join(cwd, ...parts), { throwIfNoEntry: false })?.isDirectory() ?? true;
  } catch {
    return false;
  }
}
