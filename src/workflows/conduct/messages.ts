import type { Msg } from '../../contract/brief.ts';
import type en from '../../messages/en/conduct.json';

export type ConductMessageId = keyof typeof en;

export function say(msg: ConductMessageId, args?: Msg['args']): Msg {
  return args ? { msg, args } : { msg };
}
