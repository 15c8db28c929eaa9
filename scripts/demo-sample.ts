/** The sample repository: an npm project without dependencies, with one function and a test that passes. */
export const SAMPLE: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify(
    { name: 'photos', version: '1.0.0', private: true, type: 'module', scripts: { test: 'node --test' } },
    null,
    2,
  )}\n`,
  'README.md': '# photos\n\nNames for photos.\n',
  'conventions.md': '# Conventions\n\n- No dependencies.\n- Every function has a test.\n',
  'src/names.js': `/** Taken at 2026-05-01T10:20:30, with .jpg: 2026-05-01-10-20-30.jpg. */
export function nameOf({ taken, ext }) {
  return taken.replaceAll(/[T:]/g, '-') + ext;
}
`,
  'test/name-of.test.js': `import assert from 'node:assert';
import test from 'node:test';
import { nameOf } from '../src/names.js';

test('a name is the date and the ending', () => {
  assert.equal(nameOf({ taken: '2026-05-01T10:20:30', ext: '.jpg' }), '2026-05-01-10-20-30.jpg');
});
`,
};

/** What the person has not committed yet. Nothing of it may change. */
export const UNCOMMITTED: Readonly<Record<string, string>> = {
  'README.md': '# photos\n\nNames for photos. (My own edit, not committed.)\n',
  'notes.txt': 'My own file, not in git.\n',
};
