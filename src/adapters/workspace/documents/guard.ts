import { guardRefused } from '../../../engine/errors.ts';
import { type LexicalPath, validatePath } from '../../../engine/paths.ts';
import { makeFolder, statOf } from '../../../files/real-files.ts';
import { child, isStillReal, type RealPath } from '../../../files/real-path.ts';

/**
 * The text part of the guard (WF-69): one folder, named by a slug, directly below its base. If the caller passes the
 * run's slug, the documents may be below another base. Otherwise the base is `docs/<namespace>`. Throws `guard_refused`
 * with the rule's name.
 */
export function guardDocsPath(docsPath: string, namespace: string, slug?: string): LexicalPath {
  const path = docsPath.replace(/\/$/, '');
  const rule = lexicalRule(docsPath, namespace) ?? levelRule(path, namespace, slug);
  if (rule !== null) throw guardRefused(rule, JSON.stringify(docsPath));
  return path as LexicalPath;
}

function levelRule(path: string, namespace: string, slug: string | undefined): string | null {
  const own = `docs/${namespace}`;
  if (slug === undefined) return path.startsWith(`${own}/`) ? slugRule(path.slice(own.length + 1)) : 'level';
  const base = path.slice(0, -slug.length - 1);
  if (base === '' || path !== `${base}/${slug}`) return slugRule(slug) ?? 'level';
  return slugRule(slug) ?? lexicalRule(base, namespace);
}

function lexicalRule(docsPath: string, namespace: string): string | null {
  const checked = validatePath(docsPath, 'output_dir', { namespace });
  return checked.ok ? null : checked.code;
}

function slugRule(slug: string): string | null {
  if (slug.trim() === '') return 'slug_blank';
  if (slug.toLowerCase() === 'memory') return 'slug_memory';
  if (slug === '.' || slug.includes('..')) return 'slug_dots';
  return /[\\/]/.test(slug) ? 'level' : null;
}

/** A document's name is one plain part that does not start with a dot. */
export function guardFileName(name: string): string {
  if (name.trim() === '' || name.startsWith('.') || /[\\/\p{Cc}]/u.test(name) || !name.isWellFormed())
    throw guardRefused('file_name', JSON.stringify(name));
  return name;
}

/**
 * The file part of the guard: walks down from the root and refuses a link or a file on the path. Null if the folder
 * does not exist and must not be created.
 */
export async function walkTo(root: RealPath, path: LexicalPath, make: boolean): Promise<RealPath | null> {
  let at = root;
  for (const name of path.split('/')) {
    at = child(at, name);
    if ((await statOf(at)) === null) {
      if (!make) return null;
      await makeFolder(at);
    }
    const found = await statOf(at);
    if (found?.isSymbolicLink()) throw guardRefused('link', path);
    if (!found?.isDirectory()) throw guardRefused('not_a_folder', path);
  }
  if (!(await isStillReal(at))) throw guardRefused('leaves_repository', path);
  return at;
}
