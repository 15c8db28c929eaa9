import type { Words } from './messages.ts';
import { distance } from './parse-choice.ts';

/** As in "Failing well": the thing, the value, what is allowed, what was probably meant. */
export function badValueLines(
  option: string,
  value: string,
  allowed: readonly string[],
  words: Words,
): string[] {
  const near = nearestOf(value, allowed);
  const hint = near ? `      ${words.did_you_mean(near)}` : '';
  return [words.bad_choice(option, value), `${words.allowed}: ${allowed.join(', ')}${hint}`];
}

/** The word that was probably meant. */
export function nearestOf(value: string, allowed: readonly string[]): string | undefined {
  const typed = value.toLowerCase();
  return allowed.find((word) => distance(typed, word.toLowerCase()) <= (word.length < 4 ? 1 : 2));
}
