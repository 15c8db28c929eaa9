import { describe, expect, test } from 'vitest';
import { type Choice, parseChoice, parseTyped } from '../../src/surfaces/cli/parse-choice.ts';

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

describe('what is typed at the prompt', () => {
  const meant = { yes: 'approve', no: 'stop' };
  const typed = (text: string) => parseTyped(text, CHOICES, 'modify', meant);

  test.each([
    ['ok'],
    ['OK!'],
    ['yes'],
    ['Y'],
    ['lgtm'],
    ['looks good to me'],
    ['네'],
    ['예'],
    ['네'.normalize('NFD')],
  ])('a yes such as "%s" is refused and names what it probably means', (text) => {
    expect(typed(text)).toEqual({ kind: 'refused', near: 'approve' });
    expect(parseTyped(text, CHOICES, null, meant)).toEqual({ kind: 'refused', near: 'approve' });
  });

  test.each([['no'], ['N'], ['Nope.'], ['아니오'], ['아니요']])('a no such as "%s" too', (text) => {
    expect(typed(text)).toEqual({ kind: 'refused', near: 'stop' });
  });

  test.each([['x'], ['hm'], ['?!...'], ['ㅋㅋ'], ['a  b']])('"%s" is too short to be a text', (text) => {
    expect(typed(text)).toEqual({ kind: 'refused', near: null });
  });

  test.each([['no time zone in names'], ['yes, but name the zone'], ['시간대를 적어 주세요'], ['utc']])(
    '"%s" is a text',
    (text) => {
      expect(typed(text)).toEqual({ kind: 'text', key: 'modify', text });
    },
  );

  test.each([
    ['1', chose('approve')],
    ['승인', chose('approve')],
    ['V', chose('v')],
    ['aprove', { kind: 'refused', near: 'approve' }],
  ])('"%s" means what it means everywhere', (text, expected) => {
    expect(typed(text)).toEqual(expected);
  });

  test('an option that is itself called yes or no is taken', () => {
    const choices: Choice[] = [{ key: 'n', label: 'No', number: 1 }];
    expect(parseTyped('no', choices, 'n', { yes: null, no: null })).toEqual(chose('n'));
  });
});
