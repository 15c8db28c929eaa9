import IntlMessageFormat from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { engineMessages } from '../../src/engine/messages.ts';
import { fillPattern } from '../../src/runtime/fill-pattern.ts';
import { specWorkflow } from '../../src/workflows/spec/workflow.ts';

const NUMBERS = [0, 1, 2, 21, 999];
const CATALOGUES = { engine: engineMessages, spec: specWorkflow.messages };

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
    for (const catalogue of Object.values(CATALOGUES)) {
      for (const pattern of Object.values(catalogue[lang])) {
        for (const value of NUMBERS) {
          const args = argsFor(pattern, value);
          const filled = fillPattern(pattern, args, lang);
          const said = String(new IntlMessageFormat(pattern, lang).format(args));
          if (filled !== said) wrong.push(`${pattern}: ${filled} <> ${said}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['a number with separators', '{n, plural, other {# files}}', { n: 1000 }],
    ['a date', '{at, date}', { at: 0 }],
    ['an ordinal', '{n, selectordinal, one {#st} other {#th}}', { n: 1 }],
    ['an offset', '{n, plural, offset:1 other {#}}', { n: 3 }],
    ['a missing argument', '{name}', {}],
  ])('leaves %s to Intl', (_what, pattern, args) => {
    expect(fillPattern(pattern, args as Record<string, number>, 'en')).toBeNull();
  });
});
