import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastFenced } from '../../src/engine/last-fenced.ts';

/** The rule as an expression: right, but it takes the square of the text. */
const slowly = (text: string) => [...text.matchAll(/^(`{3,})json *\n([\s\S]*?)\n\1 *$/gm)].at(-1)?.[2];

test('the last block fenced as JSON, whatever fences stand around it', () => {
  expect(lastFenced('so:\n```json\n{"a":1}\n```\nor\n```json\n{"a":2}\n```  \nthe end')).toBe('{"a":2}');
  expect(lastFenced('````json\n"```json\\n"\n```json\n1\n```\n````')).toBe('"```json\\n"\n```json\n1\n```');
  expect(lastFenced('````json\nnever closed\n```json\n1\n```')).toBe('1');
  expect(lastFenced('```\n1\n```')).toBeUndefined();
});

test('it finds what the expression finds', () => {
  const line = fc.constantFrom('```json', '```', '````json', '```` ', '`````', '{}', '', 'x ```', '```js');
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
      expect(lastFenced(lines.join('\n'))).toBe(slowly(lines.join('\n')));
    }),
    { numRuns: 2_000 },
  );
});

test('a reply of very many fences that nothing closes is read to its end', () => {
  const size = 1_000_000;
  for (const unit of ['```json\n', '\n', '`', '```json \n\n'])
    expect(lastFenced(`\`\`\`json${unit.repeat(size / unit.length)}`)).toBeUndefined();
});
