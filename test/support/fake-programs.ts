import path from 'node:path';
import type { Setup } from '../../src/adapters/agent-process/kind.ts';
import { AgentSettings } from '../../src/contract/agent-settings.ts';

/** A kind driven with a small program of ours that speaks its format; the scenarios stand in the programs. */
export function fakeSetup(program: string, scenario: string, more: Partial<AgentSettings> = {}): Setup {
  const file = path.join(import.meta.dirname, 'fake-programs', `${program}.mjs`);
  const command = [process.execPath, file, scenario];
  return {
    name: program,
    settings: { ...AgentSettings.parse({ command }), ...more },
    env: process.env,
    worker: (name) => [process.execPath, path.resolve(`src/adapters/agent-${name}/worker.ts`)],
  };
}
