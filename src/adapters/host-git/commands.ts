import type { Hash } from '../../contract/ids.ts';
import { AdapterError } from '../../engine/errors.ts';
import { child, type RealPath } from '../../files/real-path.ts';
import { makePrivate } from '../../files/state-files.ts';
import type { CommandDone } from '../../ports/commands.ts';
import type { StoreText } from '../../ports/workspace.ts';
import { makeGitDir } from '../git/git-dir.ts';
import { basePlan } from '../git/person.ts';
import type { HostContext } from './context.ts';

/** A configured command and the variables it gets. A null value is not passed. */
export interface HostCommand {
  readonly name: 'checks' | 'approved' | 'deploy' | 'deployed' | 'observe';
  readonly line: string;
  readonly tree: RealPath;
  readonly told: Readonly<Record<string, string | number | null | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a configured command in a clean checkout. `BATON_...` variables describe what it is about. */
export function runHostCommand(
  { scratch, release, run, effect }: HostContext,
  { name, line, tree, told, signal }: HostCommand,
): Promise<CommandDone> {
  const said = Object.entries(told).filter(([, value]) => value !== null && value !== undefined);
  return run({
    ...{ line, cwd: tree, effect, stdout: child(scratch.folder, name) },
    env: Object.fromEntries(said.map(([key, value]) => [`BATON_${key}`, String(value)])),
    timeout_seconds: release.timeout_minutes * 60,
    signal: signal ?? new AbortController().signal,
  });
}

const TAIL = { lines: 20, characters: 2_000 };

/** How a command ended, in words, with the end of its output. */
export function endOf({ scratch, remote }: HostContext, done: CommandDone): string {
  const tail = tailOf(done, TAIL).replaceAll(scratch.folder, '.').replaceAll(remote.url, remote.name);
  const { exit, note } = done;
  const end = note === null ? `exit code ${exit}` : `${note.code.replaceAll('_', ' ')}: ${note.detail}`;
  return `${end}${tail === '' ? '' : `\n${tail}`}`;
}

export function tailOf(
  { output }: CommandDone,
  most: { readonly lines: number; readonly characters: number },
): string {
  const lines = output.trimEnd().split('\n').slice(-most.lines).join('\n');
  return lines.slice(-most.characters).toWellFormed();
}

/** A command counts as run even if its output cannot be stored. */
export async function storeOutput({ output }: CommandDone, keep: StoreText): Promise<Hash | null> {
  try {
    return output === '' ? null : await keep(output);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return null;
  }
}

const CHECKOUT_MS = 10 * 60_000;

/**
 * Checks out a commit in a folder of ours where a command can run. It is a separate repository whose HEAD is the commit
 * and whose `origin` is the remote. No filter and no hook runs.
 */
export async function checkOut({ scratch, remote }: HostContext, sha: string): Promise<RealPath> {
  const { git } = scratch.person;
  const tree = child(scratch.folder, 'tree');
  const gitDir = child(tree, '.git');
  const plan = basePlan(scratch.from, { branch: 'none', commit: null });
  await makePrivate(tree);
  await makeGitDir(gitDir, {
    ...plan,
    alternates: [...plan.alternates, child(scratch.gitDir, 'objects')],
    files: { ...plan.files, HEAD: `${sha}\n` },
  });
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: tree };
  await git.need(tree, ['config', 'remote.origin.url', remote.url], { env });
  await git.need(tree, ['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'], { env });
  await git.need(tree, ['read-tree', '--reset', '-u', sha], { env, deadline_ms: CHECKOUT_MS });
  return tree;
}
