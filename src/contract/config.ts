import * as z from 'zod';
import { AgentSettings, RoleSettings } from './agent-settings.ts';

const limit = z.number().positive().nullable();

const line = z.string().trim().min(1).max(1000);

/** A command line for the shell; null: there is no such check; left out: found by looking at the project. */
const command = line.nullable().optional();

/** How long one command may take. */
const timeout_minutes = z.number().positive().max(1440).default(15);

/** Commands that win over the detector, and how long one of them may take. */
export const ChecksConfig = z.strictObject({
  build: command,
  test: command,
  lint: command,
  type_check: command,
  /** Run once in a new work tree, before anything is checked. */
  install: command,
  timeout_minutes,
});
export type ChecksConfig = z.infer<typeof ChecksConfig>;

/** Where a ticket's change goes when it is released, and the commands that tell and do it. */
export const ReleaseConfig = z.strictObject({
  /** Name of a remote of the repository. */
  remote: z
    .string()
    .regex(/^[^-\s:][^\s:]*$/, 'must be the name of a remote')
    .max(200)
    .default('origin'),
  /** Branch of the remote that is merged into; null: the one the remote itself calls its first. */
  branch: z.string().trim().min(1).max(200).nullable().default(null),
  /** Tells of a pull request's checks: exit 0 passed, 1 failed, 2 not reported yet, else they cannot be read. */
  checks: line.nullable().default(null),
  deploy: line.nullable().default(null),
  /** Tells after a crash whether a deploy happened: exit 0 yes, 1 no, else nobody knows. */
  deployed: line.nullable().default(null),
  /** Looks at what was deployed: exit 0 all is well. */
  observe: line.nullable().default(null),
  /** Tells whether somebody approved a bot's pull request: exit 0 yes, 1 no; its lines name who. */
  approved: line.nullable().default(null),
  /** Pull requests are opened under the name of a bot and need an approving review. */
  bot: z.boolean().default(false),
  timeout_minutes,
});
export type ReleaseConfig = z.infer<typeof ReleaseConfig>;

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
  /** Begins the ids of tickets: `B-12`. */
  ticket_key: z
    .string()
    .regex(/^[A-Z][A-Z0-9]{0,9}$/, 'must be capital letters and digits, at most 10, a letter first')
    .default('B'),
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
  release: ReleaseConfig.prefault({}),
  /** How many workers and checks of this repository may run at the same time, over all runs and processes. */
  at_once: z.int().min(1).max(100).default(8),
  /** Minutes a drive keeps its mode at a gate that nobody attends. */
  watch_minutes: z.number().positive().max(1440).default(10),
  /** Days the tree of an ended run is kept after its last use. */
  keep_trees_days: z.number().min(0).max(3650).default(14),
  /** How tickets are conducted. */
  conduct: z
    .strictObject({
      /** A person may acknowledge a class of risk for a ticket: the same evidence does not pause it again. */
      acknowledge: z.boolean().default(false),
      /** The judge of `--escalate` looks at every brief; its verdict is only kept beside the person's answer. */
      shadow_judge: z.boolean().default(false),
      /** What the project calls its shared core: names of modules, and globs of their paths. */
      shared_core: z
        .strictObject({
          modules: z.array(z.string().trim().min(1).max(100)).max(50).default([]),
          globs: z.array(z.string().trim().min(1).max(300)).max(50).default([]),
        })
        .prefault({}),
    })
    .prefault({}),
  /** Who plays a role: a named agent or skill of the program, or an agent and model of its own. */
  roles: z
    .record(
      z.string().regex(/^[a-z_]+$/, 'must be the name of a role: lower case letters and underscores'),
      z.union([z.string().trim().min(1).max(200), RoleSettings]),
    )
    .default({}),
});
export type Config = z.infer<typeof Config>;
