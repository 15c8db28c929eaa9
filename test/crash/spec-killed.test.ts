import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CrashOptions, crashScenarios } from './crash-scenarios.ts';
import { openFinishedPoints } from './finished-points.ts';
import { openProcessRuns, type ProcessRuns } from './process-runs.ts';
import { scenarios } from './scenarios.ts';

/** The part of `npm run crash` that exercises requirements of its own. The whole run takes hours. */
const said: string[] = [];
let processRuns: ProcessRuns;
beforeAll(async () => {
  processRuns = await openProcessRuns({ within: null, whole: false, say: (line) => said.push(line) });
});
afterAll(() => processRuns.remove());

/** Crashes these boundaries of one scenario; returns how many there were. */
async function crash(name: string, chosen: Partial<Pick<CrashOptions, 'at' | 'every'>>): Promise<number> {
  const finished = openFinishedPoints(null);
  await crashScenarios({
    scenarios: scenarios.filter((scenario) => scenario.name === name),
    processRuns,
    finished,
    every: 1,
    at: '',
    parallel: 2,
    signal: new AbortController().signal,
    say: (line) => said.push(line),
    ...chosen,
  });
  expect(finished.problems(), said.join('\n')).toEqual([]);
  return finished.sums().spec?.points ?? 0;
}

test('SP-05 SP-29 killed around the commit of every answer: the round is stored with all its pairs or not at all', async () => {
  expect(await crash('spec-three-rounds', { at: 'answering commit' })).toBeGreaterThanOrEqual(10);
});

test('SP-30 killed around every draft, in round 3 too: the round, what was typed and the earlier pairs are there', async () => {
  expect(await crash('spec-three-rounds', { at: 'storeDraft' })).toBeGreaterThanOrEqual(2);
});

test.each([['spec-plain'], ['spec-claude-md']])(
  'SP-55 killed around every write of the documents and resumed: each document exists exactly once, %s',
  async (name) => {
    expect(await crash(name, { at: ' write' })).toBeGreaterThanOrEqual(2);
  },
);

test('SP INV-13 killed at any boundary, with the same answers: the same final state, nothing asked twice, no text lost', async () => {
  expect(await crash('spec-modify-twice', { every: 9 })).toBeGreaterThanOrEqual(6);
});
