import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DeliverState } from '../../src/contract/deliver.ts';
import type { Entry, Roles } from '../support/deliver-script.ts';
import {
  BRANCH,
  changedIn,
  changing,
  DOCS,
  deliver,
  deliverState,
  type Ground,
  groundsOfTest,
  personal,
  runIn,
  walk,
} from './deliver-lab.ts';

const grounds = groundsOfTest();
const hasPython = spawnSync('python3', ['--version']).status === 0;

const node = (name: string, more: object = {}) =>
  `${JSON.stringify({ name, version: '1.0.0', type: 'module', ...more }, null, 2)}\n`;
const nodeTest = (from: string, call: string, value: string) =>
  `import assert from 'node:assert';\nimport test from 'node:test';\nimport { ${call} } from '${from}';\n` +
  `test('${call}', () => assert.equal(${call}(), ${value}));\n`;

/** Runs the change to its commit: exactly these files on the branch, its tests pass, the person's things untouched. */
async function commits(
  ground: Ground,
  edits: readonly Entry[],
  command: string,
  roles: Roles = changing(edits),
): Promise<DeliverState> {
  const before = personal(ground);
  const lab = await grounds.open(ground, roles);
  const rest = await deliver(lab);
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(
    changedIn(ground, BRANCH)
      .map((line) => line.slice(2))
      .sort(),
  ).toEqual(edits.map(({ path }) => path).sort());
  expect(ground.git('rev-parse', `${BRANCH}^`)).toBe(ground.git('rev-parse', 'HEAD'));
  runIn(ground, BRANCH, command);
  expect(personal(ground)).toEqual(before);
  return deliverState(lab, rest.run);
}

test.skipIf(!hasPython)(
  'a Python project: its own tests judge the change, its commit passes them',
  async () => {
    const ground = grounds.repository({
      'pyproject.toml': '[project]\nname = "sums"\nversion = "1"\n',
      'baton.yaml': 'checks: { test: python3 -m unittest }\n',
      '.gitignore': '__pycache__/\n',
      'sums/__init__.py': 'def subtract(a, b):\n    return a - b\n',
      'test_sums.py':
        'import unittest\n\n\nclass Sums(unittest.TestCase):\n    def test_it(self):\n        pass\n',
    });
    const edits = [
      { path: 'sums/__init__.py', content: 'def add(a, b):\n    return a + b\n' },
      {
        path: 'test_sums.py',
        content:
          'import unittest\nimport sums\n\n\nclass Sums(unittest.TestCase):\n' +
          '    def test_add(self):\n        self.assertEqual(sums.add(1, 2), 3)\n',
      },
    ];
    const state = await commits(ground, edits, 'python3 -m unittest');
    expect(state).toMatchObject({ lang: 'python', checks: { test_cmd: 'python3 -m unittest' } });
    expect(state.checks.report?.checks[1]).toMatchObject({ name: 'test', result: 'pass', exit: 0 });
  },
);

test('a monorepo with workspaces: one change across two packages, tested by both', async () => {
  const ground = grounds.repository({
    'package.json': node('all', {
      private: true,
      workspaces: ['packages/*'],
      scripts: { test: 'node --test' },
    }),
    'packages/words/package.json': node('words', { scripts: { test: 'node --test' } }),
    'packages/words/index.js': "export const hello = () => 'hello';\n",
    'packages/shout/package.json': node('shout', { scripts: { test: 'node --test' } }),
    'packages/shout/index.js': 'export {};\n',
  });
  const edits = [
    {
      path: 'packages/shout/index.js',
      content:
        "import { hello } from '../words/index.js';\nexport const shout = () => hello().toUpperCase();\n",
    },
    { path: 'packages/shout/shout.test.js', content: nodeTest('./index.js', 'shout', "'HELLO'") },
    { path: 'packages/words/words.test.js', content: nodeTest('./index.js', 'hello', "'hello'") },
  ];
  const state = await commits(ground, edits, 'npm test --silent');
  expect(state).toMatchObject({ lang: 'typescript', checks: { test_cmd: 'npm test' } });
  expect(state.checks.report?.checks[1]).toMatchObject({ counts: { total: 2, passed: 2 } });
});

test('a polyglot project with a makefile: a change to one language only fails its checks and is repaired', async () => {
  const ground = grounds.repository({
    'baton.yaml': 'checks: { build: make build, test: make -s test }\n',
    Makefile: 'build:\n\t@sh -n greet.sh\ntest:\n\t@test "$$(sh greet.sh)" = "$$(node greet.mjs)"\n',
    'go.mod': 'module example.org/greet\n',
    'Cargo.toml': '[package]\nname = "greet"\nversion = "1.0.0"\n',
    'greet.sh': 'echo hello\n',
    'greet.mjs': "console.log('hello');\n",
  });
  const edits = [
    { path: 'greet.sh', content: 'echo HELLO\n' },
    { path: 'greet.mjs', content: "console.log('HELLO');\n" },
  ];
  const whole = changing(edits);
  const half = changing(edits.slice(0, 1));
  const generator_single = [...(half.generator_single ?? []), ...(whole.generator_single ?? [])];
  const state = await commits(ground, edits, 'make build && make test', { ...whole, generator_single });
  expect(state).toMatchObject({ checks: { build_cmd: 'make build', test_cmd: 'make -s test' } });
  expect(state.checks.verify).toMatchObject({ layer1_result: 'PASS', layer1_retries: 1 });
});

test('a plain folder without git: the change stays in the folder with its documents, and no git is made', async () => {
  const ground = grounds.plain({
    'package.json': node('greet', { scripts: { test: 'node --test' } }),
    'greet.js': "export const greet = () => 'hello';\n",
    'mine.txt': 'not part of it\n',
  });
  const before = walk(ground.root, () => false);
  const edits = [
    { path: 'greet.js', content: "export const greet = () => 'HELLO';\n" },
    { path: 'greet.test.js', content: nodeTest('./greet.js', 'greet', "'HELLO'") },
  ];
  const lab = await grounds.open(ground, changing(edits));
  const rest = await deliver(lab);
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  const after = walk(ground.root, (name) => name === 'docs');
  expect(Object.keys(after).sort()).toEqual([...Object.keys(before), 'greet.test.js'].sort());
  expect(after).toMatchObject({ 'mine.txt': before['mine.txt'], 'package.json': before['package.json'] });
  expect(readFileSync(ground.path(`${DOCS}/evidence.md`), 'utf8')).toContain('AC-1');
  execFileSync('npm', ['test', '--silent'], { cwd: ground.root, stdio: 'pipe' });
});
