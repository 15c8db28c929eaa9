import { join } from 'node:path';
import { createRehearsalAgent } from '../../src/adapters/agent-rehearsal/agent.ts';
import type { ScoreEntry } from '../../src/adapters/agent-rehearsal/score-schema.ts';
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
