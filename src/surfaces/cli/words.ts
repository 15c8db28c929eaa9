import type { Msg } from '../../contract/brief.ts';
import { type SpokenLang, spokenLang } from '../../contract/lang.ts';
import type en from '../../messages/en/cli.json';

/** The id of a text of the command line itself. */
export type CliMessageId = keyof typeof en;

type WithPrefix<P extends string> = CliMessageId extends infer Id
  ? Id extends `${P}${infer Rest}`
    ? Rest
    : never
  : never;

/** The id of a text of `--help`, without `cli.help.`. */
export type HelpId = WithPrefix<'cli.help.'>;

/** Says a text of the command line in one language. Arguments are shown unchanged. */
export type Words = (id: CliMessageId, args?: Msg['args']) => string;

/** A run's screens are in the run's language. If Baton has no texts in that language, they are in English. */
export type WordsFor = (lang: string) => Words;

type Env = Readonly<Partial<Record<'LC_ALL' | 'LC_MESSAGES' | 'LANG', string>>>;

/** Listings and errors about no particular run follow the environment. */
export function envLang(env: Env): SpokenLang {
  const set = env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  return spokenLang(set.toLowerCase().split(/[_.@-]/)[0] ?? '');
}
