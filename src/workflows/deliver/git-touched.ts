import type { Msg } from '../../contract/brief.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import { say } from './messages.ts';
import { cutText } from './moves.ts';

/** A worker set up the git of its tree. Ours never reads that; a person should know all the same. */
export function gitTouched({ git: files = [] }: { readonly git?: readonly string[] | undefined }): Msg[] {
  if (files.length === 0) return [];
  const shown = cutText(files.slice(0, SHOWN.failures).join(', '), SHOWN.characters);
  return [say('deliver.notice.git_touched', { n: files.length, files: shown })];
}
