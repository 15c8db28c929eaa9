import { expect, test } from 'vitest';
import { changeNotes, deliverScript, deliverSpec, passing, type Roles } from '../support/deliver-script.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { gitIn, playDeliver, shown } from './deliver-by-hand.ts';

const newWorld = worldsOfTest();

const SUMS = 'export const subtract = (a, b) => a - b;\n';
const ADD = { path: 'src/sums.js', content: `${SUMS}export const add = (a, b) => a + b;\n` };
const testFile = (...lines: string[]) =>
  [
    "import assert from 'node:assert';",
    "import test from 'node:test';",
    "import { subtract } from '../src/sums.js';",
    ...lines,
    '',
  ].join('\n');
const FIRST = "test('subtracts', () => assert.equal(subtract(3, 1), 2));";
const SECOND = "test('keeps zero', () => assert.equal(subtract(0, 0), 0));";
const manifest = (script: string) =>
  `${JSON.stringify({ name: 'sums', version: '1.0.0', type: 'module', scripts: { test: script } })}\n`;

const PROJECT = {
  'package.json': manifest('node --test'),
  'src/sums.js': SUMS,
  'test/subtract.test.js': testFile(FIRST, SECOND),
};

const unittests = (...names: string[]) =>
  [
    'import unittest',
    'class Sums(unittest.TestCase):',
    ...names.map((name) => `    def ${name}(self): pass`),
    '',
  ].join('\n');
const config = (command: string) =>
  `checks: { build: null, test: '${command}', lint: null, type_check: null }\n`;
const dotnet = (passed: number, skipped: number) =>
  `echo "Passed!  - Failed: 0, Passed: ${passed}, Skipped: ${skipped}, Total: ${passed + skipped}"\n`;

/** An author who makes these edits, and an evaluator who finds everything good. */
function author(edits: readonly { path: string; content: string }[]): Roles {
  const paths = edits.map(({ path }) => path);
  return {
    planner_single: [{ result: deliverSpec() }],
    generator_single: [{ edits, result: changeNotes({ files: paths }) }],
    evaluator: [passing(paths)],
  };
}

interface Edit {
  readonly path: string;
  readonly content: string;
}
type Row = [name: string, edit: Edit, told: string, files?: Readonly<Record<string, string>>];

test.each<Row>([
  [
    'a deleted test',
    { path: 'test/subtract.test.js', content: testFile(FIRST) },
    'test: 1 test of the project no longer runs: "keeps zero".',
  ],
  [
    'a skipped test',
    { path: 'test/subtract.test.js', content: testFile(FIRST, SECOND.replace('test(', 'test.skip(')) },
    'test: 1 test of the project is skipped now: "keeps zero".',
  ],
  [
    'a renamed test',
    { path: 'test/subtract.test.js', content: testFile(FIRST, SECOND.replace('keeps', 'holds')) },
    'test: 1 test of the project no longer runs: "keeps zero". 1 test is new.',
  ],
  [
    'a test command that does nothing',
    { path: 'package.json', content: manifest('true') },
    'test: the command means something else than before this change. Before: test: node --test Now: test: true',
  ],
  [
    'a test of a runner that names its tests only when asked',
    { path: 'test_sums.py', content: unittests('test_one') },
    'test: 1 test of the project no longer runs: "test_sums.Sums.test_two".',
    { 'baton.yaml': config('python3 -m unittest'), 'test_sums.py': unittests('test_one', 'test_two') },
  ],
  [
    'a test of a runner that names none',
    { path: 'run.sh', content: dotnet(1, 0) },
    'test: 1 test fewer than before this change, names unknown.',
    { 'baton.yaml': config('sh run.sh'), 'run.sh': dotnet(2, 0) },
  ],
  [
    'a test whose absence another test hides by a line of the reporter',
    {
      path: 'test/subtract.test.js',
      content: testFile(FIRST, "console.log('✔ anything (1ms)');", SECOND.replace('keeps', 'holds')),
    },
    'test: cannot tell whether tests were removed or skipped. The output no longer says which tests ran.',
  ],
  [
    'output that no longer says which tests ran',
    { path: 'run.sh', content: 'true\n' },
    'test: cannot tell whether tests were removed or skipped. The output no longer says which tests ran.',
    { 'baton.yaml': config('sh run.sh'), 'run.sh': dotnet(2, 0) },
  ],
  [
    'a make target that does nothing',
    { path: 'Makefile', content: 'unit:\n\ttrue\n' },
    'test: the command means something else than before this change. Before: unit: node --test Now: unit: true',
    { 'baton.yaml': config('make unit'), Makefile: 'unit:\n\tnode --test\n' },
  ],
  [
    'a command in baton.yaml that does nothing',
    { path: 'baton.yaml', content: config('true') },
    'test: the command means something else than before this change. Before: node --test Now: baton.yaml: true',
    { 'baton.yaml': config('node --test') },
  ],
])(
  'TRUST-13 %s is listed at the commit gate and in the evidence, and no commit is recommended',
  async (_, edit, told, files = {}) => {
    const world = newWorld({ git: true, files: { ...PROJECT, ...files } });
    const { run, screen } = await playDeliver(world, author([ADD, edit]));
    expect(screen).toContain('Commit 2 files?');
    expect(screen).toContain(told);
    expect(screen).not.toContain('high confidence');
    expect(screen).toMatch(/No commit \(your call\)/);
    const evidence = (await shown(world, run, 'evidence')).replace(/\s+/g, ' ');
    expect(evidence.replaceAll('\\', '')).toContain(told);
    expect((await shown(world, run, 'qa_report')).replace(/\s+/g, ' ')).toMatch(/checks: test: /);
  },
);

test('TRUST-13 a runner that never said which tests ran is told as such, and nothing is held against the change', async () => {
  const world = newWorld({
    git: true,
    files: { ...PROJECT, 'baton.yaml': config('sh run.sh'), 'run.sh': 'true\n' },
  });
  const { screen } = await playDeliver(world, author([ADD]));
  expect(screen).toContain(
    'cannot tell whether tests were removed or skipped. The output does not say which',
  );
  expect(screen).toContain('Code only (high confidence)');
});

const RELEASE = "release: { checks: 'true', approved: 'true', bot: true }\n";

test.each<Row>([
  [
    'a deleted test',
    { path: 'test/subtract.test.js', content: testFile(FIRST) },
    'test: 1 test of the project no longer runs: "keeps zero".',
  ],
  [
    'a test command that does nothing',
    { path: 'package.json', content: manifest('true') },
    'test: the command means something else than before this change. Before: test: node --test Now: test: true',
  ],
])(
  'TRUST-13 CON-87 a ticket’s build has no commit gate: %s is listed at its release gate',
  async (_, edit, told) => {
    const world = newWorld({ git: true, files: { ...PROJECT, 'baton.yaml': RELEASE } });
    gitIn(world, 'init', '-q', '--bare', '../remote.git');
    gitIn(world, 'remote', 'add', 'origin', '../remote.git');
    gitIn(world, 'push', '-q', 'origin', 'HEAD:main');
    const { generator_single = [] } = author([ADD, edit]);
    world.file('../script.yaml', deliverScript({ generator_single }));
    await world.run('ticket', 'create', 'Add an add function', '--script', '../script.yaml');
    const { stdout } = await world.person('conduct', 'B-1', '--unattended');
    const [, gate = ''] = stdout.replace(/\s+/g, ' ').split('Release · B-1');
    expect(gate).toContain('DECIDE');
    expect(gate.split('DECIDE')[0]).toContain(told);
    expect(gate).toContain('Read the warnings at the top and the diff before you accept (low confidence)');
  },
);
