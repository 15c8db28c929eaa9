import { expect, test } from 'vitest';
import { HAPPY, NPM_PROJECT } from '../support/deliver-script.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { answerDeliver, gitIn, playDeliver, shown } from './deliver-by-hand.ts';

const newWorld = worldsOfTest();

const BROKEN = [
  "import assert from 'node:assert';",
  "import test from 'node:test';",
  "test('was broken before', () => assert.equal(1, 2));",
  "test('was broken too', () => assert.equal(1, 3));",
  '',
].join('\n');

test('TRUST-16 a pass over failures that were there before is told with them: gate, end, commit and evidence', async () => {
  const world = newWorld({ git: true, files: { ...NPM_PROJECT, 'test/old.test.js': BROKEN } });
  const told = 'with 2 failures that were there before';
  const { run, screen } = await playDeliver(world, HAPPY);
  expect(screen).toContain(`Checks: PASS, ${told}.`);
  expect(screen).toContain(`Passed, ${told}: 1 of 1 criteria have evidence.`);
  const evidence = await shown(world, run, 'evidence');
  expect(evidence).toContain(`Passed, ${told}`);
  expect(evidence).not.toContain('Passed: yes');

  const end = await answerDeliver(world, run, 'code_only');
  expect(end.screen).toContain(`checks ${told}`);
  expect(gitIn(world, 'log', '-1', '--format=%B', 'baton/deliver-add-an-add-function')).toContain(told);
  const stored = JSON.parse(await shown(world, run, 'evidence_json')) as Record<string, unknown>;
  expect(stored).toMatchObject({ passed: true, old_failures: 2 });
});
