import IntlMessageFormat from 'intl-messageformat';
import { cleanText, cleanValue } from '../engine/clean-text.ts';
import { InvariantError } from '../engine/errors.ts';
import { type Catalogue, engineMessages } from '../engine/messages.ts';
import type { Translate, Workflow } from '../engine/workflow.ts';
import { fillPattern } from './fill-pattern.ts';

type Catalogues = Readonly<Record<'en' | 'ko', Catalogue>>;

/** No message has markup: `<task>` is said as it stands. */
const PLAIN = { ignoreTag: true };

/**
 * Puts catalogue text into a language: the workflow's own messages, then the engine's, then those a surface adds. A
 * language without a catalogue is spoken to in English. Verbatim text stays as it
 * is but for characters that could play with a terminal.
 */
export function createTranslator(def: Workflow | null, lang: string, more?: Catalogues): Translate {
  const known = lang === 'ko' ? 'ko' : 'en';
  const sources = [def?.messages[known], engineMessages[known], more?.[known]];
  const translate: Translate = (text) => {
    if (typeof text === 'string') return cleanText(text);
    const pattern = sources.map((source) => source?.[text.msg]).find((found) => found !== undefined);
    if (pattern === undefined) throw new InvariantError(`no message '${text.msg}' in '${known}'`);
    if (!text.args && !pattern.includes('{')) return pattern;
    const args = cleanValue(text.args ?? {}) as Readonly<Record<string, string | number>>;
    const whole = () => String(new IntlMessageFormat(pattern, known, undefined, PLAIN).format(args));
    return fillPattern(pattern, args, known) ?? whole();
  };
  return translate;
}
