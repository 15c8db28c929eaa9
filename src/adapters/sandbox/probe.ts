import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Containment, Policy } from '../../contract/run.ts';

/** Reasons why bubblewrap cannot be used, by its output. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/ENOENT/, 'not_installed'],
  [/setting up uid map|RTM_NEWADDR/, 'apparmor'],
  [/namespaces exceeded|ENOSPC/, 'switched_off'],
  [/Can't mount proc/, 'masked_proc'],
  [/new namespace/, 'blocked'],
];

const TRIAL = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--cap-drop', 'ALL', '--as-pid-1'],
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
];

/**
 * Null if bubblewrap can be used here, else the reason why not. Found once per Baton process, by starting bubblewrap.
 */
let asked: Promise<string | null> | null = null;

async function probe(bwrap: string | null): Promise<string | null> {
  if (process.platform !== 'linux') return 'platform';
  if (bwrap === null) return 'not_installed';
  const tried = await Promise.all([attempt(bwrap, TRIAL), attempt(bwrap, [...TRIAL, '--unshare-net'])]);
  return tried.find((why) => why !== null) ?? null;
}

function attempt(bwrap: string, flags: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(bwrap, [...flags, 'true'], { timeout: 5000 }, (error, _, stderr) => {
      resolve(error === null ? null : reasonOf(`${(error as NodeJS.ErrnoException).code} ${stderr}`));
    });
  });
}

/** The reason for an error of bubblewrap. Exported so that the table of reasons can be tested. */
export function reasonOf(words: string): string {
  return REASONS.find(([pattern]) => pattern.test(words))?.[1] ?? 'unusable';
}

type Wanted = Pick<Policy, 'agent' | 'agents' | 'by_role'> & {
  readonly sandbox: NonNullable<Policy['sandbox']>;
  readonly check_network: boolean;
};

/**
 * The containment of a run that starts now. Other programs start the workers of a `pull` agent. Such a run counts as
 * not contained, although its checks run in the sandbox.
 */
export async function resolveContainment(bwrap: string | null, wanted: Wanted): Promise<Containment> {
  const { sandbox, check_network } = wanted;
  const none = (why: string): Containment => ({ kind: 'none', check_network, why });
  if (sandbox === 'off') return none('off');
  asked ??= probe(bwrap);
  const why = await asked;
  if (why !== null) return none(why);
  return isPulled(wanted) ? none('pull') : { kind: 'bwrap', check_network, why: null };
}

function isPulled({ agent, agents = {}, by_role = {} }: Wanted): boolean {
  const names = [agent, ...Object.values(by_role).flatMap((role) => role.agent ?? [])];
  return names.some((name) => (agents[name]?.kind ?? name) === 'pull');
}

const INSTALL: readonly (readonly [RegExp, string])[] = [
  [/^(debian|ubuntu)$/, 'apt install bubblewrap'],
  [/^(fedora|rhel|centos)$/, 'dnf install bubblewrap'],
  [/^arch$/, 'pacman -S bubblewrap'],
  [/^alpine$/, 'apk add bubblewrap'],
  [/^(suse|opensuse)$/, 'zypper install bubblewrap'],
];

/** The command that installs bubblewrap on the system of this os-release; null if that system is unknown. */
export function installCommand(osRelease: string): string | null {
  const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(osRelease)?.[1] ?? '';
  const ids = [field('ID'), ...field('ID_LIKE').split(' ')];
  const rows = ids.flatMap((id) => INSTALL.filter(([pattern]) => pattern.test(id)));
  return rows[0]?.[1] ?? null;
}

/** The same for this machine. */
export async function installHere(): Promise<string | null> {
  return installCommand(await readFile('/etc/os-release', 'utf8').catch(() => ''));
}
