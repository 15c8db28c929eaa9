import { failure } from '../../engine/errors.ts';
import { readSmallFile } from '../../files/real-files.ts';
import { child, type RealPath } from '../../files/real-path.ts';
import { fillFolder, makePrivate, writeState } from '../../files/state-files.ts';
import type { Git } from './git.ts';

export type ObjectFormat = 'sha1' | 'sha256';

/** A git directory that Baton creates. It contains nothing from a template, a person's settings or a worker. */
export interface GitDirPlan {
  readonly format: ObjectFormat;
  /** Object folders that this one also reads. */
  readonly alternates: readonly string[];
  readonly branch: string;
  /** `section.key` to value, in addition to the few settings that every directory has. */
  readonly settings: Readonly<Record<string, string>>;
  readonly refs: Readonly<Record<string, string>>;
  /** Files below the directory: `info/exclude`, `shallow`, ... */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Attributes that leave every byte as it is. They are where git looks last, so no `.gitattributes` of the tree
 * overrides them.
 */
export const RAW_ATTRIBUTES = '* -text !eol !crlf !filter -ident !working-tree-encoding !diff !merge\n';

/** Writes a new git directory. Nothing in it is run, and no git program is needed. */
export async function makeGitDir(at: RealPath, plan: GitDirPlan): Promise<void> {
  const files: Record<string, string> = {
    HEAD: `ref: refs/heads/${plan.branch}\n`,
    config: configText(plan),
    'objects/info/alternates': plan.alternates.map(alternateLine).join(''),
    ...plan.files,
  };
  for (const [ref, id] of Object.entries(plan.refs)) files[ref] = `${id}\n`;
  for (const folder of ['objects/pack', 'refs/heads']) await makePrivate(folder.split('/').reduce(child, at));
  await fillFolder(at, files);
}

/** Makes a git directory of ours read its objects from this folder, after the repository was moved. */
export async function readObjectsFrom(gitDir: RealPath, objects: RealPath): Promise<void> {
  const info = child(child(gitDir, 'objects'), 'info');
  const text = alternateLine(objects);
  if ((await readSmallFile(child(info, 'alternates'))) !== text) await writeState(info, 'alternates', text);
}

function configText(plan: GitDirPlan): string {
  const version = plan.format === 'sha1' ? '0' : '1';
  const settings = {
    'core.repositoryformatversion': version,
    'core.bare': 'false',
    'core.logallrefupdates': 'false',
    'core.hooksPath': '/dev/null',
    'gc.auto': '0',
    'maintenance.auto': 'false',
    ...(plan.format === 'sha1' ? {} : { 'extensions.objectFormat': plan.format }),
    ...plan.settings,
  };
  const lines = Object.entries(settings).map(([key, value]) => {
    const dot = key.indexOf('.');
    return `[${key.slice(0, dot)}]\n\t${key.slice(dot + 1)} = ${quoted(value)}\n`;
  });
  return lines.join('');
}

function quoted(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

function alternateLine(path: string): string {
  if (path.includes('\n'))
    throw failure('path_refused', `${JSON.stringify(path)} has a line end in its name`);
  return `${path}\n`;
}

interface Target {
  readonly git: Git;
  readonly gitDir: RealPath;
  /** Environment that names other folders to read objects from. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Copies objects into our git directory, which otherwise reads them from the person's repository. There they can be
 * pruned as soon as the person no longer needs them. `revisions` are lines as `git rev-list` reads them: what is
 * wanted, and after a `^` what is safe already.
 */
export async function copyObjects({ git, gitDir, env }: Target, revisions: string): Promise<void> {
  const args = ['pack-objects', '--quiet', '--revs', '--non-empty', `${gitDir}/objects/pack/pack`];
  await git.need(gitDir, args, { env: { ...env, GIT_DIR: gitDir }, input: revisions, binary: true });
}
