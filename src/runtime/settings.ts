import type { Person } from '../contract/answer.ts';
import type { Changed, Project, Trust } from '../contract/knowledge-views.ts';
import type { SettingChange } from '../contract/setting.ts';
import { PROJECT_MODES, type ProjectMode, TRUST_LEVELS } from '../contract/ticket.ts';
import { resolveTrust } from '../engine/delegation.ts';
import { type Rejection, reject } from '../engine/rejection.ts';
import { ticketKey } from '../engine/ticket-id.ts';
import type { Deps } from './deps.ts';

/** For each setting: its name in the store, the allowed values, and the command that sets it. */
const SETTINGS = {
  trust: { name: 'agent_trust.level', allowed: TRUST_LEVELS, command: 'baton trust' },
  mode: { name: 'project.mode', allowed: PROJECT_MODES, command: 'baton project' },
} as const;

/** The current trust level, read anew wherever it counts (S2). */
export async function readTrust({ store }: Pick<Deps, 'store'>): Promise<Trust> {
  const raw = await store.setting(SETTINGS.trust.name);
  return { level: resolveTrust(raw ?? undefined).level, raw };
}

/** Default: opinionated. An unknown value counts as manual, so that no drive works a ticket because of it. */
export async function readMode({ store }: Pick<Deps, 'store'>): Promise<ProjectMode> {
  const raw = await store.setting(SETTINGS.mode.name);
  return raw === null || raw === 'opinionated' ? 'opinionated' : 'manual';
}

/** Stores only allowed values. Every change is recorded with its author and surface (CON-107). */
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
