import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cut, pad, widthOf, wrap } from '../../src/surfaces/cli/width.ts';

test('Hangul takes two columns, colours and combining marks none', () => {
  expect(widthOf('승인')).toBe(4);
  expect(widthOf('\u001b[33mwaits\u001b[39m')).toBe(5);
  expect(widthOf('e\u0301')).toBe(1);
  expect(pad('승인', 6)).toBe('승인  ');
});

test('a cut text fits and says that it was cut', () => {
  expect(cut('A tool that renames photos', 12)).toBe('A tool that…');
  expect(cut('사진 이름을 바꾸는', 9)).toBe('사진 이…');
  expect(cut('short', 12)).toBe('short');
});

test('bullets and given indents hang, and aligned columns stay aligned', () => {
  expect(wrap('- one two three', 9)).toEqual(['- one two', '  three']);
  expect(wrap('1  Approve    settle the specification', 26, '              ')).toEqual([
    '1  Approve    settle the',
    'specification',
  ]);
  expect(wrap('1  Stop  end here now', 16, '         ')).toEqual(['1  Stop  end', 'here now']);
});

test('no wrapped line is wider than the screen and no letter is lost', () => {
  const word = fc.stringMatching(/^[a-z가-힣一-龥.-]{1,60}$/u);
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 20, max: 110 }),
      (words, columns) => {
        const lines = wrap(words.join(' '), columns, '    ');
        expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''));
      },
    ),
  );
});

test.each(['x', '가', ' ', 'x ', '\u0301'])('a very long line of %j is wrapped to its end', (unit) => {
  const text = `a${unit.repeat(300_000)}`;
  expect(wrap(text, 40).join('').length).toBeLessThanOrEqual(text.length);
});
