import type { Msg } from '../../contract/brief.ts';
import type en from '../../messages/en/spec.json';

export type SpecMessageId = keyof typeof en;

export function say(msg: SpecMessageId, args?: Msg['args']): Msg {
  return args ? { msg, args } : { msg };
}
