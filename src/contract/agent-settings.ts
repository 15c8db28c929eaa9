import * as z from 'zod';

/** The agents Baton can drive. `acp` and `command` drive any named program. */
export const AGENT_KINDS = ['claude', 'codex', 'gemini', 'opencode', 'acp', 'command', 'pull'] as const;
export type AgentKindName = (typeof AGENT_KINDS)[number];

export const agentName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be lower case letters, digits and hyphens');

const word = z.string().trim().min(1).max(1000);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/** A path on this machine: absolute, or below the person's home. */
export const machinePath = z
  .string()
  .trim()
  .max(1000)
  .regex(/^(\/|~\/)./, 'must be an absolute path or begin with ~/');

/** The kind of the agent. An entry named like a kind has that kind. */
const kind = z.enum(AGENT_KINDS).optional();

/** One entry of `agents:` in baton.yaml. It cannot start a program or pass on a variable. */
export const ProjectAgent = z.strictObject({
  kind,
  /** The program's own names for the three tiers. */
  models: z
    .strictObject({ opus: word.optional(), sonnet: word.optional(), haiku: word.optional() })
    .default({}),
  /** How a plain command receives its task. */
  prompt: z.enum(['stdin', 'argument']).default('stdin'),
  /** The most concurrent calls of this agent, over all runs and processes of the repository. */
  at_once: z.int().min(1).max(100).default(4),
  /** A worker without a heartbeat for this long counts as stuck. */
  stall_minutes: z.number().positive().max(1440).default(5),
});

/** One entry of `agents:` in the person's settings. */
export const PersonAgent = z.strictObject({
  kind,
  /** Program and arguments. Replaces those of the kind. */
  command: z.array(word).min(1).max(50).optional(),
  /** Environment variables it may see, in addition to those its kind needs. */
  env: z.array(variable).max(50).default([]),
  /** Folders it may write in a sandbox, in addition to those Baton knows. Missing folders are created. */
  folders: z.array(machinePath).max(50).optional(),
});
export type PersonAgent = z.infer<typeof PersonAgent>;

/** Project and person settings joined. A run stores this for each agent. */
export const AgentSettings = z.strictObject({ ...ProjectAgent.shape, ...PersonAgent.shape });
export type AgentSettings = z.infer<typeof AgentSettings>;

/** The worker for a role: a named agent or skill of the program (`as`), another agent or another model. */
export const RoleSettings = z.strictObject({
  as: word.max(200).optional(),
  agent: z.string().optional(),
  model: word.max(200).optional(),
});
export type RoleSettings = z.infer<typeof RoleSettings>;
