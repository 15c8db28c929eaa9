import { removeFile } from '../../files/real-files.ts';
import type { RealPath } from '../../files/real-path.ts';
import type { GitRun } from './git.ts';
import { becomesAbandoned } from './live-git.ts';

/**
 * Runs a git call that moves one of our refs. If a killed git left its lock on that ref, the lock is removed and the
 * call is repeated once. A lock of any other ref, or of a running git, is left alone.
 */
export async function onOwnRef(ref: string, call: () => Promise<GitRun | null>): Promise<GitRun | null> {
  const done = await call();
  const lock = done === null || done.code === 0 ? null : lockOn(ref, done.stderr);
  if (lock === null || !(await becomesAbandoned(lock.file, lock.commonDir))) return done;
  await removeFile(lock.file);
  return await call();
}

function lockOn(ref: string, stderr: string): { file: RealPath; commonDir: RealPath } | null {
  const end = `/${ref}.lock`;
  const file = /Unable to create '(\/.+)': File exists/.exec(stderr)?.[1];
  if (!file?.endsWith(end)) return null;
  return { file: file as RealPath, commonDir: file.slice(0, -end.length) as RealPath };
}
