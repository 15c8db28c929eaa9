import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ACTIONS } from '../hostile/actions.ts';

const FILE = 'docs/guide/security.md';
const page = readFileSync(FILE, 'utf8');

/** `[words](file "name of a test or of a row of actions")`. */
const LINK = /\[[^\]]+\]\(([^\s)]+)(?:\s+"([^"]+)")?\)/g;

interface Link {
  readonly file: string;
  readonly name: string | undefined;
}

function linksIn(text: string): Link[] {
  return [...text.matchAll(LINK)].map(([, to = '', name]) => ({
    file: path.join(path.dirname(FILE), to),
    name,
  }));
}

/** Titles of tests, as they are written before `%s` is filled in, and keys of tables. */
function namesIn(file: string): Set<string> {
  const source = readFileSync(file, 'utf8');
  const titled = source.matchAll(/\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\s*,/g);
  const keyed = source.matchAll(/^ {2}(?:'([^']+)'|"([^"]+)"): \{$/gm);
  return new Set([...titled, ...keyed].map(([, single, double]) => unescaped(single ?? double ?? '')));
}

function unescaped(literal: string): string {
  return literal
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\(.)/g, '$1');
}

/** Cells of the rows that say what comes of an attempt. */
const rows = page
  .split('\n')
  .filter((line) => /^\| (?!\*\*|attempt\b)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));

test('every link of the security guide leads to a file that has the test it names', () => {
  const links = linksIn(page);
  expect(links.length).toBeGreaterThan(rows.length);
  const missing = links.filter(
    ({ file, name }) => !existsSync(file) || (name !== undefined && !namesIn(file).has(name)),
  );
  expect(missing).toEqual([]);
});

test('every attempt in the security guide names the test that makes it', () => {
  expect(rows.length).toBeGreaterThan(20);
  const unproven = rows.filter((cells) => !linksIn(cells.at(-1) ?? '').some(({ name }) => name));
  expect(unproven).toEqual([]);
});

test('the security guide has every hostile action with the result that its test expects', () => {
  const told = Object.fromEntries(rows.map(([name = '', ...cells]) => [name, cells.slice(0, 2)]));
  const tried = Object.entries(ACTIONS).map(([name, { aim, bare }]) => [
    name,
    [aim === 'cheat' ? 'noticed' : 'stopped', bare],
  ]);
  expect(told).toMatchObject(Object.fromEntries(tried));
});
