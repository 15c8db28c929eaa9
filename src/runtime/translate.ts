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
  const spoken = spokenLang(lang);
  return (text) => {
    if (typeof text === 'string') return cleanText(text);
    const pattern = texts.message(text.msg, spoken);
    if (pattern === undefined) throw new InvariantError(`no message '${text.msg}' in '${spoken}'`);
    if (!text.args && !pattern.includes('{')) return pattern;
    const args = cleanValue(text.args ?? {}) as Readonly<Record<string, string | number>>;
    return fillPattern(pattern, args, spoken);
  };
}
