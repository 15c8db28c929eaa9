import * as z from 'zod';
import { AgentSettings, RoleSettings } from './agent-settings.ts';

const limit = z.number().positive().nullable();

/** A command line for the shell; null: there is no such check; left out: found by looking at the project. */
const command = z.string().trim().min(1).max(1000).nullable().optional();

/** Commands that win over the detector, and how long one of them may take. */
export const ChecksConfig = z.strictObject({
  build: command,
  test: command,
  lint: command,
  type_check: command,
  /** Run once in a new work tree, before anything is checked. */
  install: command,
  timeout_minutes: z.number().positive().max(1440).default(15),
});
export type ChecksConfig = z.infer<typeof ChecksConfig>;

const agentName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be lower case letters, digits and hyphens');

/** `baton.yaml`: strict, so that a misspelt key is an error and not a silent default. */
export const Config = z.strictObject({
  /** Names documents, branches and labels. */
  namespace: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be lower case letters, digits and hyphens')
    .default('baton'),
  /** Who does the work: `rehearsal`, a kind of agent, or an entry of `agents`. */
  agent: agentName.default('rehearsal'),
  /** Settings per agent, and agents of the person's own. */
  agents: z.record(agentName, AgentSettings).default({}),
  /** Whether workers are locked into their tree: `auto` where the machine can do it. */
  sandbox: z.enum(['auto', 'off', 'required']).default('auto'),
  /** Wins over the language of the task. */
  language: z.enum(['en', 'ko', 'ja', 'zh', 'es', 'de']).optional(),
  budget: z
    .strictObject({
      money_usd: limit.default(5),
      tokens: limit.default(null),
      worker_minutes: limit.default(60),
      attempts: limit.default(null),
      /** Limits of one call of a worker, all its attempts together. */
      per_call: z
        .strictObject({
          money_usd: limit.default(null),
          tokens: limit.default(null),
          worker_minutes: limit.default(null),
        })
        .optional(),
    })
    .prefault({}),
  checks: ChecksConfig.prefault({}),
  /** How many workers and checks of this repository may run at the same time, over all runs and processes. */
  at_once: z.int().min(1).max(100).default(8),
  /** Days the tree of an ended run is kept after its last use. */
  keep_trees_days: z.number().min(0).max(3650).default(14),
  /** Who plays a role: a named agent or skill of the program, or an agent and model of its own. */
  roles: z
    .record(z.string().regex(/^[a-z_]+$/), z.union([z.string().trim().min(1).max(200), RoleSettings]))
    .default({}),
});
export type Config = z.infer<typeof Config>;
