import { resolve } from 'node:path';
import { failure } from '../../engine/errors.ts';
import { child } from '../../files/real-path.ts';
import { branchRef } from '../git/branch.ts';
import { effectVariables, type GitRun, lastLines } from '../git/git.ts';
import type { Scratch } from './scratch.ts';

/** The remote where the person's repository is published. Their own git settings decide how it is reached. */
export interface Remote {
  readonly name: string;
  readonly url: string;
  /** Where these refs are now. Every name is complete or ends in `/*`. */
  list(refs: readonly string[]): Promise<Listed>;
  /** Fetches everything these refs reach into the scratch folder. No ref of the person moves. */
  fetch(refs: readonly string[]): Promise<void>;
  /**
   * Moves all refs or none, and only if each is still where it was seen. Then it lists them, and this list decides the
   * result. `moved` means that another program was faster. Throws `push_refused`.
   */
  push(moves: readonly RefMove[]): Promise<'done' | 'moved'>;
}

export interface Listed {
  readonly at: ReadonlyMap<string, string>;
  /** The default branch of the remote, if it reports one. */
  readonly first: string | null;
}

export interface RefMove {
  readonly ref: string;
  readonly to: string;
  /** Null means that there was no such ref. */
  readonly from: string | null;
}

const NETWORK_MS = 10 * 60_000;

/** Git must not ask for a passphrase or a host key: no one is there to answer. */
const UNASKED = { LC_ALL: 'C', SSH_ASKPASS: 'false', SSH_ASKPASS_REQUIRE: 'force' };

/** Throws `no_remote`. `effect` is the call id of the processes, so that a repeat after a crash finds and ends them. */
export async function openRemote(scratch: Scratch, name: string, effect: string): Promise<Remote> {
  const { git, root } = scratch.person;
  const env = {
    ...UNASKED,
    ...effectVariables(effect),
    GIT_OBJECT_DIRECTORY: child(scratch.gitDir, 'objects'),
  };
  const call = (args: readonly string[], input = '') =>
    git.asPerson(root, args, { env, input, deadline_ms: NETWORK_MS });
  const url = await urlOf(scratch, name, call);
  const clean = (done: GitRun | null) => lastLines(done).replaceAll(url, name);
  const needs = async (done: GitRun | null): Promise<string> => {
    if (done?.code === 0) return done.stdout;
    throw failure('remote_unreachable', `${name}: ${clean(done)}`, { retry: 'transient' });
  };
  const list: Remote['list'] = async (refs) =>
    readList(await needs(await call(['ls-remote', '--symref', url, 'HEAD', ...refs])));
  return {
    ...{ name, url, list },
    fetch: async (refs) => {
      if (refs.length > 0) await needs(await call([...FETCH, url], `${refs.join('\n')}\n`));
    },
    push: async (moves) => {
      const leases = moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`);
      const done = await call([...PUSH, ...leases, url, ...moves.map(({ ref, to }) => `${to}:${ref}`)]);
      const { at } = await list(moves.map(({ ref }) => ref));
      if (moves.every(({ ref, to }) => at.get(ref) === to)) return 'done';
      if (moves.some(({ ref, from }) => (at.get(ref) ?? null) !== from)) return 'moved';
      const why = done?.code === 0 ? 'it says that it took the push, and has not' : clean(done);
      throw failure('push_refused', `${name}: ${why}`);
    },
  };
}

const FETCH = [
  ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--refmap='],
  ...['--no-recurse-submodules', '--no-prune', '--stdin'],
];

const PUSH = [
  ...['push', '--quiet', '--atomic', '--no-follow-tags', '--no-signed'],
  '--recurse-submodules=no',
];

type Call = (args: readonly string[]) => Promise<GitRun | null>;

async function urlOf({ person }: Scratch, name: string, call: Call): Promise<string> {
  const done = await call(['remote', 'get-url', '--push', '--', name]);
  const url = done?.code === 0 ? (done.stdout.split('\n')[0] ?? '') : '';
  if (url === '')
    throw failure(
      'no_remote',
      `the repository has no remote ${JSON.stringify(name)} (release.remote in baton.yaml). Add it with git remote add, then try again`,
    );
  // Git reads a path from the top of the tree. We also use the URL from other folders.
  const isPath = !/^[^/]*:/.test(url);
  return isPath ? resolve(person.root, url) : url;
}

function readList(text: string): Listed {
  const lines = text.split('\n').filter((line) => line !== '');
  const fields = lines.map((line) => line.split('\t') as [string, string]);
  const symbolic = fields.find(([value, ref]) => value.startsWith('ref: ') && ref === 'HEAD')?.[0];
  const first = symbolic?.slice('ref: '.length).replace(branchRef(''), '') ?? null;
  return { first, at: new Map(fields.map(([sha, ref]) => [ref, sha])) };
}
