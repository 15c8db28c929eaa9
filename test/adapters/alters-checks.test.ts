import { expect, test } from 'vitest';
import { namesFile } from '../../src/adapters/workspace/changes/alters-checks-table.ts';

const manifest = (scripts: Record<string, string>) => JSON.stringify({ scripts });

test.each([
  ['scripts/check.sh', true],
  ['tools/run/all.mjs', true],
  ['tools/run/deep/all.mjs', false],
  ['lib/pre.js', true],
  ['all.mjs', true],
  ['tools/other.mjs', false],
])('a command names %s, by itself or in a folder it goes into: %s', (path, named) => {
  const scripts = {
    test: './scripts/check.sh && cd ./tools/run/ && node all.mjs',
    pretest: 'node lib/pre.js',
  };
  expect(namesFile(['npm test'], manifest(scripts))(path)).toBe(named);
});

test('a script is one of the manifest, whatever it is called', () => {
  const scripts = {
    test: 'npm run toString && npm run __proto__ && npm run a',
    a: 'npm run constructor; sh x.sh',
  };
  expect(namesFile(['npm test'], manifest(scripts))('x.sh')).toBe(true);
});

test('a script that goes into very many folders is asked about one path at a time', () => {
  const folders = Array.from({ length: 100_000 }, (_, n) => `cd f${n}; node w${n}`).join('; ');
  const isNamed = namesFile(['npm test'], manifest({ test: folders }));
  expect([isNamed('f7/w99999'), isNamed('f7/x')]).toEqual([true, false]);
});
