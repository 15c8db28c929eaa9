import type { Msg } from '../contract/brief.ts';
import { spokenLang } from '../contract/lang.ts';
import { cleanText, cleanValue } from '../engine/clean-text.ts';
import { InvariantError } from '../engine/errors.ts';
import type { Translate } from '../engine/workflow.ts';
import type { Texts } from '../ports/texts.ts';
import { fillPattern } from './fill-pattern.ts';

/**
 * Translates messages into a language. An unsupported language becomes English. Verbatim text stays unchanged, except
 * for characters that could control a terminal.
 */
export function createTranslator(texts: Pick<Texts, 'message'>, lang: string): Translate {
  const say = createWords(texts, lang);
  return (text) => {
    if (typeof text === 'string') return cleanText(text);
    return say(text.msg, text.args && (cleanValue(text.args) as Msg['args']));
  };
}

/** Fills texts by their id, with arguments that stay unchanged. An unsupported language becomes English. */
export function createWords(
  texts: Pick<Texts, 'message'>,
  lang: string,
): (id: string, args?: Msg['args']) => string {
  const spoken = spokenLang(lang);
  return (id, args) => {
    const pattern = texts.message(id, spoken);
    if (pattern === undefined) throw new InvariantError(`no message '${id}' in '${spoken}'`);
    return !args && !pattern.includes('{') ? pattern : fillPattern(pattern, args ?? {}, spoken);
  };
}
