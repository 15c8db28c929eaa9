import { expect, test } from 'vitest';
import { findSecrets } from '../../src/adapters/workspace/changes/find-secrets.ts';

const RANDOM = 'aB3dE6gH9jK2mN5pQ8sT1vW4';

test.each([
  ['OPENAI_API_KEY', 'quite-plain-words', true],
  ['DATABASE_PASSWORD', 'quite-plain-words', true],
  ['OWN_NAME_OF_A_PERSON', RANDOM, true],
  ['SHORT_TOKEN', 'on', false],
  ['GIT_AUTHOR_NAME', 'Tess Tester of Testing', false],
  ['SSH_AUTH_SOCK', '/run/user/1000/keyring/ssh', false],
  ['KEYBOARD_LAYOUT', 'quite-plain-words', false],
  ['npm_package_name', 'Some-Long-Package-Name-2026', false],
  ['GITHUB_SHA', '3f786850e387550fdab836ed7e6dc881de23001b', false],
  ['BATON_TOKEN', RANDOM, false],
])('the value of %s counts as a secret: %s, %s', (name, value, counts) => {
  const line = { path: 'a.txt', line: 3, text: `x = "${value}"` };
  const found = findSecrets([line], [], { [name]: value });
  expect(found).toEqual(counts ? [{ path: 'a.txt', line: 3, what: `$${name}` }] : []);
});

test('a file that is called like a secret is named without it', () => {
  const found = findSecrets([], [`keys/${RANDOM}.txt`], { MY_TOKEN: RANDOM });
  expect(found).toEqual([{ path: 'keys/….txt', line: null, what: '$MY_TOKEN' }]);
});
