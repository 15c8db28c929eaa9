import { expect, test } from 'vitest';
import { cutText, shortText } from '../../src/engine/cut-text.ts';

test.each([
  ['', 3, '', ''],
  ['abc', 3, 'abc', 'abc'],
  ['abcd', 3, 'abc', 'ab…'],
  ['ab😀', 3, 'ab', 'ab…'],
  ['a😀b', 3, 'a😀', 'a…'],
  ['한국어요', 3, '한국어', '한국…'],
])('%j to %i characters: cut %j, short %j', (text, most, cut, short) => {
  expect([cutText(text, most), shortText(text, most)]).toEqual([cut, short]);
});
