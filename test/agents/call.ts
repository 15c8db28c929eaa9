import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { openAgent } from '../../src/adapters/agents.ts';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import { createDeps } from '../../src/compose.ts';
import { renderPrompt } from '../../src/engine/prompt.ts';
import type { Profile } from '../../src/engine/workflow.ts';
import type { AgentCall, AgentEvent, Ended } from '../../src/ports/agent.ts';
import { deliverRoles } from '../../src/workflows/deliver/roles.ts';
import { templateOf } from '../support/texts.ts';
import type { Ground } from './ground.ts';

export interface Called {
  readonly events: readonly AgentEvent[];
  readonly end: Ended;
}

/** One call of the real agent in a role of deliver, without the runtime around it. */
export async function callAgent(
  ground: Ground,
  {
    role,
    profile,
    onEvent,
    signal,
  }: {
    role: keyof typeof deliverRoles;
    profile: Profile;
    onEvent?: (event: AgentEvent) => void;
    signal?: AbortSignal;
  },
): Promise<Called> {
  const { subject, root, state, env } = ground;
  process.env.XDG_CONFIG_HOME = env.XDG_CONFIG_HOME;
  const deps = await createDeps({ root, home: state });
  try {
    const policy = await deps.policy();
    const worker = (kind: 'acp' | 'command') => [
      process.execPath,
      path.resolve(`src/adapters/agent-${kind}/worker.ts`),
    ];
    const agent = await openAgent(subject.agent, policy, {
      processes: createProcesses(),
      root,
      home: state,
      now: deps.clock.now,
      env,
      worker,
    });
    const events: AgentEvent[] = [];
    for await (const event of agent.run(
      callOf(ground, role, profile),
      signal ?? new AbortController().signal,
    )) {
      events.push(event);
      onEvent?.(event);
    }
    return { events, end: events.at(-1) as Ended };
  } finally {
    await deps.store.close();
  }
}

function callOf({ root, state }: Ground, role: keyof typeof deliverRoles, profile: Profile): AgentCall {
  const dir = path.join(state, 'calls', 'one');
  mkdirSync(dir, { recursive: true });
  const result_file = path.join(dir, 'out', 'result.json');
  const template = templateOf(deliverRoles[role]);
  return {
    key: `de-${path.basename(path.dirname(root)).slice(-6)}/1/0.1`,
    workflow: 'deliver',
    role,
    bound: null,
    nth: 1,
    attempt: 1,
    prompt: renderPrompt({ template, slots: [], nonce: 'n', schema: '{"type":"object"}', result_file }),
    cwd: root,
    tier: 'inherit',
    model: null,
    profile,
    deadline_ms: 60_000,
    money_left_usd: null,
    schema: { type: 'object' },
    result_file,
    dir,
    lang: 'en',
    slots: {},
  };
}
