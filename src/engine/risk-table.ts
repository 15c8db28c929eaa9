import type { Lang } from '../contract/lang.ts';
import type { RiskClass } from '../contract/ticket.ts';
import { RISK_LISTS } from './risk-lists.ts';

/**
 * Allowed separators between the words of a phrase: none, blanks, dashes, Markdown symbols. So `login` matches `log
 * in`.
 */
const SEPARATOR = String.raw`[\s_\p{Pd}*"'\x60]`;
const BETWEEN = `${SEPARATOR}*`;
const LATIN = String.raw`\p{Script=Latin}`;
/** A word also ends inside `authToken` and `RLSPolicy`. */
const HUMP = String.raw`(?-i:(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}))`;

const WORD = String.raw`[\p{L}\p{M}\p{N}]+(?:[.'’/][\p{L}\p{N}]+)*`;
/** Between zero and three words of the same clause (CON-117). */
const GAP = `(?:${BETWEEN}|(?:${SEPARATOR}+${WORD}){1,3}${SEPARATOR}+)`;

/**
 * A whole word or phrase, in any case. Only adjacent Latin letters make it part of a longer word: `auth를` is `auth`.
 */
const whole = (phrase: string) =>
  `(?:(?<!${LATIN})|${HUMP})(?:${phrase.replaceAll(' … ', GAP).replaceAll(' ', BETWEEN)})(?:(?!${LATIN})|${HUMP})`;

/** A bare "token" is also a word of parsers and gates. It counts only within 24 characters of one of these (CON-46). */
const NEAR_TOKEN = whole('auth|access|api|bearer|jwt|sessions?|refresh|csrf');
const TOKEN = `${whole('tokens?')}(?:(?<=${NEAR_TOKEN}[^]{0,24}tokens?)|(?=[^]{0,24}${NEAR_TOKEN}))`;

/** Path globs per class (CON-45). The project's settings add those of `shared-core`. */
export const RISK_GLOBS: Readonly<Record<RiskClass, readonly string[]>> = {
  auth: ['**/auth/**', '**/auth.{ts,tsx}', '**/*auth*.ts', '**/middleware/auth*', '**/rls/**'],
  'data-migration': ['**/{migration,migrations}/**', '**/*.sql'],
  'irreversible-destructive': [],
  'shared-core': [],
};

/** Label to class (CON-49), in the form that `labelName` returns. */
export const RISK_LABELS: Readonly<Record<string, RiskClass>> = {
  auth: 'auth',
  'data-migration': 'data-migration',
  migration: 'data-migration',
  'irreversible-destructive': 'irreversible-destructive',
  irreversible: 'irreversible-destructive',
  destructive: 'irreversible-destructive',
  'shared-core': 'shared-core',
  core: 'shared-core',
};

export interface RiskWord {
  readonly class: RiskClass;
  readonly name: string;
  /** Compiled on first use, because with Unicode classes each one takes about a millisecond. */
  readonly pattern: () => RegExp;
  /** A text that does not match all of these cannot contain the word. They compile fast and rule out most texts. */
  readonly hints: readonly RegExp[];
}

function riskWord(name: RiskClass, word: string, source: string, hints: readonly RegExp[] = []): RiskWord {
  let made: RegExp | undefined;
  const pattern = () => {
    made ??= new RegExp(source, 'giu');
    return made;
  };
  return { class: name, name: word, pattern, hints };
}

/** Languages whose list has only words with letters of their own script. */
const SCRIPTS: Readonly<Partial<Record<Lang, RegExp>>> = {
  ko: /\p{Script=Hangul}/u,
  ja: /[\p{Script=Han}\p{Script=Katakana}]/u,
  zh: /\p{Script=Han}/u,
};

/** The parts of a phrase, without the words between them, endings and word boundaries. */
function hintsOf(lang: Lang, phrase: string): RegExp[] {
  const parts = phrase.split(' … ').map((part) => part.replace(/\\p\{L\}[*+]/g, '').replaceAll(' ', BETWEEN));
  const script = SCRIPTS[lang];
  return [...(script ? [script] : []), ...parts.map((part) => new RegExp(part, 'iu'))];
}

const listed = Object.entries(RISK_LISTS).flatMap(([lang, list]) =>
  Object.entries(list).flatMap(([name, words]) =>
    Object.entries(words).map(([word, phrase]) =>
      riskWord(name as RiskClass, word, whole(phrase), hintsOf(lang as Lang, phrase)),
    ),
  ),
);

export const RISK_WORDS: readonly RiskWord[] = [...listed, riskWord('auth', 'token', TOKEN, [/token/i])];

/** A project's module name as a word of `shared-core`, matched literally. */
export function moduleWord(name: string): RiskWord {
  const literal = name.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return riskWord('shared-core', name, whole(literal));
}
