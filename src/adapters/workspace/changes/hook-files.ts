import { posix } from 'node:path';
import picomatch from 'picomatch';
import { statOf } from '../../../files/real-files.ts';
import { listedPath, type RealPath } from '../../../files/real-path.ts';
import { settingText } from '../../git/git-files.ts';
import { hooksIn } from '../commit/run.ts';
import { textAt } from '../texts/read-text.ts';
import { altersChecks, namesFile } from './alters-checks-table.ts';
import type { ChangeSet } from './change-set.ts';

/** The commit hooks that would run with the person's keys, and the changed files that they could execute. */
export interface HooksFound {
  readonly names: readonly string[];
  readonly files: readonly string[];
}

interface HookContext {
  readonly root: RealPath;
  readonly namespace: string;
  /** Folder of the person's hooks. Null if there is no repository or if hooks run in the sandbox. */
  openHooks(): Promise<string | null>;
}

/** Files that hooks usually execute, besides those that decide how a change is checked. */
const EXECUTED = [
  '**/{scripts,script,bin,tools,hooks}/**',
  '**/*.config.{js,ts,mjs,cjs,mts,cts}',
  '**/{.prettierrc*,.stylelintrc*,.commitlintrc*,.czrc,.cz.json,.releaserc*,bun.lock*,uv.lock,poetry.lock}',
  '**/{test,tests,__tests__,spec}/**',
  '**/{*.test.*,*.spec.*,*_test.*,test_*.py}',
] as const;

let isExecuted: ((path: string) => boolean) | undefined;

/** Null if no hook would run, or if hooks run in the sandbox. */
export async function findHooks(
  location: HookContext,
  { modified, created }: Pick<ChangeSet, 'modified' | 'created'>,
): Promise<HooksFound | null> {
  const folder = await location.openHooks();
  const names = hooksIn(folder);
  if (folder === null || names.length === 0) return null;
  const texts = await Promise.all(names.map((name) => settingText(posix.join(folder, name))));
  const manifest = await textAt(location, 'package.json');
  const isNamed = namesFile(
    texts.filter((text) => text !== null),
    manifest?.text ?? null,
  );
  isExecuted ??= picomatch([...EXECUTED], { dot: true, windows: false, nocase: true });
  const files: string[] = [];
  for (const path of [...modified, ...created].sort()) {
    const found = await statOf(listedPath(location.root, path));
    const isProgram = found?.isFile() === true && (found.mode & 0o111n) !== 0n;
    if (isProgram || altersChecks(path) || isExecuted(path) || isNamed(path)) files.push(path);
  }
  return { names, files };
}
