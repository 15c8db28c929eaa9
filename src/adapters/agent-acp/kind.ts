import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { commandOf, environmentOf, modelOf } from '../agent-process/command-line.ts';
import { NETWORK } from '../agent-process/environment.ts';
import type { AgentKind, Setup } from '../agent-process/kind.ts';
import type { Program } from '../agent-process/program.ts';
import { recordReader } from '../agent-process/record.ts';
import type { Part } from './part.ts';

/** Any agent that speaks the Agent Client Protocol on its stdin and stdout. */
export const acp: AgentKind = {
  title: 'Any ACP agent',
  capabilities: {
    resume: true,
    cost: true,
    tokens: true,
    schema: false,
    cancel: 'protocol',
    permission_requests: true,
    // Whether it asks before it writes is the agent's affair.
    read_only: false,
  },
  command: null,
  // A program nobody knows is not started to ask it for its version.
  version: [],
  env: NETWORK,
  // Those of the agents that are mostly driven so; which one it is cannot be told.
  folders: ['.claude', '.claude.json', '.codex', '.gemini', '.config/opencode', '.local/share/opencode'],
  models: {},
  signedIn: () => null,
  program,
};

function program(setup: Setup): Program {
  const { name, worker } = setup;
  return {
    name,
    rehearsal: false,
    capabilities: acp.capabilities,
    start: async (call, session) => {
      const part: Part = {
        argv: commandOf(acp, setup),
        cwd: call.cwd,
        profile: call.profile.kind,
        result_file: call.result_file,
        model: modelOf(acp, setup, call),
        session,
      };
      const file = path.join(call.dir, 'part.json');
      await writeFile(file, JSON.stringify(part));
      return {
        argv: [...worker('acp'), file],
        env: environmentOf(acp, setup),
        stdin: call.prompt,
      };
    },
    reader: () => recordReader,
  };
}
