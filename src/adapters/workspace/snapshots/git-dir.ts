import { failure } from '../../../engine/errors.ts';
import { readSmallFile } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { fillFolder, makePrivate, writeState } from '../../../files/state-files.ts';

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
