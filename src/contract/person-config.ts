import * as z from 'zod';
import { agentName, machinePath, PersonAgent } from './agent-settings.ts';

/** From weak to strong. `auto`: sandboxed if the machine supports it. */
export const SANDBOX_LEVELS = ['off', 'auto', 'required'] as const;
export const Sandbox = z.enum(['auto', 'off', 'required']);
export type Sandbox = z.infer<typeof Sandbox>;

/** Confirms an answer without other proof: the password of `sudo`, or a signature with an `ssh-keygen` key. */
const StrongProof = z.union([z.literal('sudo'), z.strictObject({ security_key: machinePath })]);
export type StrongProof = z.infer<typeof StrongProof>;

/**
 * The person's own settings, for all their repositories: everything that decides which program runs and what it may
 * see. Other people write a repository, so its `baton.yaml` may not set these. Strict, like `baton.yaml`.
 */
export const PersonConfig = z.strictObject({
  /** Whether workers and checks are confined to their tree. */
  sandbox: Sandbox.default('auto'),
  /** Extra paths that workers and checks may read in the sandbox, such as `~/.npmrc`. */
  sandbox_show: z.array(machinePath).max(100).default([]),
  /** `checks`: checks have network access in the sandbox. Agents always have it. */
  sandbox_network: z.enum(['checks']).optional(),
  /** Required if workers were not sandboxed and the terminal is younger than the work. */
  proof: StrongProof.optional(),
  /** Settings per agent, and the person's own agents. */
  agents: z.record(agentName, PersonAgent).default({}),
});
export type PersonConfig = z.infer<typeof PersonConfig>;

/** Keys allowed only in the person's settings: at the top level, and for each agent. */
export const PERSON_KEYS = ['sandbox_show', 'sandbox_network', 'proof'] as const;
export const PERSON_AGENT_KEYS = ['command', 'env', 'folders'] as const;
