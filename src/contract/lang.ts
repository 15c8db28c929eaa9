/**
 * The languages people may write in. Each needs a list of risk words (engine/risk-lists.ts) and of words of doubt
 * (workflows/spec/unconfirmed.ts). Without them the code does not compile.
 */
export const LANGUAGES = ['en', 'ko', 'ja', 'zh', 'es', 'de'] as const;
export type Lang = (typeof LANGUAGES)[number];

/** The languages Baton answers in. Each is a folder of src/messages. For other languages Baton answers in English. */
export const SPOKEN = ['en', 'ko'] as const satisfies readonly Lang[];
export type SpokenLang = (typeof SPOKEN)[number];

export function spokenLang(lang: string): SpokenLang {
  return SPOKEN.find((spoken) => spoken === lang) ?? 'en';
}
