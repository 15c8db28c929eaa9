import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { diagrams } from '../../scripts/draw-diagrams.ts';
import { deliverPhases } from '../../src/workflows/deliver/phases.ts';

const drawn = diagrams();

const titlesIn = (svg = '') => [...svg.matchAll(/<title>(\w+ to \w+)<\/title>/g)].map(([, title]) => title);

test('docs/diagrams has the drawings of the script and nothing else', () => {
  expect(readdirSync('docs/diagrams').sort()).toEqual(Object.keys(drawn).sort());
});

test.each(Object.keys(drawn))('docs/diagrams/%s is what `npm run diagrams` draws', (name) => {
  expect(readFileSync(`docs/diagrams/${name}`, 'utf8')).toBe(drawn[name]);
});

test('the run has one arrow for each edge of the phase table', () => {
  const edges = Object.entries(deliverPhases).flatMap(([from, { to }]) =>
    to.map((name) => `${from} to ${name}`),
  );
  expect(titlesIn(drawn['deliver-run.svg']).sort()).toEqual(edges.sort());
});

test('the layers have a box for each folder of src, with the imports that the rules allow', () => {
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const boxes = [...(drawn['layers.svg'] ?? '').matchAll(/>src\/(\w+)\/<\/text>\n<text[^>]*>([^<]*)</g)];
  expect(boxes.map(([, name]) => name).sort()).toEqual(folders.map(({ name }) => name).sort());
  const notes = Object.fromEntries(boxes.map(([, name, note]) => [name, note]));
  expect(notes).toMatchObject({
    contract: 'imports no other layer',
    adapters: 'imports contract, engine, files, ports',
  });
});
