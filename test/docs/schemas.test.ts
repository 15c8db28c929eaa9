import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { publishedSchemas } from '../../scripts/schemas.ts';

const published = publishedSchemas();

test('docs/schema holds the published schemas and nothing else', () => {
  expect(readdirSync('docs/schema').sort()).toEqual(Object.keys(published).sort());
});

test.each(Object.keys(published))(
  'docs/schema/%s is what the code has (`node scripts/schemas.ts` writes it)',
  (name) => {
    expect(JSON.parse(readFileSync(`docs/schema/${name}`, 'utf8'))).toEqual(published[name]);
  },
);
