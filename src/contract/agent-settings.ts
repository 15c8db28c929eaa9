import * as z from 'zod';

/** The agents Baton knows how to drive. `acp` and `command` drive any program that is named. */
export const AGENT_KINDS = ['claude', 'codex', 'gemini', 'opencode', 'acp', 'command', 'pull'] as const;
export type AgentKindName = (typeof AGENT_KINDS)[number];

const word = z.string().trim().min(1).max(1000);
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/** One entry of `agents:` in baton.yaml. */
export const AgentSettings = z.strictObject({
  /** How it is driven; an entry named like a kind is of that kind. */
  kind: z.enum(AGENT_KINDS).optional(),
  /** Program and arguments, instead of the kind's own. */
  command: z.array(word).min(1).max(50).optional(),
  /** The program's own names for the three tiers. */
  models: z
    .strictObject({ opus: word.optional(), sonnet: word.optional(), haiku: word.optional() })
    .default({}),
  /** Environment variables it may see beside those its kind needs. */
  env: z.array(variable).max(50).default([]),
  /** Where a plain command gets its task. */
  prompt: z.enum(['stdin', 'argument']).default('stdin'),
  /** Calls of this agent at the same time, over all runs and processes of the repository. */
  at_once: z.int().min(1).max(100).default(4),
  /** Without a sign of life for this long a worker counts as stuck. */
  stall_minutes: z.number().positive().max(1440).default(5),
});
export type AgentSettings = z.infer<typeof AgentSettings>;

/** Who plays a role: a named agent or skill of the program (`as`), another agent, another model. */
export const RoleSettings = z.strictObject({
  as: word.max(200).optional(),
  agent: z.string().optional(),
  model: word.max(200).optional(),
});
export type RoleSettings = z.infer<typeof RoleSettings>;
