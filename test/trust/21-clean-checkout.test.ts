import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  changeNotes,
  deliverSpec,
  type Entry,
  NPM_PROJECT,
  passing,
  type Roles,
} from '../support/deliver-script.ts';
import { type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { answerDeliver, callsOf, gitIn, playDeliver, shown } from './deliver-by-hand.ts';

const newWorld = worldsOfTest();

const TEST = [
  "import assert from 'node:assert';",
  "import test from 'node:test';",
  "import { add } from '../src/add.js';",
  "test('adds', () => assert.equal(add(1, 2), 3));",
  '',
].join('\n');
const ADD = { path: 'src/add.js', content: 'export const add = (a, b) => a + b;\n' };
const SHOWN = [
  { path: '.gitignore', content: 'src/add.js\n' },
  { path: 'test/add.test.js', content: TEST },
];
const paths = (edits: readonly Entry[]) => edits.map(({ path: name }) => name as string);

function roles(...attempts: readonly (readonly Entry[])[]): Roles {
  return {
    planner_single: [{ result: deliverSpec() }],
    generator_single: attempts.map((edits) => ({ edits, result: changeNotes({ files: paths(edits) }) })),
    evaluator: [passing(['.gitignore', 'src/add.js', 'test/add.test.js'])],
  };
}

/** Every folder `clean` that is left in the state directory. */
function leftovers(world: World): string[] {
  const found = readdirSync(world.home, { recursive: true, encoding: 'utf8' });
  return found.filter((name) => path.basename(name) === 'clean');
}

test('TRUST-21 WF-49: a file hidden by the change itself fails the checks of the commit; the author is told its name', async () => {
  const world = newWorld({ git: true, files: NPM_PROJECT });
  const hidden = [...SHOWN, ADD];
  const mended = [{ path: '.gitignore', content: 'node_modules/\n' }, ADD];
  const { run, screen } = await playDeliver(world, roles(hidden, mended));
  expect(screen).toContain(
    'Checks: FAIL. passes only with files that are not part of the commit: src/add.js; test: ',
  );
  expect(await callsOf(world, run, 'generator_single')).toBe(2);
  expect(screen).toContain('Commit 3 files?');
  expect(leftovers(world)).toEqual([]);

  await answerDeliver(world, run, 'code_only');
  const checkout = path.join(world.root, '..', 'branch');
  gitIn(world, 'worktree', 'add', '-q', checkout, 'baton/deliver-add-an-add-function');
  expect(existsSync(path.join(checkout, 'src/add.js'))).toBe(true);
});

test('TRUST-21 ignored files that no check needs do not fail it; gate and evidence say that the commit passes by itself', async () => {
  const world = newWorld({ git: true, files: { ...NPM_PROJECT, '.gitignore': 'notes.log\n' } });
  const edits = [{ path: 'notes.log', content: 'tried\n' }, ADD, { path: 'test/add.test.js', content: TEST }];
  const played = roles(edits);
  const { run, screen } = await playDeliver(world, {
    ...played,
    evaluator: [passing(['src/add.js', 'test/add.test.js'])],
  });
  const told = 'The checks also pass on a clean checkout of the commit.';
  expect(screen).toContain(told);
  expect(await shown(world, run, 'evidence')).toContain(told);
});
