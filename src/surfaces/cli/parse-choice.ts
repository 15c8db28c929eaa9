import { distance } from '../../engine/nearest.ts';

/** One input that a gate accepts. Views and similar choices have no number. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly number: number | null;
}

export type Chosen =
  | { readonly kind: 'choice'; readonly key: string }
  /** Bare text, at a gate with an option for it. */
  | { readonly kind: 'text'; readonly key: string; readonly text: string }
  /** `near` is the key that was probably meant. It is only shown and never chosen. */
  | { readonly kind: 'refused'; readonly near: string | null };

/**
 * Parses typed text at a gate (WF-93): the number, the key or the displayed label, in any letter case, with spaces
 * trimmed. Other text is refused, or selects the gate's bare-text option. A number, a prefix or a misspelling of a
 * choice never counts as bare text: a typo must not answer.
 */
export function parseChoice(typed: string, choices: readonly Choice[], bareText: string | null): Chosen {
  const word = fold(typed);
  if (word === '') return { kind: 'refused', near: null };
  const exact =
    choices.find((choice) => fold(choice.key) === word) ??
    choices.find((choice) => choice.number !== null && String(choice.number) === word) ??
    choices.find((choice) => fold(choice.label) === word);
  if (exact) return { kind: 'choice', key: exact.key };
  const near = nearest(word, choices);
  if (bareText === null || near !== null || /^\d+$/.test(word)) return { kind: 'refused', near };
  return { kind: 'text', key: bareText, text: typed.trim() };
}

/** The options that a plain yes or no probably means at a gate. They are only shown. */
export interface Leanings {
  readonly yes: string | null;
  readonly no: string | null;
}

const YES: ReadonlySet<string> = new Set([
  'y',
  'yes',
  'yep',
  'yeah',
  'yup',
  'ok',
  'okay',
  'k',
  'sure',
  'fine',
  'good',
  'great',
  'right',
  'lgtm',
  'go',
  'go ahead',
  'ship it',
  'looks good',
  'looks good to me',
  '네',
  '넵',
  '예',
  '응',
  '그래',
  '그래요',
  '좋아',
  '좋아요',
  '좋습니다',
  '확인',
  '오케이',
  'ㅇㅇ',
  'ㅇㅋ',
]);
const NO: ReadonlySet<string> = new Set([
  'n',
  'no',
  'nope',
  'nah',
  'never',
  'no thanks',
  'not yet',
  '아니',
  '아니요',
  '아니오',
  '아뇨',
  '싫어',
  '싫어요',
  '안돼',
  '안돼요',
  'ㄴㄴ',
]);

/** The least number of letters and digits in a bare text. */
const SHORTEST_TEXT = 3;

/**
 * The same for text typed at the prompt, where people answer out of habit. It refuses a casual yes or no, and a text
 * too short to be a request. Neither counts as bare text.
 */
export function parseTyped(
  typed: string,
  choices: readonly Choice[],
  bareText: string | null,
  meant: Leanings,
): Chosen {
  const chosen = parseChoice(typed, choices, bareText);
  if (chosen.kind === 'choice' || (chosen.kind === 'refused' && chosen.near !== null)) return chosen;
  const word = fold(typed).replace(/[\s.,!?~。！？]+$/u, '');
  if (YES.has(word)) return { kind: 'refused', near: meant.yes };
  if (NO.has(word)) return { kind: 'refused', near: meant.no };
  const letters = word.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return letters < SHORTEST_TEXT ? { kind: 'refused', near: null } : chosen;
}

function fold(text: string): string {
  return text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase();
}

function nearest(word: string, choices: readonly Choice[]): string | null {
  const isNear = (name: string) => name.startsWith(word) || isSlip(word, name);
  return choices.find((choice) => [choice.key, choice.label].map(fold).some(isNear))?.key ?? null;
}

/** True for the same letters in another order, for one wrong letter in a short name, or for two in a longer one. */
function isSlip(word: string, name: string): boolean {
  if (name.length < 4) return false;
  const letters = (text: string) => [...text].sort().join('');
  return letters(word) === letters(name) || distance(word, name) <= (name.length < 6 ? 1 : 2);
}
