import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { DeliverState } from '../../src/contract/deliver.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import { deepScript, spec } from '../support/deep-script.ts';
import { deliverScript, deliverSpec, NPM_PROJECT, passing, writes } from '../support/deliver-script.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import { ask, draft, labsOfTest, playTo, reopen, stateOf } from './quick-lab.ts';

const labs = labsOfTest();
const APPROVED = { questions: [['skip']], approval: [['approve']], conventions: [['skip']] } as const;
const TASKS = [
  'Add an add function',
  '더하기 함수를 추가하는 기능',
  '足し算の関数を追加する',
  '添加一个加法函数',
  'Una función que suma dos números',
];
const SCRIPT = deliverScript({
  interviewer: [ask('Which numbers?')],
  writer: [draft(['q1'])],
  planner_single: [{ result: deliverSpec() }],
  generator_single: [writes()],
  evaluator: [passing()],
});

async function approved(lab: Lab, task: string): Promise<string> {
  const drive = await lab.start('spec', { task, mode: 'quick' });
  const rest = await playTo(lab, drive, APPROVED, 'next_step');
  expect(rest.gate?.name).toBe('next_step');
  await drive.close();
  return drive.run;
}

async function planOf(lab: Lab, run: string): Promise<DeliverState> {
  return (await lab.row(run)).state as unknown as DeliverState;
}

/** What a child starts from, without what differs between two runs. */
function inputsOf({ slug, docs_path, task, user_lang, from_spec }: DeliverState) {
  return { slug, docs_path, task, user_lang, from_spec };
}

function git(lab: Lab, ...args: string[]): string {
  return execFileSync('git', args, { cwd: lab.root, encoding: 'utf8' }).trim();
}

test.each(TASKS)(
  'SP-56: "%s": the child has the documents of its parent, now and another day',
  async (task) => {
    const lab = await labs.open({ script: SCRIPT });
    const parent = await approved(lab, task);
    const { slug, docs_path, approved: approval } = await stateOf(lab, parent);
    const later = await lab.start('deliver', { from_spec: parent });
    const folder = await lab.start('deliver', { from_spec: docs_path });
    const drive = await reopen(lab, parent);
    const rest = await playTo(lab, drive, { next_step: [['start_deliver']] });
    const child = await planOf(lab, rest.successor as string);
    expect((await lab.row(rest.successor as string)).parent).toBe(parent);
    expect(child).toMatchObject({ slug, docs_path, from_spec: { run: parent, spec: approval?.spec } });
    expect(inputsOf(await planOf(lab, later.run))).toEqual(inputsOf(child));
    expect(inputsOf(await planOf(lab, folder.run))).toEqual(inputsOf(child));
  },
);

test('SP-67: a Korean parent has a child with a Korean task and the English path; nothing else is copied', async () => {
  const lab = await labs.open({ git: true, script: SCRIPT });
  const parent = await approved(lab, '사진 이름을 날짜로 바꾸는 도구');
  const { docs_path } = await stateOf(lab, parent);
  const drive = await reopen(lab, parent);
  const rest = await playTo(lab, drive, { next_step: [['start_deliver']] });
  const run = rest.successor as string;
  expect((await planOf(lab, run)).task).toBe(`승인된 명세 ${docs_path}spec.md 구현하기`);
  expect(await planOf(lab, run)).toMatchObject({ user_lang: 'ko', mode: null, model_config: null });
  const child = await reopen(lab, run);
  const mode = await playTo(lab, child, {}, 'mode');
  expect(mode.gate?.name).toBe('mode');
  const model = await playTo(lab, child, { mode: [['single']] }, 'model');
  expect(model.gate?.name).toBe('model');
});

test('SP INV-15: a whole child run leaves slug, docs_path and the approved spec as they were', async () => {
  const lab = await labs.open({ git: true, files: NPM_PROJECT, script: SCRIPT });
  const parent = await approved(lab, 'Add an add function to the sums');
  const { slug, docs_path, branch, approved: approval } = await stateOf(lab, parent);
  const before = git(lab, 'rev-parse', `${branch}:${docs_path}spec.md`);
  const drive = await reopen(lab, parent);
  const { successor } = await playTo(lab, drive, { next_step: [['start_deliver']] });
  const child = await reopen(lab, successor as string);
  const ended = await playTo(lab, child, {
    mode: [['single']],
    model: [['balanced']],
    conventions: [['skip']],
    spec: [['proceed']],
    commit: [['commit_all']],
  });
  expect(ended).toMatchObject({ status: 'ended', outcome: 'passed' });
  const state = await planOf(lab, successor as string);
  expect(state).toMatchObject({ slug, docs_path, from_spec: { spec: approval?.spec } });
  const { branch: own } = state;
  expect(git(lab, 'rev-parse', `${own}:${docs_path}spec.md`)).toBe(before);
  expect(git(lab, 'ls-tree', '--name-only', `${own}:${docs_path}`).split('\n')).toContain('deliver_spec.md');
  expect(git(lab, 'merge-base', '--is-ancestor', branch as string, own as string)).toBe('');
});

