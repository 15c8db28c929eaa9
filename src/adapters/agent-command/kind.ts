import { commandOf, environmentOf } from '../agent-process/command-line.ts';
import type { AgentKind } from '../agent-process/kind.ts';
import { ended } from '../agent-process/program.ts';
import { ANY_PROGRAM, workerLine } from '../agent-process/record.ts';

/** Input of the worker of a plain command. */
export interface Part {
  readonly argv: readonly string[];
  readonly prompt: 'stdin' | 'argument';
}

/** Linux does not accept a single argument of 128 KiB or more. */
const LONGEST_ARGUMENT = 128 * 1024 - 1;

/**
 * Any program. It gets its task on stdin or as its last argument. It writes its result to the file in BATON_RESULT_FILE
 * and its text to stdout.
 */
export const command: AgentKind = {
  title: 'Any command',
  capabilities: {
    resume: false,
    cost: false,
    tokens: false,
    schema: false,
    cancel: 'interrupt',
    permission_requests: false,
    read_only: false,
  },
  ...ANY_PROGRAM,
  start: async (setup, call) => {
    const { prompt } = setup.settings;
    const bytes = Buffer.byteLength(call.prompt);
    if (prompt === 'argument' && bytes > LONGEST_ARGUMENT)
      return ended('failed', `the task has ${bytes} bytes, too many for an argument; set prompt: stdin`);
    const argv = [...commandOf(command, setup), ...(prompt === 'argument' ? [call.prompt] : [])];
    const part: Part = { argv, prompt };
    const env = environmentOf(command, setup, { BATON_RESULT_FILE: call.result_file });
    return await workerLine(setup.worker('command'), call, part, env);
  },
};
