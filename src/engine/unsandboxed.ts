import type { Msg } from '../contract/brief.ts';
import type { Policy } from '../contract/run.ts';
import { type Rejection, reject } from './rejection.ts';

/** Why workers or checks of a run are not sandboxed. Null if they are, and in older runs that did not record it. */
export function unsandboxedBecause({ containment }: Pick<Policy, 'containment'>): string | null {
  return containment?.kind === 'none' ? (containment.why ?? 'unusable') : null;
}

/** How to fix a missing sandbox on this machine. */
export interface SandboxHelp {
  /** The command that installs bubblewrap. Null if it is unknown. */
  readonly install: string | null;
  /** The person's settings file, as they would type it. */
  readonly settings: string;
}

/** The reason as a notice for people, with the command that fixes it if known. */
export function sandboxNotice(why: string, { install, settings }: SandboxHelp): Msg {
  if (why === 'off') return { msg: 'engine.sandbox.off', args: { settings } };
  if (why === 'not_installed' && install !== null)
    return { msg: 'engine.sandbox.install', args: { install } };
  return { msg: 'engine.sandbox.none', args: { why } };
}

/** Refuses a run that requires a sandbox and has none. Includes the install command if the warnings name it. */
export function refuseUnsandboxed(
  policy: Pick<Policy, 'containment'>,
  warnings: readonly Msg[] = [],
): Rejection {
  const install = warnings.find(({ msg }) => msg === 'engine.sandbox.install')?.args;
  return install
    ? reject('no_sandbox', install, { msg: 'engine.rejection.no_sandbox_install' })
    : reject('no_sandbox', { why: unsandboxedBecause(policy) ?? 'unusable' });
}
