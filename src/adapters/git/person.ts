import { join } from 'node:path';
import { failure } from '../../engine/errors.ts';
import { type RealPath, realFolder } from '../../files/real-path.ts';
import type { HookRoom } from '../../ports/hook-room.ts';
import { type BranchContext, branchRef } from './branch.ts';
import type { Git, GitEnvironment } from './git.ts';
import type { GitDirPlan, ObjectFormat } from './git-dir.ts';
import { gitPath, settingText } from './git-files.ts';
import { findRepository, type Repository } from './repository.ts';

/**
 * The person's repository as a run uses it. A run reads it, pins commits and fetches into it, and does not change
 * anything else.
 */
export interface Person extends BranchContext {
  readonly environment: GitEnvironment;
  /** Where commit hooks run. Without it they run with the person's environment. */
  readonly hookRoom?: HookRoom | undefined;
}

/** What a clone takes over from the repository. All of it is text: the clone never runs a program of the repository. */
export interface Inheritance {
  readonly repository: Repository;
  readonly objects: RealPath;
  readonly format: ObjectFormat;
  /** Settings that decide how content becomes a file. */
  readonly settings: Readonly<Record<string, string>>;
  readonly exclude: string;
  readonly shallow: string | null;
  readonly sparse: string | null;
}

/** The repository that contains the person's folder. Throws `not_a_repository`. */
export async function needPerson(git: Git, root: RealPath): Promise<Repository> {
  const found = await findRepository(git, root);
  if (found === null) throw failure('not_a_repository', `${root} is not a work tree of git`);
  return found;
}

/** Reads everything a clone takes over. */
export async function inherit(person: Person): Promise<Inheritance> {
  const { git, root, environment } = person;
  const repository = await needPerson(git, root);
  const at = (name: string) => gitPath(git, root, name);
  const format = (await git.ask(root, ['rev-parse', '--show-object-format'])) ?? 'sha1';
  const own = await settingText(await at('info/exclude'));
  const ignore = await personalIgnoreFile(git, root, environment);
  const everywhere = ignore === null ? null : await settingText(ignore);
  const isSparse = (await git.setting(root, 'core.sparseCheckout')) === 'true';
  return {
    repository,
    objects: await realFolder(await at('objects')),
    format: format === 'sha256' ? 'sha256' : 'sha1',
    settings: await contentSettings(git, root),
    // Installed packages are never part of a change, even if the project does not ignore them.
    exclude: [everywhere, own, 'node_modules/']
      .map((text) => (text === null ? '' : `${text.trimEnd()}\n`))
      .join(''),
    shallow: await settingText(await at('shallow')),
    sparse: isSparse ? await settingText(await at('info/sparse-checkout')) : null,
  };
}

const CONTENT_SETTINGS = [
  'core.autocrlf',
  'core.eol',
  'core.fileMode',
  'core.ignoreCase',
  'core.symlinks',
  'core.precomposeUnicode',
  'core.sparseCheckoutCone',
];

async function contentSettings(git: Git, root: RealPath): Promise<Record<string, string>> {
  const values = await Promise.all(
    CONTENT_SETTINGS.map(async (key) => [key, await git.setting(root, key)] as const),
  );
  return Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** The person's filters as `-c` arguments. They run only when the final commit is staged. */
export async function filterSettings(
  person: Pick<Person, 'git' | 'root'>,
  repository: Repository,
): Promise<string[]> {
  const args = ['config', '-z', '--get-regexp', '^filter\\.'];
  const done = await person.git.asPerson(person.root, args);
  const entries = done?.code === 0 ? done.stdout.split('\0').filter((one) => one.includes('\n')) : [];
  const settings = entries.map((one) => {
    const end = one.indexOf('\n');
    return `${one.slice(0, end)}=${one.slice(end + 1)}`;
  });
  // Large files go where the person's own git stores them, not into a folder that is collected.
  if (settings.length > 0) settings.push(`lfs.storage=${repository.commonDir}/lfs`);
  return settings.flatMap((setting) => ['-c', setting]);
}

/** The path of the person's own ignore file. It counts, although their other settings do not. */
export async function personalIgnoreFile(
  git: Git,
  root: RealPath,
  environment: GitEnvironment,
): Promise<string | null> {
  const set = await git.setting(root, 'core.excludesFile', 'path');
  const home = environment.XDG_CONFIG_HOME ?? (environment.HOME ? join(environment.HOME, '.config') : null);
  return set ?? (home === null ? null : join(home, 'git', 'ignore'));
}

/** The head of the run's branch. */
export interface Tip {
  readonly branch: string;
  readonly commit: string | null;
}

/** The part that all git directories of a clone share. */
export function basePlan(from: Inheritance, tip: Tip): GitDirPlan {
  const files: Record<string, string> = { 'info/exclude': from.exclude };
  if (from.shallow !== null) files.shallow = from.shallow;
  return {
    format: from.format,
    alternates: [from.objects],
    branch: tip.branch,
    settings: {},
    refs: tip.commit === null ? {} : { [branchRef(tip.branch)]: tip.commit },
    files,
  };
}

/** Settings and files that turn content into the same file as in the person's checkout. */
export function checkoutParts(from: Inheritance): Pick<GitDirPlan, 'settings' | 'files'> {
  const sparse = from.sparse === null ? {} : { 'core.sparseCheckout': 'true' };
  const patterns = from.sparse === null ? {} : { 'info/sparse-checkout': from.sparse };
  return { settings: { ...from.settings, ...sparse }, files: patterns };
}
