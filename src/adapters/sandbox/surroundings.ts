import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { findBwrap, outsidePath } from './outside-path.ts';
import type { Surroundings } from './room.ts';
import { toolPaths } from './tools.ts';

interface Machine {
  readonly root: string;
  /** State of this repository. */
  readonly home: string;
  /** State of all repositories. */
  readonly state: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Program files of Baton that workers may be started with. */
  readonly programs: readonly string[];
}

/** Collects the settings shared by all rooms of a repository. Writes the file with their git settings. */
export async function makeSurroundings({ root, home, state, env, programs }: Machine): Promise<Surroundings> {
  const homes = [...new Set([env.HOME || homedir(), userInfo().homedir])].filter((folder) => folder !== '/');
  const cache = path.join(home, 'cache');
  const gitconfig = path.join(home, 'room.gitconfig');
  const PATH = outsidePath(env.PATH ?? '', [root, state]);
  await writeFile(gitconfig, await identityIn(root, { ...env, PATH }));
  return {
    bwrap: findBwrap(PATH),
    homes,
    tools: toolPaths(homes, env.PATH ?? '', programs),
    show: [],
    state,
    cache,
    gitconfig,
  };
}

/** Git settings for a room: who commits, and that git accepts a tree of another user. */
async function identityIn(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const list = await new Promise<string>((resolve) => {
    const args = ['config', '--null', '--get-regexp', '^user\\.(name|email)$'];
    execFile('git', args, { cwd: root, env }, (_, out) => resolve(out));
  });
  const pairs = list.split('\0').flatMap((entry) => {
    const [key = '', value = ''] = entry.split('\n');
    return key === '' ? [] : [`\t${key.slice(5)} = ${JSON.stringify(value)}\n`];
  });
  return `[safe]\n\tdirectory = *\n[user]\n${pairs.join('')}`;
}
