import {
  type MessageFormatElement,
  type PluralElement,
  parse,
  TYPE,
} from '@formatjs/icu-messageformat-parser';
import type { Msg } from '../contract/brief.ts';
import { type SpokenLang, spokenLang } from '../contract/lang.ts';
import { cleanText, cleanValue } from '../engine/clean-text.ts';
import { InvariantError } from '../engine/errors.ts';
import type { Translate } from '../engine/workflow.ts';
import type { Texts } from '../ports/texts.ts';

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

type Args = Readonly<Record<string, string | number>>;

interface Filling {
  readonly args: Args;
  readonly lang: SpokenLang;
  /** The number that `#` is replaced with. */
  readonly pound: number | null;
}

/** Plural forms of small whole numbers, because the first use of `Intl.PluralRules` costs a command 14 ms. */
const SMALL = 1000;
const FORMS: Readonly<Partial<Record<SpokenLang, (value: number) => string>>> = {
  en: (value) => (value === 1 ? 'one' : 'other'),
  ko: () => 'other',
};

/** Fills an ICU text with arguments, selects and plurals. Our texts have no dates, number formats or tags. */
export function fillPattern(pattern: string, args: Args, lang: SpokenLang): string {
  return fill(parse(pattern, { ignoreTag: true }), { args, lang, pound: null });
}

function fill(parts: readonly MessageFormatElement[], filling: Filling): string {
  return parts.map((part) => fillPart(part, filling)).join('');
}

function fillPart(part: MessageFormatElement, filling: Filling): string {
  switch (part.type) {
    case TYPE.literal:
      return part.value;
    case TYPE.pound:
      return formatNumber(filling);
    case TYPE.argument:
      return String(argumentOf(part.value, filling));
    case TYPE.select:
      return choose(part.options, String(argumentOf(part.value, filling)), filling);
    case TYPE.plural: {
      const value = Number(argumentOf(part.value, filling));
      const pound = value - part.offset;
      const exact = `=${value}`;
      const key = Object.hasOwn(part.options, exact) ? exact : pluralForm(pound, part, filling.lang);
      return choose(part.options, key, { ...filling, pound });
    }
    default:
      throw new InvariantError(`a message has a part that cannot be filled: ${JSON.stringify(part)}`);
  }
}

function argumentOf(name: string, { args }: Filling): string | number {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (value === undefined) throw new InvariantError(`a message lacks its argument '${name}'`);
  return value;
}

function choose(options: PluralElement['options'], key: string, filling: Filling): string {
  const option = Object.hasOwn(options, key) ? options[key] : options.other;
  if (!option) throw new InvariantError(`a message has no choice for '${key}'`);
  return fill(option.value, filling);
}

function pluralForm(value: number, { pluralType }: PluralElement, lang: SpokenLang): string {
  const form = pluralType === 'cardinal' && isSmall(value) ? FORMS[lang] : undefined;
  return form?.(value) ?? new Intl.PluralRules(lang, { type: pluralType }).select(value);
}

function formatNumber({ pound, lang }: Filling): string {
  if (pound === null) return '#';
  return isSmall(pound) ? String(pound) : new Intl.NumberFormat(lang).format(pound);
}

function isSmall(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < SMALL;
}
