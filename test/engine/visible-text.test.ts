import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visibleJson, visibleProse, visibleText } from '../../src/engine/visible-text.ts';

/** The ranges the requirement names, by first and last code point. */
const NAMED: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2069],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe007f],
  [0xe0100, 0xe01ef],
];

const isNamed = (char: string) => {
  const code = char.codePointAt(0) ?? 0;
  return NAMED.some(([first, last]) => code >= first && code <= last);
};

const hidden = fc
  .constantFrom(...NAMED)
  .chain(([first, last]) => fc.integer({ min: first, max: last }))
  .map((code) => String.fromCodePoint(code));
const mixed = fc
  .array(fc.oneof(hidden, fc.string({ unit: 'binary' }), fc.constantFrom('\n', '\t', '⚠️', '👩‍💻', '한글')))
  .map((parts) => parts.join(''));

test('nothing that draws or hides is left in a visible text, and all of it is named', () => {
  fc.assert(
    fc.property(mixed, (text) => {
      expect([...visibleText(text)].filter(isNamed)).toEqual([]);
      const named = [...text].filter(isNamed).length;
      expect(visibleText(text).match(/<U\+[0-9A-F]{4,6}>/g)?.length ?? 0).toBeGreaterThanOrEqual(named);
    }),
    { numRuns: 500 },
  );
});

test('printable text, line breaks and tabs stay as they are', () => {
  const printable = fc.string({ unit: fc.constantFrom(...'\n\t azAZ09~!"\\{}é한글漢字') });
  fc.assert(
    fc.property(printable, (text) => {
      expect(visibleText(text)).toBe(text);
      expect(visibleProse(text)).toBe(text);
    }),
  );
});

test('a machine reads the same value from visible JSON', () => {
  fc.assert(
    fc.property(mixed, (text) => {
      const json = visibleJson(JSON.stringify({ text }));
      expect([...json].filter(isNamed)).toEqual([]);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
});

test.each([
  ['a colour', 'a\u001b[31mb', 'a<U+001B>[31mb', null],
  ['a carriage return', 'a\r\n', 'a<U+000D>\n', null],
  ['a bidi override', '\u202edcba', '<U+202E>dcba', null],
  ['half a character', 'x\ud83d', 'x<U+D83D>', null],
  ['a tag', '\u{e0041}', '<U+E0041>', null],
  ['an invisible filler', 'a\u3164b', 'a<U+3164>b', null],
  ['an emoji in a sentence', '⚠️ 👩‍💻', '⚠<U+FE0F> 👩<U+200D>💻', '⚠️ 👩‍💻'],
  ['a Persian word', 'می\u200cخواهم', 'می<U+200C>خواهم', 'می\u200cخواهم'],
  ['a joiner that joins nothing', 'pay\u200dpal', 'pay<U+200D>pal', null],
])('%s is shown by its code; in a sentence it stays only where it is spelling', (_, text, strict, prose) => {
  expect(visibleText(text)).toBe(strict);
  expect(visibleProse(text)).toBe(prose ?? strict);
});
