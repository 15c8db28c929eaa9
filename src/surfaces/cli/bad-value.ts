import { nearest } from '../../engine/nearest.ts';
import type { Words } from './words.ts';

/** As in "Failing well": the thing, the value, the allowed values, and the one that was probably meant. */
export function badValueLines(
  option: string,
  value: string,
  allowed: readonly string[],
  words: Words,
): string[] {
  return [words('cli.bad_choice', { option, value }), allowedLine(value, allowed, words)];
}

/** The allowed values, and the one that was probably meant. */
export function allowedLine(value: string, allowed: readonly string[], words: Words): string {
  const near = nearest(value, allowed);
  const hint = near ? `      ${words('cli.did_you_mean', { word: near })}` : '';
  return `${words('cli.allowed')}: ${allowed.join(', ') || '-'}${hint}`;
}
