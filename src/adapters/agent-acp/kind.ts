import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { environmentOf, modelOf } from '../agent-process/command-line.ts';
import { NETWORK } from '../agent-process/environment.ts';
import type { AgentKind, Setup } from '../agent-process/kind.ts';
import { ended, type Program } from '../agent-process/program.ts';
import { recordReader } from '../agent-process/record.ts';
import type { Part } from './part.ts';

/** Any agent that speaks the Agent Client Protocol on its stdin and stdout. */
export const acpKind: AgentKind = {
  title: 'Any ACP agent',
  capabilities: {
    resume: true,
    cost: true,
    tokens: true,
    schema: false,
    cancel: 'protocol',
    permission_requests: true,
    read_only: true,
  },
  command: null,
  version: ['--version'],
  env: NETWORK,
  models: {},
  signedIn: () => null,
  program,
};

function program(setup: Setup): Program {
  const { name, settings, worker } = setup;
  return {
    name,
    rehearsal: false,
    capabilities: acpKind.capabilities,
    start: async (call, session) => {
      const { command } = settings;
      if (!command) return ended('failed', `agents.${name} in baton.yaml names no command`);
      const part: Part = {
        argv: command,
        cwd: call.cwd,
        profile: call.profile.kind,
        result_file: call.result_file,
        model: modelOf(acpKind, setup, call),
        session,
      };
      const file = path.join(call.dir, 'part.json');
      await writeFile(file, JSON.stringify(part));
      return {
        argv: [...worker('acp'), file],
        env: environmentOf(acpKind, setup),
        stdin: call.prompt,
      };
    },
    reader: () => recordReader,
  };
}
