import { expect, test } from 'vitest';
import type { Answer } from '../../src/contract/answer.ts';
import { earlierAnswer } from '../../src/engine/transition.ts';

const ADA = { person: 'Ada', surface: 'cli', proof: 'terminal' } as const;
const said = (more: Partial<Answer>) =>
  earlierAnswer({ option: 'change', gate: 'sp-1.g1', by: ADA, text: null, fields: {}, ...more } as Answer)
    .args;

test.each<[string, Partial<Answer>, object]>([
  ['without words', {}, { option: 'change', gate: 'sp-1.g1', who: 'Ada', typed: 'no', text: '' }],
  ['an empty text', { text: '', fields: { a: null } }, { typed: 'no', text: '' }],
  [
    'text and fields',
    { text: 'faster', fields: { a: 'one', b: '', c: 'two' } },
    { text: 'faster; one; two' },
  ],
  ['given by a drive', { by: { agent: 'unattended', drive: 'd1' } }, { who: 'unattended' }],
  ['of 500 characters', { text: 'x'.repeat(500) }, { typed: 'yes', text: 'x'.repeat(500) }],
  ['of more', { text: 'x'.repeat(501) }, { text: `${'x'.repeat(499)}…` }],
  ['with escape sequences', { text: 'a\u001b[2Jb' }, { text: expect.not.stringContaining('\u001b') }],
])('an earlier answer is shown: %s', (_name, more, args) => {
  expect(said(more)).toMatchObject(args);
});
