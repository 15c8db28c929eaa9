import IntlMessageFormat from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../src/engine/errors.ts';
import { fillPattern } from '../../src/runtime/translate.ts';
import { AREAS, catalogue } from '../support/texts.ts';

const NUMBERS = [0, 1, 2, 21, 999];

/** Every name in the pattern with this value, choices with one of their own keys. */
function argsFor(pattern: string, value: number): Record<string, string | number> {
  const args: Record<string, string | number> = {};
  for (const [, name = ''] of pattern.matchAll(/\{\s*(\w+)\s*[,}]/g)) args[name] = value;
  for (const [, name = '', keys = ''] of pattern.matchAll(/\{\s*(\w+)\s*,\s*select\s*,\s*(.*)/g)) {
    const named = [...keys.matchAll(/(\w+)\s*\{/g)].map(([, key = '']) => key);
    args[name] = named[value % named.length] ?? 'other';
  }
  return args;
}

describe('filling a pattern without Intl', () => {
  test.each(['en', 'ko'] as const)('says what Intl says, for every message in %s', (lang) => {
    const wrong: string[] = [];
    for (const area of [...AREAS, 'cli-commands']) {
      for (const pattern of Object.values(catalogue(lang, area))) {
        for (const value of NUMBERS) {
          const args = argsFor(pattern, value);
          const filled = fillPattern(pattern, args, lang);
          const said = String(
            new IntlMessageFormat(pattern, lang, undefined, { ignoreTag: true }).format(args),
          );
          if (filled !== said) wrong.push(`${pattern}: ${filled} <> ${said}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['a number with separators', '{n, plural, other {# files}}', { n: 1000 }],
    ['a fraction', '{n, plural, one {# file} other {# files}}', { n: 1.5 }],
    ['a number in words', '{n, plural, one {# file} other {# files}}', { n: 'some' }],
    ['an ordinal', '{n, selectordinal, one {#st} two {#nd} other {#th}}', { n: 2 }],
    ['an offset', '{n, plural, offset:1 =1 {you} one {you and one} other {you and #}}', { n: 3 }],
    ['a choice that is not listed', '{what, select, a {A} other {{what}}}', { what: 'toString' }],
  ])('fills %s as Intl does', (_what, pattern, args) => {
    const said = String(new IntlMessageFormat(pattern, 'en').format(args));
    expect(fillPattern(pattern, args as Record<string, number>, 'en')).toBe(said);
  });

  test.each([
    ['a date', '{at, date}', { at: 0 }],
    ['a number format', '{n, number}', { n: 1 }],
    ['a missing argument', '{name}', {}],
    ['an argument of every object', '{toString}', {}],
  ])('refuses %s', (_what, pattern, args) => {
    expect(() => fillPattern(pattern, args as Record<string, number>, 'en')).toThrow(InvariantError);
  });
});
