import type { Msg } from '../../contract/brief.ts';
import type en from '../../messages/en/approve.json';

export function say(msg: keyof typeof en, args: Readonly<Record<string, string | number>> = {}): Msg {
  return { msg, args };
}
