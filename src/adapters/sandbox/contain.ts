import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** What a worker may touch. Everything else of the machine it may only read, and the hidden folders not at all. */
export interface Room {
  /** The run's tree, and whether this worker may write in it. */
  readonly tree: string;
  readonly writes: boolean;
  /** Folder of the attempt: the result file stands there. */
  readonly dir: string;
  /** Folders of the agent program itself (its login and sessions), writable where they exist. */
  readonly own: readonly string[];
  /** Folders nobody may look into; the tree and the attempt's folder lie inside one and stay visible. */
  readonly hidden: readonly string[];
}

/**
 * The same command inside bubblewrap: the machine read-only, the tree, the attempt's folder, the program's own folders
 * and a private /tmp writable, the hidden folders empty, no process of the person in sight. The network stays: an agent
 * without its provider is none.
 */
export function contain(argv: readonly string[], { tree, writes, dir, own, hidden }: Room): string[] {
  const bind = (folder: string) => ['--bind', folder, folder];
  const look = (folder: string) => ['--ro-bind', folder, folder];
  return [
    'bwrap',
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...own.filter((folder) => existsSync(folder)).flatMap(bind),
    // An empty folder in their place: after them, what a worker needs of them is laid over it again.
    ...hidden.filter((folder) => existsSync(folder)).flatMap((folder) => ['--tmpfs', folder]),
    ...(writes ? bind(tree) : look(tree)),
    ...bind(dir),
    ...['--chdir', tree, '--'],
    ...argv,
  ];
}

/** Whether this machine can do it; asked once, by doing it. */
let asked: Promise<boolean> | null = null;

export function canContain(): Promise<boolean> {
  asked ??= new Promise((resolve) => {
    const trial = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-pid', 'true'];
    execFile('bwrap', trial, { timeout: 5000 }, (error) => resolve(error === null));
  });
  return asked;
}

/** Folders a worker must not see: keys of the person that belong to other programs. */
export function secretFolders(home: string): string[] {
  return ['.ssh', '.gnupg', '.aws', '.config/gh', '.docker', '.kube'].map((name) => path.join(home, name));
}
