import type { Msg } from '../contract/brief.ts';
import type en from '../messages/en/engine.json';

export type EngineMessageId = keyof typeof en;

/** A warning about a change that several workflows show: `deliver` at the commit gate, `conduct` at the release. */
export function warn(
  msg: Extract<EngineMessageId, `engine.warn.${string}`>,
  args: Readonly<Record<string, string | number>> = {},
): Msg {
  return { msg, args };
}
