import type { Msg } from '../../contract/brief.ts';
import type en from '../../messages/en/common.json';

export function say(msg: keyof typeof en, args?: Msg['args']): Msg {
  return args ? { msg, args } : { msg };
}
