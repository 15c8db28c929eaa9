import { join } from 'node:path';
import { acpKind } from '../../src/adapters/agent-acp/kind.ts';
import { claudeKind } from '../../src/adapters/agent-claude/kind.ts';
import { codexKind } from '../../src/adapters/agent-codex/kind.ts';
import { commandKind } from '../../src/adapters/agent-command/kind.ts';
import { geminiKind } from '../../src/adapters/agent-gemini/kind.ts';
import { opencodeKind } from '../../src/adapters/agent-opencode/kind.ts';
import { createProcessAgent } from '../../src/adapters/agent-process/agent.ts';
import type { AgentKind } from '../../src/adapters/agent-process/kind.ts';
import { createRehearsalAgent } from '../../src/adapters/agent-rehearsal/agent.ts';
import type { ScoreEntry } from '../../src/adapters/agent-rehearsal/score-schema.ts';
import { fakeSetup } from '../support/fake-programs.ts';
import { agentConformance, type Scenario } from './agent.ts';

const WORKER = join(import.meta.dirname, '../../src/adapters/agent-rehearsal/worker.ts');

const entries: Readonly<Record<Scenario, ScoreEntry>> = {
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
    score: { score: 1, language: 'en', offers: [], roles: { implementation: [entries[scenario]] } },
    env: process.env,
  }),
);

/** The kinds, each with a small program that speaks its format. */
const KINDS: Readonly<Record<string, AgentKind>> = {
  claude: claudeKind,
  codex: codexKind,
  gemini: geminiKind,
  opencode: opencodeKind,
  acp: acpKind,
  plain: commandKind,
};

for (const [name, kind] of Object.entries(KINDS))
  agentConformance(name, (scenario, processes) =>
    createProcessAgent(
      { processes, stall_ms: Number.POSITIVE_INFINITY, contain: null },
      kind.program(
        fakeSetup(name, scenario, scenario === 'missing' ? { command: ['no-such-program-anywhere'] } : {}),
      ),
    ),
  );
