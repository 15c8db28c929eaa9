import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REJECTIONS } from '../../src/engine/rejection.ts';

/** How adapters and the composition name a failure of the world: each pattern has one way of writing it. */
const NAMED = [
  /\bcode: '([a-z_]+)',\s*retry\b/g,
  /\bfailure\((?:\w+ \? '[a-z_]+' : |\s*)'([a-z_]+)'/g,
  /\b\w+\(\w+, \w+, '(unknown_[a-z]+)'\)/g,
];

function failureCodes(): string[] {
  const files = [
    ...globSync('src/{adapters,files}/**/*.ts'),
    'src/engine/errors.ts',
    'src/read-settings-file.ts',
  ];
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const found = NAMED.map((pattern) => [...text.matchAll(pattern)].map(([, code = '']) => code));
  expect(found.every((codes) => codes.length > 0)).toBe(true);
  return found.flat();
}

const codes = [...new Set([...Object.keys(REJECTIONS), ...failureCodes()])].sort();

/** What a page says about one code, by code. */
const sections = new Map(
  globSync('docs/errors/*.md')
    .filter((file) => !file.endsWith('README.md'))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split(/^## /m)
        .slice(1)
        .map((text) => ({ file, text })),
    )
    .map(({ file, text }) => [text.split('\n')[0] ?? '', { file, text }]),
);

test('docs/errors explains every code that exists, and no other', () => {
  expect([...sections.keys()].sort()).toEqual(codes);
});

test.each(codes)('%s: what it means, what to do, and a link in the index', (code) => {
  const { file, text } = sections.get(code) ?? { file: '', text: '' };
  expect(text).toContain('**What it means.** ');
  expect(text).toContain('**What to do.** ');
  expect(readFileSync('docs/errors/README.md', 'utf8')).toContain(
    `[${code}](${file.split('/').at(-1)}#${code})`,
  );
});

test.each(Object.entries(REJECTIONS))(
  '%s: the page names the exit code of a refusal of kind %s',
  (code, kind) => {
    expect(sections.get(code)?.text).toContain(kind === 'usage' ? 'exit code 2' : 'exit code 3');
  },
);
