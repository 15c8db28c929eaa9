import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { isRejection } from '../../src/engine/rejection.ts';
import { deliverScript, type Entry, HAPPY, passing, writes } from '../support/deliver-script.ts';
import type { Lab } from '../support/lab.ts';
import { labsOfTest, playTo } from './quick-lab.ts';

const labs = labsOfTest();
const INPUT = { task: 'Add an add function', mode: 'single', model_config: 'balanced' };
const BRANCH = 'baton/deliver-add-an-add-function';
const SRC = { 'src/sums.js': 'export const subtract = (a, b) => a - b;\n' };
const config = (test: string, more = '') => `checks:\n  test: '${test}'\n${more}`;
const ANSWERS = { conventions: [['skip']], spec: [['proceed']] } as const;

async function play(
  roles: Readonly<Record<string, readonly Entry[]>>,
  files: Readonly<Record<string, string>>,
) {
  const lab = await labs.open({
    git: true,
    files: { ...SRC, ...files },
    script: deliverScript({ ...HAPPY, ...roles }),
  });
  const drive = await lab.start('deliver', INPUT);
  return { lab, drive };
}

function committed(lab: Lab): string[] {
  const args = ['diff-tree', '-r', '--name-only', '--no-commit-id', BRANCH];
  return execFileSync('git', args, { cwd: lab.root, encoding: 'utf8' }).trim().split('\n');
}

async function shown(lab: Lab, run: string, name: string): Promise<string> {
  const all = await lab.api.artefacts(run);
  if (isRejection(all)) throw new Error('no documents');
  return all.find((one) => one.name === name)?.text ?? '';
}

test('the diff a person decides on has every changed and created line', async () => {
  const { lab, drive } = await play({}, { 'baton.yaml': config('true') });
  const rest = await playTo(lab, drive, ANSWERS, 'commit');
  expect(Object.keys(rest.gate?.artefacts ?? {})).toContain('diff');
  const diff = await shown(lab, drive.run, 'diff');
  expect(diff).toContain('+export const add = (a, b) => a + b;');
  expect(diff).toContain('+++ b/test/add.test.js');
  expect(JSON.stringify(rest.gate?.brief.context)).toContain('M src/sums.js  +1 −0');
});

test.each([
  ['ends badly after its result', { exit: 3 }],
  ['is killed after its result', { crash: true }],
])('WF-87: a worker that %s has not finished: nothing of it is kept', async (_name, end) => {
  const half = writes(undefined, { ...end, attempts: [1, 2, 3].map(() => writes(undefined, end)) });
  const { lab, drive } = await play({ generator_single: [half] }, { 'baton.yaml': config('true') });
  const rest = await playTo(lab, drive, ANSWERS, 'trouble_infrastructure');
  expect(rest.outcome).toBeNull();
  expect(rest.gate?.name ?? rest.status).toMatch(/^(trouble_infrastructure|halted)$/);
  const status = execFileSync('git', ['status', '--porcelain', '--', 'src', 'test'], {
    cwd: lab.deps.treeOf(await lab.row(drive.run)).root,
    encoding: 'utf8',
  });
  if (rest.status === 'halted') expect(status).toBe('');
});

test('INV-9: evidence that names a place which is not in the tree is none', async () => {
  const [row] = passing().result.criteria;
  const lie = passing(undefined, undefined, {
    criteria: [{ ...row, evidence: [{ file: 'no/such/file.ts', line: 99_999 }] } as never],
  });
  const { lab, drive } = await play(
    { evaluator: [{ ...lie, attempts: [lie, lie] }] },
    { 'baton.yaml': config('true') },
  );
  const rest = await playTo(lab, drive, ANSWERS, 'qa');
  expect(rest.gate?.name).toBe('qa');
});

test('success with nothing changed is no success', async () => {
  const nothing = writes([]);
  const { lab, drive } = await play(
    { generator_single: [nothing, nothing] },
    { 'baton.yaml': config('true') },
  );
  const rest = await playTo(lab, drive, ANSWERS, 'verify');
  expect(rest.gate?.name).toBe('verify');
  expect(JSON.stringify(rest.gate?.brief)).toContain('deliver.verify.empty');
});

test("what a check writes is neither the author's nor committed", async () => {
  const { lab, drive } = await play({}, { 'baton.yaml': config('date +%N >> made-by-check.txt') });
  const rest = await playTo(lab, drive, { ...ANSWERS, commit: [['code_only']] });
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(committed(lab)).toEqual(['src/sums.js', 'test/add.test.js']);
});

test('packages of the project are installed in the tree before anything is checked, and never committed', async () => {
  const manifest = {
    name: 'sums',
    version: '1.0.0',
    type: 'module',
    scripts: { test: 'node -e "import(\'helper\').then((it) => process.exit(it.default))"' },
    dependencies: { helper: 'file:./helper' },
  };
  const helper = { name: 'helper', version: '1.0.0', type: 'module', main: 'index.js' };
  const { lab, drive } = await play(
    {},
    {
      'package.json': JSON.stringify(manifest),
      'helper/package.json': JSON.stringify(helper),
      'helper/index.js': 'export default 0;\n',
    },
  );
  const rest = await playTo(lab, drive, { ...ANSWERS, commit: [['code_only']] });
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(await shown(lab, drive.run, 'verify_report')).toContain('## test: pass');
  expect(committed(lab)).toEqual(['src/sums.js', 'test/add.test.js']);
});

test('a worker that was refused and changed nothing has not done its work, and resume asks it again', async () => {
  const idle = { result: writes().result, denied: ['Write(src/sums.js)', 'Bash(npm test)'] };
  const { lab, drive } = await play({ generator_single: [idle, writes()] }, { 'baton.yaml': config('true') });
  const rest = await playTo(lab, drive, ANSWERS);
  expect(rest.status).toBe('halted');
  expect(rest.wait?.why).toMatchObject({
    msg: 'deliver.halt.refused',
    args: { what: 'Write(src/sums.js), Bash(npm test)' },
  });
  const denied = lab.progress.filter((one) => one.type === 'notice' && one.text.msg === 'engine.call_denied');
  expect(denied).toHaveLength(1);
  await lab.api.command({ run: drive.run, command: 'resume' });
  expect((await playTo(lab, drive, {}, 'commit')).gate?.name).toBe('commit');
});

test('what a worker was refused stands in the evidence of the change it made all the same', async () => {
  const { lab, drive } = await play(
    { generator_single: [{ ...writes(), denied: 'network' }] },
    { 'baton.yaml': config('true') },
  );
  await playTo(lab, drive, ANSWERS, 'commit');
  const parts = await lab.deps.store.records(drive.run, 'entry', 'evidence');
  const judged = parts
    .map(({ record }) => record)
    .find((record) => JSON.stringify(record).includes('judged'));
  expect(judged).toMatchObject({ data: { part: 'judged', refused: ['network'] } });
});
