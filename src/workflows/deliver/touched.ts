import type { Msg } from '../../contract/brief.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import { say } from './messages.ts';
import { cutText } from './moves.ts';

interface Touched {
  readonly git?: readonly string[] | undefined;
  /** It worked in the person's own folder, with the person's own git directory. */
  readonly in_place?: boolean | undefined;
}

/**
 * A worker set up the git of its tree. Ours never reads that of a tree of the run's own; in the person's folder it is
 * theirs, and its hooks run at the commit.
 */
export function gitTouched({ git: files = [], in_place = false }: Touched): Msg[] {
  if (files.length === 0) return [];
  const shown = shownOf(files);
  const told = in_place ? 'deliver.notice.your_git_touched' : 'deliver.notice.git_touched';
  return [say(told, { n: files.length, files: shown })];
}

/** No commit has what git ignores, and a check may rest on it: installed packages, what was built before. */
export function ignoredWritten({ ignored = [], ignored_total }: Ignored): Msg[] {
  const n = ignored_total ?? ignored.length;
  return n === 0 ? [] : [say('deliver.notice.ignored_written', { n, files: shownOf(ignored) })];
}

interface Ignored {
  readonly ignored?: readonly string[] | undefined;
  readonly ignored_total?: number | undefined;
}

function shownOf(files: readonly string[]): string {
  return cutText(files.slice(0, SHOWN.failures).join(', '), SHOWN.characters);
}
