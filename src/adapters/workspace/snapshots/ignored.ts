import { posix } from 'node:path';
import { readOwnBytes } from '../../../files/real-files.ts';
import { listedPath } from '../../../files/real-path.ts';
import { type ByteName, decodeName, zeroList } from '../../git/names.ts';
import { type StoredTree, withIndex } from './stored-tree.ts';

/** How an ignore file has changed. */
interface ChangedRules {
  readonly folder: string;
  readonly before: ReadonlySet<string>;
  /** A rule that showed files (`!`) was removed. The rule that hides them now is then not decisive. */
  readonly opens: boolean;
}

/**
 * Names that git ignores now and did not ignore before these ignore files changed. A name counts if a new rule in one
 * of them hides it. It also counts if one above it lost a rule that showed files. This may list one name too many,
 * never too few.
 */
export async function newlyIgnored(
  kept: StoredTree,
  before: (path: string) => Promise<Buffer | null>,
  changed: readonly string[],
): Promise<string[]> {
  if (changed.length === 0) return [];
  const rules = new Map<string, ChangedRules>();
  for (const path of changed) rules.set(path, await changedRules(kept, path, await before(path)));
  const found = (await hidden(kept)).filter(({ path, source, rule }) => {
    const by = rules.get(source);
    return (by && !by.before.has(rule)) || [...rules.values()].some((one) => one.opens && isBelow(path, one));
  });
  return found.map(({ path }) => path).sort();
}

async function changedRules(kept: StoredTree, path: string, old: Buffer | null): Promise<ChangedRules> {
  const now = linesOf(await readOwnBytes(listedPath(kept.root, path)));
  const before = linesOf(old);
  const opens = [...before].some((line) => line.startsWith('!') && !now.has(line));
  return { folder: posix.dirname(path), before, opens };
}

function linesOf(content: Buffer | null): Set<string> {
  return new Set((content?.toString('utf8') ?? '').split(/\r?\n/));
}

function isBelow(path: string, { folder }: ChangedRules): boolean {
  return folder === '.' || path.startsWith(`${folder}/`);
}

interface Hidden {
  readonly path: string;
  readonly source: string;
  readonly rule: string;
}

/** Every ignored name. A whole folder is one name that ends in a slash. */
export async function ignoredNames(kept: StoredTree): Promise<ByteName[]> {
  const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  return zeroList(await withIndex(kept, (git) => git(list)));
}

/** Every ignored name with the rule that hides it. */
async function hidden(kept: StoredTree): Promise<Hidden[]> {
  const names = await ignoredNames(kept);
  if (names.length === 0) return [];
  // This command does not support literal paths. With `./` in front, none of them can be read as anything else.
  const args = ['--no-literal-pathspecs', 'check-ignore', '-z', '-v', '--no-index', '--stdin'];
  const env = { GIT_DIR: kept.gitDir, GIT_WORK_TREE: kept.root };
  const input = names.map((name) => `./${name}\0`).join('');
  const fields = (await kept.git.need(kept.root, args, { env, binary: true, input })).split('\0');
  return fields.flatMap((path, n) => {
    const [source = '', , rule = ''] = fields.slice(n - 3, n);
    if (n % 4 !== 3) return [];
    return [{ path: decodeName(path.replace(/^\.\//, '')).path, source: decodeName(source).path, rule }];
  });
}
