import { execFile } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** What a worker may touch. Everything else of the machine it may only read, and the hidden folders not at all. */
export interface Room {
  /** The run's tree, and whether this worker may write in it. */
  readonly tree: string;
  readonly writes: boolean;
  /** Parts of the tree nobody may write: the person's git directory would run its hooks outside. */
  readonly kept: readonly string[];
  /** Folder of the attempt, to be read: what it is told stands there. */
  readonly dir: string;
  /** Folder inside it for the result. Nothing of ours lies there: what a worker can write it can also forge. */
  readonly out: string;
  /** Folders of the agent program itself (its login and sessions), writable where they exist. */
  readonly own: readonly string[];
  /** Folders and files nobody may look into; the tree and the attempt's folder lie inside one and stay visible. */
  readonly hidden: readonly string[];
  /** Where programs are found: those of them that lie in a hidden folder can still be read. */
  readonly programs: readonly string[];
}

/**
 * The same command inside bubblewrap: the machine read-only, the tree, the attempt's folder, the program's own folders
 * and a private /tmp writable, the hidden folders empty, no process of the person in sight. The network stays: an agent
 * without its provider is none.
 */
export function contain(
  argv: readonly string[],
  { tree, writes, kept, dir, out, own, hidden, programs }: Room,
): string[] {
  const bind = (folder: string) => ['--bind', folder, folder];
  const look = (folder: string) => ['--ro-bind', folder, folder];
  return [
    'bwrap',
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...namedBelow('/tmp', argv).flatMap(look),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts'],
    ...own.filter((folder) => existsSync(folder)).flatMap(bind),
    // An empty folder in their place: after them, what a worker needs of them is laid over it again.
    ...hidden.flatMap(hide),
    ...programs.filter((folder) => isBelow(folder, hidden) && existsSync(folder)).flatMap(look),
    ...(writes ? bind(tree) : look(tree)),
    ...kept.filter((part) => existsSync(part)).flatMap(look),
    ...look(dir),
    ...bind(out),
    ...['--chdir', tree, '--'],
    ...argv,
  ];
}

function isBelow(folder: string, others: readonly string[]): boolean {
  return others.some((other) => folder.startsWith(`${other}${path.sep}`));
}

/** What the command names below a folder of which nothing else is seen: a program there needs all that lies with it. */
function namedBelow(folder: string, argv: readonly string[]): string[] {
  const inside = argv.filter((word) => word.startsWith(`${folder}/`) && existsSync(word));
  const first = (file: string) => path.join(folder, file.slice(folder.length + 1).split('/')[0] ?? '');
  return [...new Set(inside.map(first))];
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

/** A link is followed: what it leads to is what must not be seen. */
function hide(name: string): string[] {
  try {
    const real = realpathSync(name);
    return statSync(real).isDirectory() ? ['--tmpfs', real] : ['--ro-bind', '/dev/null', real];
  } catch {
    return []; // nothing there to be seen
  }
}

const SECRETS = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.config/gh', '.config/gcloud', '.docker', '.kube'],
  ...['.netrc', '.git-credentials', '.rd', '.lima', '.colima'],
];

/** What a worker must not see: keys of the person that belong to other programs. */
export function secretsOf(home: string): string[] {
  return SECRETS.map((name) => path.join(home, name));
}

const SERVICES = ['user', 'docker.sock', 'podman', 'containerd', 'crio', 'libvirt', 'incus', 'lxd'];
const ELSEWHERE = ['/var/lib/incus', '/var/lib/lxd', '/var/snap/lxd'];

/**
 * Whom a worker must not reach: a service manager or container service starts programs for whoever asks, outside of
 * every sandbox, and a folder that may only be read does not stop anybody from asking. The session bus lies in `user`.
 */
export function servicesIn(run: string): string[] {
  return [...SERVICES.map((name) => path.join(run, name)), ...ELSEWHERE];
}
