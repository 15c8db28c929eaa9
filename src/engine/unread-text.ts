import type { Lang } from '../contract/lang.ts';
import { latinWords, prose, type Scored, scoreOf } from './language.ts';
import { RISK_LISTS } from './risk-lists.ts';

/** A line that the lists of risk words do not cover. `line` counts from 1. */
export interface UnreadLine {
  readonly where: 'title' | 'description' | 'brief' | 'criteria';
  readonly line: number;
  readonly text: string;
}

/** The texts of a ticket, as the risk detector receives them. */
export interface TicketTexts {
  readonly title: string;
  readonly description: string;
  readonly content: string;
  readonly criteria: readonly string[];
}

/**
 * Lines in an uncertain language, or in one without a list of risk words (CON-117). Each line is judged alone, so that
 * other lines cannot hide it (INV-15). Short lines of plain Latin letters count as English, because names and headings
 * are short.
 */
export function unreadLines({ title, description, content, criteria }: TicketTexts): UnreadLine[] {
  const texts = { title, description, brief: content, criteria: criteria.join('\n') } as const;
  return Object.entries(texts).flatMap(([where, text]) =>
    text
      .normalize('NFKC')
      .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
      .flatMap((line, i) =>
        isUnread(line) ? [{ where: where as UnreadLine['where'], line: i + 1, text: line.trim() }] : [],
      ),
  );
}

/** Two adjacent letters of a script that no listed language uses. A single one is a symbol, such as µ or Δ. */
const FOREIGN_SCRIPT =
  /[\p{L}--[\p{Script=Latin}\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Common}\p{Script=Inherited}]]{2}/v;
const SYLLABLES = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Letters of English, Spanish and German, and both forms of the apostrophe. */
const LISTED_LETTERS = /^[a-zñáéíóúüäöß'’]+$/;
/** A line with at least this many Latin words, none of them known, is uncertain. */
const UNSURE_WORDS = 4;

function isUnread(line: string): boolean {
  if (FOREIGN_SCRIPT.test(line)) return true;
  // Latin words in a Korean, Japanese or Chinese line are names and terms.
  if (SYLLABLES.test(line)) return false;
  const words = latinWords(prose(line));
  if (words.length === 0) return false;
  const { listed, other } = scoresOf(words);
  if (other >= 2 && other > listed) return true;
  if (listed < 2 && words.some((word) => !LISTED_LETTERS.test(word))) return true;
  return words.length >= UNSURE_WORDS && listed === 0 && !words.some((word) => COMMON.has(word));
}

const SCORED: readonly Scored[] = ['en', 'es', 'de', 'fr', 'pt', 'it'];

/** Number of function words, for the best language with a list and the best one without. */
function scoresOf(words: readonly string[]): { readonly listed: number; readonly other: number } {
  const best = (langs: readonly Scored[], among: readonly string[]) =>
    Math.max(0, ...langs.map((lang) => scoreOf(lang, among)));
  const hasList = (lang: Scored) => Object.hasOwn(RISK_LISTS, lang satisfies Scored | Lang);
  // Words that are also English, and single letters, are not evidence for another language.
  const telling = words.filter((word) => word.length > 1 && word !== 'no' && scoreOf('en', [word]) === 0);
  const others = SCORED.filter((lang) => !hasList(lang));
  return { listed: best(SCORED.filter(hasList), words), other: best(others, telling) };
}

/** Common English words of tickets, for headlines without a function word. */
const COMMON: ReadonlySet<string> = new Set(
  `add adds adjust allow align archive avoid broken bug build button cache change check clean clear click close color
  column command config copy count create customer dark data date default delete design detail disable display docs
  document download drop edit email empty enable error export extract fail failed fails fast faster field file files
  filter fix fixed fixes footer form format handle header hide icon image import improve increase input install invoice
  item key label layout limit line link list load loading log make menu merge message missing mobile mode move name new
  no number old open option order page panel photo photos print product project query read reduce refactor release
  reload remove rename render replace report request reset response restore result retry review row run save screen
  script search select send service session setting settings show shown slow sort speed split start state status step
  stop store support switch tab table task test tests text theme time title toggle token tool translate typo unit
  unused update upgrade upload use user users validate value version view wait warning work wrong yes`.split(
    /\s+/,
  ),
);
