import { createTerminal, type FakeTerminal } from './fake-terminal.ts';
import { createScriptedApi, type Script } from './scripted-api.ts';

export const ENTER = '\r';
export const CTRL_C = '\u0003';

/** A person at a terminal, before an API that plays a script. */
export function sit(script: Script = {}, env = { TERM: 'xterm', NO_COLOR: '1' }) {
  const api = createScriptedApi(script);
  return { api, terminal: createTerminal({ api, tty: true, env }) };
}

/** Types once the prompt that follows `after` is on the screen. */
export async function reply(terminal: FakeTerminal, after: string, typed: string): Promise<void> {
  await terminal.until(after);
  await terminal.until('› ');
  terminal.type(typed);
}
