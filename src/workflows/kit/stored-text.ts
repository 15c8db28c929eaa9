import { type SpokenLang, spokenLang } from '../../contract/lang.ts';
import en from '../../messages/en/stored.json' with { type: 'json' };
import ko from '../../messages/ko/stored.json' with { type: 'json' };

/** Texts that a workflow stores in its state. From then on they are data, in the language of that moment. */
const STORED: Readonly<Record<SpokenLang, Readonly<Record<keyof typeof en, string>>>> = { en, ko };

/** The text with its arguments filled in. It does not support choices or plurals. */
export function storedText(
  id: keyof typeof en,
  lang: string,
  args: Readonly<Record<string, string | number>> = {},
): string {
  return STORED[spokenLang(lang)][id].replace(/\{(\w+)\}/g, (_, name: string) => String(args[name]));
}