test('WF-94: unknown, unapproved and edited specifications are refused before anything is created', async () => {
  const lab = await labs.open({ script: SCRIPT });
  const open = await lab.start('spec', { task: 'Not approved yet', mode: 'quick' });
  const parent = await approved(lab, 'Add an add function');
  const { docs_path } = await stateOf(lab, parent);
  const runs = (await lab.api.list(true)).length;
  const refusals = [
    await lab.refused('deliver', { from_spec: 'sp-none' }),
    await lab.refused('deliver', { from_spec: open.run }),
  ];
  expect(refusals.map(({ message }) => message.msg)).toEqual([
    'engine.rejection.no_such_spec',
    'engine.rejection.spec_not_approved',
  ]);
  const file = path.join(lab.root, docs_path, 'spec.md');
  writeFileSync(file, 'Something else.\n');
  for (const from of [{ from_spec: parent }, { from_spec: docs_path }, { output_dir: docs_path }]) {
    const { message } = await lab.refused('deliver', { task: 'Build it', ...from });
    expect(message.msg).toBe('engine.rejection.spec_changed');
    const { approved: was, found } = message.args as Record<string, string>;
    expect([was, found].every((hash) => /^sha256:[0-9a-f]{64}$/.test(hash ?? ''))).toBe(true);
    expect(was).not.toBe(found);
  }
  expect((await lab.api.list(true)).length).toBe(runs);
  const shown = await lab.api.artefacts(parent);
  if (isRejection(shown)) throw new Error('no documents');
  writeFileSync(file, shown.find(({ name }) => name === 'spec')?.text ?? '');
  const forms = await Promise.all(
    [{ from_spec: parent }, { from_spec: docs_path }, { output_dir: docs_path }].map((from) =>
      lab.start('deliver', { ...from, task: 'Build it' }),
    ),
  );
  const inputs = await Promise.all(forms.map(async ({ run }) => inputsOf(await planOf(lab, run))));
  expect(new Set(inputs.map((input) => JSON.stringify(input))).size).toBe(1);
  expect(inputs[0]).toMatchObject({ docs_path, from_spec: { run: parent } });
});

test('WF-94: a specification that was edited on its branch is refused too, with the two hashes', async () => {
  const lab = await labs.open({ script: SCRIPT, git: true });
  const parent = await approved(lab, 'Add an add function');
  const { docs_path, branch } = await stateOf(lab, parent);
  git(lab, 'checkout', '-q', branch ?? '');
  writeFileSync(path.join(lab.root, docs_path, 'spec.md'), 'Something else.\n');
  git(lab, 'commit', '-qam', 'edited');
  git(lab, 'checkout', '-q', 'main');
  const runs = (await lab.api.list(true)).length;
  for (const from of [{ from_spec: parent }, { from_spec: docs_path }, { output_dir: docs_path }]) {
    const { message } = await lab.refused('deliver', { task: 'Build it', ...from });
    expect(message.msg).toBe('engine.rejection.spec_changed');
    const { approved: was, found } = message.args as Record<string, string>;
    expect(found).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(was).not.toBe(found);
  }
  expect((await lab.api.list(true)).length).toBe(runs);
});

test('WF-94: an approved specification whose documents do not stand yet starts no run', async () => {
  const lab = await labs.open({ script: SCRIPT });
  const drive = await lab.start('spec', { task: 'Add an add function', mode: 'quick' });
  const gate = gateOf(await playTo(lab, drive, APPROVED, 'approval'));
  await drive.close();
  const answer = { option: 'approve', text: null, fields: {}, typed: null, digest: gate.digest };
  expect(isRejection(await lab.api.answer({ gate: gate.id, answer }))).toBe(false);
  const state = await stateOf(lab, drive.run);
  expect([state.approved?.spec, state.phase]).toEqual([expect.stringMatching(/^sha256:/), 'spec_ready']);
  for (const from of [{ from_spec: drive.run }, { from_spec: state.docs_path }]) {
    const { message } = await lab.refused('deliver', { task: 'Build it', ...from });
    expect(message.msg).toBe('engine.rejection.spec_not_approved');
  }
  await playTo(lab, await reopen(lab, drive.run), {}, 'next_step');
  await lab.start('deliver', { from_spec: drive.run });
});

test('one script plays a deep specification and a standard plan, though both have a synthesis', async () => {
  const review = { result: { items: [] } };
  const lab = await labs.open({
    // Whoever proposes in `deliver` is played by the built-in script.
    script: deepScript({
      synthesis: [spec('Photos sort by date.')],
      critic: [review],
      'deliver.synthesis': [{ result: deliverSpec({ goal: 'Photos are renamed.' }) }],
    }),
  });
  const deep = await lab.start('spec', { task: 'Photos by date', mode: 'deep', model_config: 'balanced' });
  const first = await playTo(lab, deep, { ...APPROVED, questions: [['skip'], ['skip']] }, 'next_step');
  expect(first.gate?.name).toBe('next_step');
  const input = { task: 'Rename photos', mode: 'standard', model_config: 'balanced' };
  const plan = await lab.start('deliver', input);
  expect((await playTo(lab, plan, APPROVED, 'spec')).gate?.name).toBe('spec');
  const {
    plan: { spec: stored },
  } = await planOf(lab, plan.run);
  expect(await lab.deps.artefacts.get(stored?.hash as never)).toContain('Photos are renamed.');
});
