import { expect, test } from 'vitest';
import { addedLines } from '../../src/engine/added-lines.ts';
import { secretShape } from '../../src/engine/secret-shapes.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const of = (...parts: readonly string[]) => parts.join('');
const A36 = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6';

test.each([
  [of('-----BEGIN ', 'RSA PRIVATE KEY-----'), 'private_key'],
  [of('-----BEGIN ', 'PRIVATE KEY-----'), 'private_key'],
  [of('-----BEGIN ', 'PGP PRIVATE KEY BLOCK-----'), 'private_key'],
  [of('key = "AK', 'IAIOSFODNN7EXAMPLE"'), 'aws_key'],
  [of('gh', 'p_', A36), 'github_token'],
  [of('github', '_pat_', A36), 'github_token'],
  [of('gl', 'pat-', A36.slice(0, 20)), 'gitlab_token'],
  [of('xo', 'xb-1234567890-abcdef'), 'slack_token'],
  [of('AI', 'za', A36.slice(0, 35)), 'google_key'],
  [of('//registry/:_authToken=np', 'm_', A36), 'npm_token'],
  [of('sk', '_live_', A36.slice(0, 24)), 'stripe_key'],
  [of('OPENAI_API_KEY=s', 'k-proj-', A36), 'provider_key'],
  [of('s', 'k-ant-api03-', A36), 'provider_key'],
  [of('ey', 'JhbGciOiJIUzI1NiJ9.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0.', A36), 'signed_token'],
])('%s looks like a secret', (line, shape) => {
  expect(secretShape(line)).toBe(shape);
});

test.each([
  '-----BEGIN PUBLIC KEY-----',
  '-----BEGIN CERTIFICATE-----',
  'const key = process.env.OPENAI_API_KEY;',
  '<div class="sk-folding-cube sk-cube-parent-element">',
  'sk-learn-compatible-estimators-for-everyone',
  'npm_config_registry=somewhere',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  'sha512-9ZJdMzMvzMvzMvzMvzMvzMvzMvzMvzMvzMvzMvzMvzMvzMvzMvw==',
  'eyJ is how a token begins',
  'AKIA is the prefix of a key',
  'ghp_short',
])('%s does not look like a secret', (line) => {
  expect(secretShape(line)).toBe(null);
});

test('the lines a diff adds are found at their places, whatever a file contains', () => {
  const diff = [
    'diff --git a/a.txt b/a.txt',
    '--- a/a.txt',
    '+++ b/a.txt',
    '@@ -1,2 +1,3 @@',
    ' one',
    '-two',
    '+++ b/not-a-header',
    '+three',
    '\\ No newline at end of file',
    'diff --git a/b c.txt b/b c.txt',
    '--- /dev/null',
    '+++ b/b c.txt\t',
    '@@ -0,0 +1 @@',
    '+@@ -1 +1 @@',
    '',
  ].join('\n');
  expect(addedLines(diff)).toEqual([
    { path: 'a.txt', line: 2, text: '++ b/not-a-header' },
    { path: 'a.txt', line: 3, text: 'three' },
    { path: 'b c.txt', line: 1, text: '@@ -1 +1 @@' },
  ]);
});
