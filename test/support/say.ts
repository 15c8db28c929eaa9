import { createTerminal, type TerminalOptions } from './fake-terminal.ts';
import type { Lab } from './lab.ts';

/** Runs one command on the lab's store and gives what it said. */
export async function say(lab: Lab, options: TerminalOptions, ...argv: string[]) {
  const terminal = createTerminal({ ...options, api: { ...lab.api, close: async () => undefined } });
  const exit = await terminal.run(...argv);
  return { exit, out: terminal.out(), err: terminal.err().replace(/\s+/g, ' ') };
}
