import { describe, expect, test } from 'vitest';
import { type Choice, parseChoice } from '../../src/surfaces/cli/parse-choice.ts';

const CHOICES: readonly Choice[] = [
  { key: 'approve', label: '승인', number: 1 },
  { key: 'modify', label: 'Ask for a change', number: 2 },
  { key: 'stop', label: 'Stop', number: 3 },
  { key: 'v', label: 'view spec', number: null },
];
const REFUSED = { kind: 'refused' };
const chose = (key: string) => ({ kind: 'choice', key });

describe('WF-93 what is typed at a gate', () => {
  test.each([
    ['its number', '1', chose('approve')],
    ['its number with spaces around it', '  3 ', chose('stop')],
    ['its key', 'modify', chose('modify')],
    ['its key in mixed case', 'ApProve', chose('approve')],
    ['its shown label', 'Ask for a change', chose('modify')],
    ['its shown label in other letter case', 'ask FOR a change', chose('modify')],
    ['its translated label', '승인', chose('approve')],
    ['its translated label in decomposed letters', '승인'.normalize('NFD'), chose('approve')],
    ['the key of an entry without a number', 'V', chose('v')],
    ['0', '0', REFUSED],
    ['n + 1', '4', REFUSED],
    ['a padded number', '01', REFUSED],
    ['a unique prefix of a key', 'appr', REFUSED],
    ['a unique prefix of a label', 'Ask', REFUSED],
    ['an empty line', '', REFUSED],
    ['spaces only', '   ', REFUSED],
    ['other text', 'looks good to me', REFUSED],
  ])('%s', (_name, typed, expected) => {
    expect(parseChoice(typed, CHOICES, null)).toMatchObject(expected);
  });

  test('other text means the option that takes bare text, and only there', () => {
    const typed = '  add the time zone ';
    expect(parseChoice(typed, CHOICES, 'modify')).toEqual({
      kind: 'text',
      key: 'modify',
      text: 'add the time zone',
    });
    expect(parseChoice(typed, CHOICES, null)).toEqual({ kind: 'refused', near: null });
  });

  test.each([['aprove'], ['appr'], ['approved'], ['stpo'], ['0'], ['17'], ['']])(
    'a slip such as "%s" is not taken for bare text',
    (typed) => {
      expect(parseChoice(typed, CHOICES, 'modify')).toMatchObject(REFUSED);
    },
  );

  test('a slip names what was probably meant', () => {
    expect(parseChoice('aprove', CHOICES, null)).toEqual({ kind: 'refused', near: 'approve' });
  });
});
