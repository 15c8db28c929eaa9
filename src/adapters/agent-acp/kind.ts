import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { commandOf, environmentOf, modelOf } from '../agent-process/command-line.ts';
import { NETWORK } from '../agent-process/environment.ts';
import type { AgentKind } from '../agent-process/kind.ts';
import { createRecordReader } from '../agent-process/record.ts';
import type { Part } from './part.ts';

/**
 * For the one that is mostly driven so, Claude Code; to the others they say nothing. It asks a full provider ten times
 * and says nothing meanwhile, and its shells go on in the background.
 */
const QUIET = { CLAUDE_CODE_MAX_RETRIES: '2', CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' };

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
  folders: () => [],
  // Those of the agents that are mostly driven so; which one it is cannot be told.
  others: (_, home) =>
    ['.claude', '.claude.json', '.codex', '.gemini', '.config/opencode', '.local/share/opencode'].map(
      (name) => path.join(home, name),
    ),
  models: {},
  signedIn: () => null,
  start: async (setup, call, session) => {
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
      argv: [...setup.worker('acp'), file],
      env: { ...QUIET, ...environmentOf(acp, setup) },
      stdin: call.prompt,
    };
  },
  reader: createRecordReader,
};
