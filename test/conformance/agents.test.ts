import { join } from 'node:path';
import { acp } from '../../src/adapters/agent-acp/kind.ts';
import { claude } from '../../src/adapters/agent-claude/kind.ts';
import { codex } from '../../src/adapters/agent-codex/kind.ts';
import { command } from '../../src/adapters/agent-command/kind.ts';
import { gemini } from '../../src/adapters/agent-gemini/kind.ts';
import { opencode } from '../../src/adapters/agent-opencode/kind.ts';
import { createProcessAgent } from '../../src/adapters/agent-process/agent.ts';
import { type AgentKind, programOf } from '../../src/adapters/agent-process/kind.ts';
import { createRehearsalAgent } from '../../src/adapters/agent-rehearsal/agent.ts';
import type { ScriptEntry } from '../../src/adapters/agent-rehearsal/script-schema.ts';
import { fakeSetup } from '../support/fake-programs.ts';
import { agentConformance, type Scenario } from './agent.ts';

const WORKER = join(import.meta.dirname, '../../src/adapters/agent-rehearsal/worker.ts');

const entries: Readonly<Record<Scenario, ScriptEntry>> = {
  answers: { line: 'working', result: { ok: true } },
  hangs: { line: 'working', leaves_process: 'sleep 600', hang: true },
  leaves_process: { leaves_process: 'sleep 600', result: { ok: true } },
  fails: { exit: 3 },
  missing: { result: { ok: true } },
};

agentConformance('rehearsal', (scenario, processes) =>
  createRehearsalAgent({
    processes,
    argv: scenario === 'missing' ? ['no-such-program-anywhere'] : [process.execPath, WORKER],
    script: { script: 1, language: 'en', offers: [], roles: { implementation: [entries[scenario]] } },
    env: process.env,
  }),
);

/** Small programs that speak as the real ones do; the real ones are run by `test:agents`. */
const KINDS: Readonly<Record<string, AgentKind>> = { claude, codex, gemini, opencode, acp, command };

for (const [name, kind] of Object.entries(KINDS))
  agentConformance(name, (scenario, processes) => {
    const setup = fakeSetup(
      name,
      scenario,
      scenario === 'missing' ? { command: ['no-such-program-anywhere'] } : {},
    );
    return createProcessAgent({ processes, stall_ms: 60_000, room: () => null }, programOf(kind, setup));
  });
