import { expect, test } from 'vitest';
import { changeNotes, deliverSpec, passing, type Roles } from '../support/deliver-script.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { callsOf, playDeliver, shown } from './deliver-by-hand.ts';

const newWorld = worldsOfTest();

/** Fails with a place on the runs named, counted in a file that git ignores. Run 1 is the baseline. */
const project = (fails: string) => ({
  'baton.yaml': "checks: { build: null, test: 'sh run.sh', lint: null, type_check: null }\n",
  '.gitignore': '.count\n',
  'run.sh': [
    'n=$(cat .count 2>/dev/null || echo 0); n=$((n + 1)); echo $n > .count',
    `case " ${fails} " in *" $n "*) echo 'src/race.js:3: error: lost a race'; exit 1;; esac`,
    '',
  ].join('\n'),
});

const edits = [{ path: 'src/add.js', content: 'export const add = (a, b) => a + b;\n' }];
const author: Roles = {
  planner_single: [{ result: deliverSpec() }],
  generator_single: [1, 2, 3, 4].map(() => ({ edits, result: changeNotes({ files: ['src/add.js'] }) })),
  evaluator: [passing(['src/add.js'])],
};

test.each([
  ['fails once and then passes is flaky and costs no repair', '2', 1],
  ['fails twice on the same files costs one repair', '2 3', 2],
])('TRUST-14 WF-50: a check that %s', async (_, fails, authors) => {
  const world = newWorld({ git: true, files: project(fails) });
  const { run, screen } = await playDeliver(world, author);
  expect(screen).toContain('Commit 1 file?');
  expect(await callsOf(world, run, 'generator_single')).toBe(authors);
  const told =
    'test is flaky: it failed at first (src/race.js:3 src/race.js:3: error: lost a race) and passed when it was run again on the same files. No repair was counted.';
  const isFlaky = authors === 1;
  expect(screen.includes(told)).toBe(isFlaky);
  expect((await shown(world, run, 'evidence')).replace(/\s+/g, ' ').includes(told)).toBe(isFlaky);
});
