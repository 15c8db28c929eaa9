import { LANGUAGES, type Lang } from '../contract/lang.ts';

/** Enough text to detect a language. The limit keeps pasted logs cheap. */
const SAMPLE = 4_000;
/** Han without kana is Chinese, but a text shorter than this may also be Japanese. */
const SHORT_HAN = 10;

/**
 * The language a person writes (WF-31), from the text alone. Code, links and identifiers do not count.
 * Script first: Hangul is ko, kana (at least a tenth of the characters) is ja, Han is zh. In mixed text the script wins
 * in two cases. First, it has at least as many words as the Latin part. Second, the text ends in it and the Latin part
 * has no function word. Korean and Japanese put the verb last, and identifiers bring no articles. So a Korean
 * sentence full of English names is ko, and an English sentence quoting a Korean word is en.
 * Otherwise function words of en, es and de are counted (fr, pt and it only so that they do not count as es). With low
 * confidence the result is `previous`: a tie, an unsupported language, no evidence, or a single hint against
 * `previous`.
 */
export function detectLanguage(text: string, previous?: Lang): Lang {
  const sample = prose(text.slice(0, SAMPLE));
  const words = latinWords(sample);
  const scripts = countScripts(sample);
  if (hasScriptMajority(sample, scripts, words)) return scriptLanguage(scripts, previous);
  return latinLanguage(words, previous) ?? previous ?? 'en';
}

/** Removes fenced and inline code, links and addresses. */
export function prose(text: string): string {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/`[^`\n]*`/g, ' ')
    .replace(/!?\[[^\][\n]*\]\([^()\s]*\)/g, ' ')
    .replace(/\bhttps?:\/\/\S+/g, ' ');
}

/** Counts words separated by spaces. Han and kana have no spaces, so two characters count as one word. */
export function countWords(text: string): number {
  const spaced = text.replace(HAN_KANA_RUN, (run) => ` ${'x '.repeat(Math.ceil(run.length / 2))}`);
  return spaced.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

interface Scripts {
  readonly hangulWords: number;
  readonly kana: number;
  readonly han: number;
}

const HANGUL_RUN = /\p{Script=Hangul}+/gu;
const HAN_KANA_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}ー]/gu;
const HAN = /\p{Script=Han}/gu;
/** Unquoted, because a quoted word at the end is a mentioned term, not a verb. */
const ENDS_IN_SCRIPT =
  /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー][\s.!?~…。！？]*$/u;

function countScripts(sample: string): Scripts {
  const count = (pattern: RegExp) => sample.match(pattern)?.length ?? 0;
  return { hangulWords: count(HANGUL_RUN), kana: count(KANA), han: count(HAN) };
}

function hanKanaWords(scripts: Scripts): number {
  return Math.ceil((scripts.kana + scripts.han) / 2);
}

function hasScriptMajority(sample: string, scripts: Scripts, latin: readonly string[]): boolean {
  const words = scripts.hangulWords + hanKanaWords(scripts);
  if (words === 0) return false;
  if (words >= latin.length) return true;
  return ENDS_IN_SCRIPT.test(sample.slice(-200)) && !latin.some(isFunctionWord);
}

function scriptLanguage(scripts: Scripts, previous: Lang | undefined): Lang {
  if (scripts.hangulWords >= hanKanaWords(scripts)) return 'ko';
  if (scripts.kana > 0 && scripts.kana * 9 >= scripts.han) return 'ja';
  return previous === 'ja' && scripts.han < SHORT_HAN ? 'ja' : 'zh';
}

const IDENTIFIER =
  /^-+\p{L}|[\d_]|[\p{L}\p{N}][/\\.@=:#<>{}()[\]]+[\p{L}\p{N}]|\p{Ll}\p{Lu}|^\P{L}*\p{Lu}{2,}\P{L}*$/u;

/** Lower-case words of the Latin part. Flags, paths, camelCase, ALLCAPS and similar tokens are not words. */
export function latinWords(sample: string): string[] {
  return sample
    .replace(HANGUL_RUN, ' ')
    .replace(HAN_KANA_RUN, ' ')
    .split(/\s+/)
    .filter((token) => !IDENTIFIER.test(token))
    .flatMap((token) => token.match(/\p{Script=Latin}[\p{Script=Latin}\p{M}'’]*/gu) ?? [])
    .map((word) => word.normalize('NFC').toLowerCase());
}

const asSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const FUNCTION_WORDS = {
  en: asSet(
    'the a an and or but to of in on at for with without from into by as is are be was were been has have had do does can could should would must will not this that these those it its i we you they my our your their there here when where which who what how why if then than so all each every only also please',
  ),
  es: asSet(
    'el la los las un una unos unas de del al y e o u en con sin por para que no es son ser está están se su sus lo le como cuando donde si más pero este esta esto ese esa cada todo todos todas también muy hay debe deben por favor quiero',
  ),
  de: asSet(
    'der die das den dem des ein eine einen einem einer eines und oder aber mit ohne von vom zu zum zur für auf im in an am ist sind sein wird werden nicht kein keine soll sollen muss müssen kann wenn als bei nach aus wie was wo dass es ich wir sie er bitte auch nur alle jede jeder jedes mehr noch durch über unter vor dann',
  ),
  fr: asSet(
    'le la les un une des de du et ou au aux en dans pour par avec sans sur est sont être ce cette ces que qui ne pas plus il elle nous vous je mon ma mes son sa ses chaque tous toutes',
  ),
  pt: asSet(
    'o a os as um uma uns umas de do da dos das e ou em no na nos nas com sem por para que não é são ser se seu sua como quando mais mas este esta isto ao à cada todos todas',
  ),
  it: asSet(
    'il lo la i gli le un uno una di del della dei delle e o in nel nella con senza per che non è sono essere si suo sua come quando più ma questo questa al alla ogni tutti tutte da dal',
  ),
} as const;

export type Scored = keyof typeof FUNCTION_WORDS;

/** Letters that each count as a hint. */
const LETTERS: Readonly<Partial<Record<Scored, RegExp>>> = {
  es: /[ñáíóú]/,
  de: /[äöüß]/,
  fr: /[èêàùûîïôœç]/,
  pt: /[ãõçâê]/,
  it: /[èàìòù]/,
};

function isFunctionWord(word: string): boolean {
  return Object.values(FUNCTION_WORDS).some((set) => set.has(word));
}

function latinLanguage(words: readonly string[], previous: Lang | undefined): Lang | null {
  const ranking = (Object.keys(FUNCTION_WORDS) as Scored[])
    .map((lang) => ({ lang, score: scoreOf(lang, words) }))
    .sort((a, b) => b.score - a.score);
  const [best, second] = ranking;
  if (!best || !second || best.score === second.score) return null;
  const enough = previous === undefined ? 1 : 2;
  return best.score >= enough ? (LANGUAGES.find((lang) => lang === best.lang) ?? null) : null;
}

export function scoreOf(lang: Scored, words: readonly string[]): number {
  const hint = LETTERS[lang];
  return words.filter((word) => FUNCTION_WORDS[lang].has(word) || hint?.test(word)).length;
}
