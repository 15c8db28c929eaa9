import path from 'node:path';
import type { AgentSettings } from './contract/agent-settings.ts';
import type { Msg } from './contract/brief.ts';
import type { Config } from './contract/config.ts';
import type { Sandbox } from './contract/person-config.ts';
import type { Policy } from './contract/run.ts';
import { expandHome, readPersonConfig } from './person-config-file.ts';
import { parseSettings, readSettingsFile } from './read-settings-file.ts';

const NAME = 'baton.yaml';

/** `baton.yaml` of the folder, or the defaults. A wrong key or value throws an error that names it. */
export async function readConfig(root: string): Promise<Config> {
  return (await readProject(root)).config;
}

async function readProject(root: string) {
  const { Config } = await import('./contract/config.ts');
  const { withoutPersonKeys } = await import('./engine/join-settings.ts');
  const content = await readSettingsFile({ path: path.join(root, NAME), name: NAME });
  const { value, misplaced } = withoutPersonKeys(content);
  return { config: await parseSettings(Config, value, NAME), misplaced };
}

/** Both files joined: `baton.yaml` for the project, the person's own for programs, variables and the sandbox. */
export interface Settings {
  readonly config: Config;
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly sandbox: SandboxSettings;
  /** Settings that do not count, with the reason, once for each setting. */
  readonly warnings: readonly Msg[];
}

export interface SandboxSettings {
  readonly sandbox: Sandbox;
  /** Absolute paths that the sandbox shows read-only. */
  readonly show: readonly string[];
  readonly check_network: boolean;
}

export async function readSettings(root: string): Promise<Settings> {
  const { config, misplaced } = await readProject(root);
  const { config: person, file, warnings } = await readPersonConfig();
  const { ignoredSettings, joinAgents, strongerSandbox } = await import('./engine/join-settings.ts');
  const ignored = ignoredSettings({ misplaced, sandbox: config.sandbox, person: person.sandbox, file });
  return {
    config,
    agents: joinAgents(config.agents, person.agents),
    sandbox: {
      sandbox: strongerSandbox(person.sandbox, config.sandbox),
      show: person.sandbox_show.map(expandHome),
      check_network: person.sandbox_network === 'checks',
    },
    warnings: [...warnings, ...ignored],
  };
}

/** The settings for the sandbox of a run in this folder. */
export async function sandboxSettings(root: string): Promise<SandboxSettings> {
  return (await readSettings(root)).sandbox;
}

/** The policy that a run starting now stores. */
export function toPolicy({ config, agents, sandbox: { sandbox } }: Settings): Policy {
  const { namespace, ticket_key, agent, budget, checks, release } = config;
  const { shared_core, ...switches } = config.conduct;
  const conduct = { ...switches, ...shared_core };
  const roles = Object.entries(config.roles).map(
    ([role, set]) => [role, typeof set === 'string' ? { as: set } : set] as const,
  );
  const bound = Object.fromEntries(roles.flatMap(([role, { as }]) => (as === undefined ? [] : [[role, as]])));
  const by_role = Object.fromEntries(
    roles
      .filter(([, set]) => set.agent !== undefined || set.model !== undefined)
      .map(([role, { as: _, ...set }]) => [role, set]),
  );
  const start = { script: null, in_place: false, tree: 'checkout', unattended: false } as const;
  const set = { namespace, ticket_key, agent, agents, budget, checks, release, sandbox, conduct };
  return { ...set, bound, by_role, ...start };
}
