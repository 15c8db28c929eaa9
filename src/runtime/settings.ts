import type { Person } from '../contract/answer.ts';
import type { SettingChange } from '../contract/setting.ts';
import { DIAL_LEVELS, PROJECT_MODES, type ProjectMode } from '../contract/ticket.ts';
import { resolveDial } from '../engine/delegation.ts';
import { type Rejection, reject } from '../engine/rejection.ts';
import { ticketKey } from '../engine/ticket-id.ts';
import type { Deps } from './deps.ts';
import type { Changed, Project, Trust } from './knowledge-api.ts';

/** Names in the store, what may be set, and the command that sets it. */
const SETTINGS = {
  trust: { name: 'agent_trust.level', allowed: DIAL_LEVELS, command: 'baton trust' },
  mode: { name: 'project.mode', allowed: PROJECT_MODES, command: 'baton project' },
} as const;

/** The dial as it stands now; read anew wherever it counts (S2). */
export async function readTrust({ store }: Pick<Deps, 'store'>): Promise<Trust> {
  const raw = await store.setting(SETTINGS.trust.name);
  return { level: resolveDial(raw ?? undefined).level, raw };
}

/** A project nobody set otherwise is opinionated; a word nobody knows is not, so that nothing is conducted on it. */
export async function readMode({ store }: Pick<Deps, 'store'>): Promise<ProjectMode> {
  const raw = await store.setting(SETTINGS.mode.name);
  return raw === null || raw === 'opinionated' ? 'opinionated' : 'manual';
}

/** Only a value that is allowed is stored, and every change with who made it and where (CON-107). */
export async function changeSetting(
  { store, clock }: Deps,
  of: keyof typeof SETTINGS,
  to: string,
  { person, surface }: Person,
): Promise<Changed | Rejection> {
  const { name, allowed, command } = SETTINGS[of];
  if (!(allowed as readonly string[]).includes(to)) {
    const args = { field: of, option: command, value: to, problem: 'one_of', limit: allowed.join(', ') };
    return reject('bad_input', args);
  }
  const change = await store.changeSetting({ name, to, who: person, surface, at: clock.now() });
  return { ok: true, change };
}

export function settingChanges({ store }: Deps, of: keyof typeof SETTINGS): Promise<SettingChange[]> {
  return store.settingChanges(SETTINGS[of].name);
}

export async function readProject(deps: Deps): Promise<Project> {
  const { level } = await readTrust(deps);
  const key = ticketKey(await deps.policy());
  return { mode: await readMode(deps), key, agent_trust: { level, overrides: {} } };
}
