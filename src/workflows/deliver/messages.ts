import type { Msg } from '../../contract/brief.ts';
import type en from '../../messages/en/deliver.json';

export type DeliverMessageId = keyof typeof en;

export function say(msg: DeliverMessageId, args?: Msg['args']): Msg {
  return args ? { msg, args } : { msg };
}
