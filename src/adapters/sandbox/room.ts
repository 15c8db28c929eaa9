import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { failure } from '../../engine/errors.ts';
import type { Room, SpawnSpec } from '../../ports/processes.ts';
import { cacheMounts, cacheVariables, makeCaches } from './package-caches.ts';
import { installedWith, isBelow, TEMPORARY } from './tools.ts';

/** Settings shared by all rooms of a repository. */
export interface Surroundings {
  /** File of bubblewrap; null: not installed. */
  readonly bwrap: string | null;
  /** The person's home folders. Rooms hide them, except `tools`, `show` and the files that the call itself needs. */
  readonly homes: readonly string[];
  /** What `toolPaths` found. */
  readonly tools: readonly string[];
  /** Further paths that the person wants to be readable. */
  readonly show: readonly string[];
  /** The state of all repositories. Rooms hide it, except the files that the call itself needs. */
  readonly state: string;
  /** Caches of package managers, never the person's own. Every room has its caches at this path. */
  readonly cache: string;
  /** The git settings of a room. Of the person's settings it has only name and address. */
  readonly gitconfig: string;
}

type Inside = Pick<SpawnSpec, 'argv' | 'cwd' | 'env'> & { readonly room: Room };

/**
 * The first process of the room. Its end ends everything in the room. So it first lists what is still running, on a
 * descriptor that the command does not have.
 */
const FIRST =
  '"$@" 4>&-; code=$?; for f in /proc/[0-9]*/stat; do read -r l < "$f" && echo "$l"; done >&4 2> /dev/null; exit $code';

/**
 * Wraps the command in bubblewrap. Descriptor 3 gets bubblewrap's status, descriptor 4 the processes that the command
 * left running.
 */
export async function enterRoom<Spec extends Inside>(inside: Spec, at: Surroundings): Promise<Spec> {
  if (inside.room.cache) await makeCaches(at.cache, inside.room.cache);
  const flags = ['--json-status-fd', '3', ...roomFlags(inside, at)];
  const argv = [bwrapOf(at), ...flags, '--', '/bin/sh', '-c', FIRST, 'sh', ...inside.argv];
  return { ...inside, argv, env: roomEnvironment(inside, at) };
}

