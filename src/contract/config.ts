import * as z from 'zod';
import { agentName, ProjectAgent, RoleSettings } from './agent-settings.ts';
import { LANGUAGES } from './lang.ts';
import { Sandbox } from './person-config.ts';

const limit = z.number().positive().nullable();

const line = z.string().trim().min(1).max(1000);

/** A command line for the shell. Null: this check does not exist. Omitted: Baton detects it from the project. */
const command = line.nullable().optional();

/** Time limit of one command. */
const timeout_minutes = z.number().positive().max(1440).default(15);

/** Commands that override the detector, and the time limit of each. */
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

/** Where a ticket's change is released to, and the commands that check and do it. */
export const ReleaseConfig = z.strictObject({
  /** Name of a remote in the repository. */
  remote: z
    .string()
    .regex(/^[^-\s:][^\s:]*$/, 'must be the name of a remote')
    .max(200)
    .default('origin'),
  /** Branch of the remote that receives the merge. Null: the default branch of the remote. */
  branch: z.string().trim().min(1).max(200).nullable().default(null),
  /** Checks a pull request's checks. Exit 0: passed. 1: failed. 2: not reported yet. Other: not readable. */
  checks: line.nullable().default(null),
  deploy: line.nullable().default(null),
  /** After a crash, checks whether a deploy happened. Exit 0: yes. 1: no. Other: unknown. */
  deployed: line.nullable().default(null),
  /** Checks what was deployed. Exit 0: no problem. */
  observe: line.nullable().default(null),
  /** Checks whether someone approved a bot's pull request. Exit 0: yes. 1: no. Its output lines name who. */
  approved: line.nullable().default(null),
  /** A bot account opens the pull requests, and they need an approving review. */
  bot: z.boolean().default(false),
  timeout_minutes,
});
export type ReleaseConfig = z.infer<typeof ReleaseConfig>;

/** `baton.yaml`. It is strict, so that a misspelt key is an error and not a silent default. */
export const Config = z.strictObject({
  /** Used in the names of documents, branches and labels. */
  namespace: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be lower case letters, digits and hyphens')
    .default('baton'),
  /** The agent that works: `rehearsal`, a kind of agent, or an entry of `agents`. */
  agent: agentName.default('rehearsal'),
  /** Settings per agent. Settings that start a program or pass on a variable are in the person's settings. */
  agents: z.record(agentName, ProjectAgent).default({}),
  /** The minimum. The person's settings have the rest. A weaker value here is ignored. */
  sandbox: Sandbox.optional(),
  /** Prefix of ticket ids: `B-12`. */
  ticket_key: z
    .string()
    .regex(/^[A-Z][A-Z0-9]{0,9}$/, 'must be capital letters and digits, at most 10, a letter first')
    .default('B'),
  /** Overrides the language of the task. */
  language: z.enum(LANGUAGES).optional(),
  budget: z
    .strictObject({
      money_usd: limit.default(5),
      tokens: limit.default(null),
      worker_minutes: limit.default(60),
      attempts: limit.default(null),
      /** Limits of one worker call, for all its attempts together. */
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
  /** Maximum number of concurrent workers and checks of this repository, over all runs and processes. */
  at_once: z.int().min(1).max(100).default(8),
  /** Minutes a drive keeps its mode at an unattended gate. */
  attend_minutes: z.number().positive().max(1440).default(10),
  /** Days until the tree of an ended run is removed, counted from its last use. */
  keep_trees_days: z.number().min(0).max(3650).default(14),
  /** Settings of tickets. */
  conduct: z
    .strictObject({
      /** A person may acknowledge a class of risk for a ticket. The same evidence does not pause the ticket again. */
      acknowledge: z.boolean().default(false),
      /** The judge of `--escalate` reads every brief. Its verdict is only stored beside the person's answer. */
      shadow_judge: z.boolean().default(false),
      /** The project's shared core: module names, and globs of their paths. */
      shared_core: z
        .strictObject({
          modules: z.array(z.string().trim().min(1).max(100)).max(50).default([]),
          globs: z.array(z.string().trim().min(1).max(300)).max(50).default([]),
        })
        .prefault({}),
    })
    .prefault({}),
  /** The worker for each role: a named agent or skill of the program, or a separate agent and model. */
  roles: z
    .record(
      z.string().regex(/^[a-z_]+$/, 'must be the name of a role: lower case letters and underscores'),
      z.union([z.string().trim().min(1).max(200), RoleSettings]),
    )
    .default({}),
});
export type Config = z.infer<typeof Config>;
