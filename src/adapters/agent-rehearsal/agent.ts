import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Capabilities } from '../../contract/agent-found.ts';
import type { Agent, AgentCall } from '../../ports/agent.ts';
import type { Processes } from '../../ports/processes.ts';
import { createProcessAgent } from '../agent-process/agent.ts';
import type { RoomOf } from '../agent-process/agent-room.ts';
import { baseEnvironment } from '../agent-process/command-line.ts';
import { ended, type Program } from '../agent-process/program.ts';
import { createRecordReader } from '../agent-process/record.ts';
import { builtinAttempt } from './builtin.ts';
import { chooseAttempt, createPart } from './choose-part.ts';
import type { Script } from './script-schema.ts';

/** What the rehearsal agent needs from the rest of the program. */
export interface RehearsalDeps {
  readonly processes: Processes;
  /** Program and arguments that start the worker. The path of its part file is added: `[node, worker.ts]`. */
  readonly argv: readonly string[];
  /** Null plays the built-in script. */
  readonly script: Script | null;
  /** Our own environment. A worker gets the allowed part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The sandbox of its workers; absent: no sandbox. */
  readonly room?: RoomOf;
}

export const REHEARSAL_CAN: Capabilities = {
  resume: false,
  cost: true,
  tokens: true,
  schema: true,
  cancel: 'terminate',
  permission_requests: false,
  read_only: true,
};

/**
 * The scripted agent: a real process that plays one entry of a script. It does not call a model, so every text is known
 * beforehand. If no entry, no `else` and no built-in part covers a call, the call ends `failed` and no process starts.
 */
export function createRehearsalAgent({ processes, argv, script, env, room }: RehearsalDeps): Agent {
  const program: Program = {
    name: 'rehearsal',
    rehearsal: true,
    capabilities: REHEARSAL_CAN,
    offers: script?.offers ?? [],
    async start(call) {
      const attempt = (script && chooseAttempt(script, call)) ?? builtinAttempt(call);
      if (!attempt) return ended('failed', notListed(call));
      const part = join(call.dir, 'part.json');
      await writeFile(part, JSON.stringify(createPart(attempt, call)));
      return { argv: [...argv, part], env: baseEnvironment(env), stdin: call.prompt };
    },
    reader: createRecordReader,
  };
  return createProcessAgent({ processes, stall_ms: Infinity, room: room ?? (() => null) }, program);
}

function notListed({ role, nth, attempt }: AgentCall): string {
  return `the script has nothing for role ${role}, call ${nth}, attempt ${attempt}, and no else`;
}