/** The bubblewrap flags of a room: namespaces, the machine read-only, and what is hidden, shown or writable. */
export function roomFlags(inside: Inside, at: Surroundings): string[] {
  const { cwd, room } = inside;
  return [
    ...namespaces(cwd),
    ...(room.network ? [] : ['--unshare-net']),
    ...['--as-pid-1', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...mountsOf(inside, at).flatMap(({ how, from, path: to }) => [how, ...(from ? [from] : []), to]),
    ...['--chdir', cwd],
  ];
}

/** Throws if bubblewrap was removed after the run started. */
export function bwrapOf({ bwrap }: Surroundings): string {
  if (bwrap !== null) return bwrap;
  const detail = 'bubblewrap (bwrap) is not installed any more, and this run started with it';
  throw failure('sandbox_failed', detail, { retry: 'transient' });
}

interface Mount {
  readonly how: '--tmpfs' | '--ro-bind' | '--ro-bind-try' | '--bind' | '--bind-try';
  readonly from?: string;
  readonly path: string;
}

/**
 * The mounts, with folders before their content, so that the more specific rule wins. Of two rules for one path the
 * later one wins.
 */
function mountsOf(inside: Inside, at: Surroundings): Mount[] {
  const { cwd, room } = inside;
  const hidden = [...TEMPORARY, ...at.homes, at.state]
    .filter(existsSync)
    .map((folder) => realpathSync(folder));
  // The command's own files: the program, or an interpreter and its script. Files of an attempt are in `show`.
  const files = [...inside.argv.slice(0, 2), ...room.programs].filter(
    (file) => !isBelow(file, [cwd, at.state]),
  );
  const named = files.flatMap((file) => installedWith(file, at.homes));
  const looks = [...at.tools, ...at.show, ...named, ...resolvers(room), ...gitFolders(cwd, room.own)];
  const shown = [...looks, ...room.show, ...room.write, at.cache, cwd];
  const [home] = at.homes;
  return [
    ...hidden.map((folder) => ({ how: '--tmpfs', path: folder }) as const),
    ...(home ? [{ ...look(at.gitconfig), path: path.join(home, '.gitconfig') }] : []),
    ...looks.filter((name) => isBelow(name, hidden) && !isBelow(name, [cwd])).map(look),
    { how: '--tmpfs', path: at.cache } as const,
    ...cacheMounts(at.cache, room.cache).map((kept): Mount => ({ how: '--bind-try', ...kept })),
    room.writes ? bind(cwd) : look(cwd),
    ...(room.own ? [] : [look(path.join(cwd, '.git'))]),
    ...room.show.map(look),
    ...room.write.filter(existsSync).map(bind),
    ...sockets({ hidden, shown, own: room.own ? [cwd] : [] }),
  ].sort((a, b) => depthOf(a) - depthOf(b));
}

function depthOf(mount: Mount): number {
  return mount.path.split(path.sep).length;
}

/** Root loses all capabilities. In a tree of another user it keeps those that only concern the owner of files. */
function namespaces(cwd: string): string[] {
  const own = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL'];
  if (process.getuid?.() !== 0 || statSync(cwd).uid === 0) return ['--unshare-user', ...own];
  return [...own, ...['DAC_OVERRIDE', 'FOWNER', 'CHOWN'].flatMap((name) => ['--cap-add', `CAP_${name}`])];
}

function bind(name: string): Mount {
  return { how: '--bind', from: name, path: name };
}

function look(name: string): Mount {
  return { how: '--ro-bind-try', from: name, path: name };
}

/** Folders that /etc/resolv.conf may link to. */
function resolvers({ network }: Room): string[] {
  return network ? ['/run/systemd/resolve', '/run/NetworkManager', '/run/resolvconf'] : [];
}

interface Sight {
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
  /** A tree of Baton's own, where only its workers listen on sockets. */
  readonly own: readonly string[];
}

/**
 * Mounts /dev/null over every visible socket outside a tree of Baton's own. A read-only mount does not prevent
 * connections to a socket.
 */
function sockets({ hidden, shown, own }: Sight): Mount[] {
  const isVisible = (file: string) => isBelow(file, shown) || !isBelow(file, hidden);
  const listening = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .flatMap((line) => /^(?:\S+ +){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(listening)]
    .filter(existsSync)
    .map((file) => realpathSync(file))
    .filter((file) => isVisible(file) && !isBelow(file, own))
    .map((file) => ({ how: '--ro-bind', from: '/dev/null', path: file }));
}

/** Sockets and displays of the person's session. */
const NEVER =
  /^(XDG_RUNTIME_DIR|SSH_A.*|GPG_AGENT_INFO|DBUS_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|TMUX.*|STY|WSL_INTEROP)$/;

export function roomEnvironment({ env, room }: Inside, { cache }: Surroundings): Record<string, string> {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !NEVER.test(name))),
    ...cacheVariables(cache, room.cache),
    npm_config_update_notifier: 'false',
    // Without this, npx waits 71 s for a network that is not there.
    ...(room.network ? {} : { npm_config_offline: 'true' }),
    TMPDIR: '/tmp',
  };
}

/**
 * Folders outside a tree that git reads for it. For a clone of Baton's own they come from Baton's git directories next
 * to the tree. A worker can write the git directory inside the tree.
 */
function gitFolders(tree: string, own: boolean): string[] {
  if (!own) return linkedFolders(tree);
  const view = path.join(path.dirname(tree), 'view', 'objects');
  return [view, ...alternates(view)];
}

/** Git directory and common directory of a linked work tree; empty if `.git` is a folder. */
function linkedFolders(tree: string): string[] {
  const dir = /^gitdir: (.+)$/m.exec(read(path.join(tree, '.git')))?.[1];
  if (dir === undefined) return [];
  const own = path.resolve(tree, dir);
  const common = read(path.join(own, 'commondir')).trim();
  return [own, ...(common === '' ? [] : [path.resolve(own, common)])];
}

const DEEPEST = 5;

function alternates(objects: string, depth = 0): string[] {
  if (depth === DEEPEST) return [];
  const named = read(path.join(objects, 'info', 'alternates'))
    .split('\n')
    .filter(Boolean);
  const found = named.map((name) => path.resolve(objects, name));
  return [...found, ...found.flatMap((folder) => alternates(folder, depth + 1))];
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
