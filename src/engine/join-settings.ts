import { AgentSettings, type PersonAgent } from '../contract/agent-settings.ts';
import type { Msg } from '../contract/brief.ts';
import type { Config } from '../contract/config.ts';
import {
  PERSON_AGENT_KEYS,
  PERSON_KEYS,
  type PersonConfig,
  SANDBOX_LEVELS,
  type Sandbox,
} from '../contract/person-config.ts';

/** The allowed part of `baton.yaml`, and the keys in it that only the person's settings may have. */
export interface ProjectPart {
  readonly value: unknown;
  readonly misplaced: readonly string[];
}

/** Removes the person's keys from the content of a `baton.yaml`, whatever their values. */
export function withoutPersonKeys(content: unknown): ProjectPart {
  if (!isGroup(content)) return { value: content, misplaced: [] };
  const top = omit(content, PERSON_KEYS);
  if (!isGroup(content.agents)) return { value: top.rest, misplaced: top.taken };
  const agents = Object.entries(content.agents).map(([name, agent]) => {
    const own = isGroup(agent) ? omit(agent, PERSON_AGENT_KEYS) : { rest: agent, taken: [] };
    return { name, rest: own.rest, taken: own.taken.map((key) => `agents.${name}.${key}`) };
  });
  return {
    value: { ...top.rest, agents: Object.fromEntries(agents.map(({ name, rest }) => [name, rest])) },
    misplaced: [...top.taken, ...agents.flatMap(({ taken }) => taken)],
  };
}

type Group = Readonly<Record<string, unknown>>;

function isGroup(value: unknown): value is Group {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function omit(group: Group, keys: readonly string[]): { readonly rest: Group; readonly taken: string[] } {
  const entries = Object.entries(group);
  return {
    rest: Object.fromEntries(entries.filter(([key]) => !keys.includes(key))),
    taken: entries.map(([key]) => key).filter((key) => keys.includes(key)),
  };
}

/** The stronger of both. A repository may only tighten the person's setting. */
export function strongerSandbox(person: Sandbox, project: Sandbox | undefined): Sandbox {
  return project !== undefined && isWeaker(person, project) ? project : person;
}

function isWeaker(one: Sandbox, other: Sandbox): boolean {
  return SANDBOX_LEVELS.indexOf(one) < SANDBOX_LEVELS.indexOf(other);
}

/** Agents of both files by name. The person's own keys exist only in the person's file. For `kind`, that file wins. */
export function joinAgents(
  project: Config['agents'],
  person: PersonConfig['agents'],
): Record<string, AgentSettings> {
  const names = [...new Set([...Object.keys(project), ...Object.keys(person)])];
  return Object.fromEntries(
    names.map((name) => [name, AgentSettings.parse({ ...project[name], ...set(person[name]) })]),
  );
}

/** Without undefined values. */
function set(agent: PersonAgent | undefined): Partial<PersonAgent> {
  return Object.fromEntries(Object.entries(agent ?? {}).filter(([, value]) => value !== undefined));
}

interface Ignored {
  readonly misplaced: readonly string[];
  readonly sandbox: Sandbox | undefined;
  readonly person: Sandbox;
  /** The path of the person's file as they would type it. */
  readonly file: string;
}

/** One warning for each ignored setting of `baton.yaml`, with the file it belongs in. */
export function ignoredSettings({ misplaced, sandbox, person, file }: Ignored): Msg[] {
  const belongs = { file: 'baton.yaml', belongs: file };
  const weaker = sandbox !== undefined && isWeaker(sandbox, person);
  return [
    ...(weaker ? [{ msg: 'engine.settings.weaker', args: { ...belongs, value: sandbox, person } }] : []),
    ...misplaced.map((key) => ({ msg: 'engine.settings.misplaced', args: { ...belongs, key } })),
  ];
}
