import { expect, test } from 'vitest';
import { changeNotes, deliverSpec, NPM_PROJECT, passing, type Roles } from '../support/deliver-script.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { answerDeliver, callsOf, playDeliver, shown } from './deliver-by-hand.ts';

const newWorld = worldsOfTest();

/** An author who says it is done and writes nothing, every time. */
const nothing = { edits: [], result: changeNotes({ files: [] }) };
const EMPTY: Roles = {
  planner_single: [{ result: deliverSpec() }],
  generator_single: [nothing, nothing, nothing, nothing],
  evaluator: [passing([]), passing([]), passing([])],
};

test('TRUST-15 WF-52: a change that changes nothing gets one repair, then a person is asked; nobody evaluates it', async () => {
  const world = newWorld({ git: true, files: NPM_PROJECT });
  const { run, screen } = await playDeliver(world, EMPTY);
  expect(screen).toContain('Nothing was changed, also not by 1 repair. What now?');
  expect(await callsOf(world, run, 'generator_single')).toBe(2);
  expect(await callsOf(world, run, 'evaluator')).toBe(0);

  const evaluated = await answerDeliver(world, run, 'as_is');
  expect(evaluated.screen).toContain('Commit 0 files?');
  expect(await callsOf(world, run, 'evaluator')).toBe(1);
  expect(await shown(world, run, 'evidence')).toMatch(/layer1_waiver: Tess Tester/);
});
