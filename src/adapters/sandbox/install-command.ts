import { readFile } from 'node:fs/promises';

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
