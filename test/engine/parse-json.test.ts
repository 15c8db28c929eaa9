import { expect, test } from 'vitest';
import { parseJson } from '../../src/engine/parse-json.ts';

test.each([
  ['{"a": [1]}', { a: [1] }],
  [' "x" ', 'x'],
  ['null', null],
  ['', undefined],
  ['{"a": ', undefined],
  ['\ufeff{}', undefined],
  ['Sure! {}', undefined],
])('%j is %j', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
