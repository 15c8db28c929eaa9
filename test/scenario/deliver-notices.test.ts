import { expect, test } from 'vitest';
import { isRejection } from '../../src/engine/rejection.ts';
import { openLabAt } from '../support/lab.ts';
import { BRANCH, changing, deliver, groundsOfTest, SINGLE, YES } from './deliver-lab.ts';
import { playTo, reopen } from './quick-lab.ts';

const { repository, open } = groundsOfTest();

const NOTE = 'Rehearsal: no model wrote this.';

test('in a run of the built-in script every document says that no model wrote it', async () => {
  const lab = await openLabAt(repository(), {});
  const answers = { ...YES, conventions: [['scan']], commit: [['commit_all']] } as const;
  const { run, outcome } = await deliver(lab, answers);
  expect(outcome).toBe('passed');
  const shown = await lab.api.artefacts(run);
  const documents = isRejection(shown) ? [] : shown.filter(({ file }) => file.endsWith('.md'));
  expect(documents.map(({ name }) => name).sort()).toEqual([
    'changes',
    'conventions',
    'evidence',
    'qa_report',
    'spec',
    'verify_report',
  ]);
  expect(documents.filter(({ text }) => !text.includes(NOTE)).map(({ name }) => name)).toEqual([]);
  await lab.close();
});

test('the commit tells the task, each criterion with its verdict, the run and the digest of its evidence', async () => {
  const ground = repository();
  const lab = await open(ground);
  const { run } = await deliver(lab);
  const shown = await lab.api.artefacts(run);
  const evidence = isRejection(shown) ? undefined : shown.find(({ name }) => name === 'evidence_json');
  const message = ground.git('log', '-1', '--format=%B', BRANCH);
  expect(message.split('\n\n')).toEqual([
    'deliver: Greet in capitals',
    'Passed with evidence.',
    NOTE,
    '- AC-1 Adds: YES (greeting.txt:1)',
    expect.stringMatching(/^Baton-Run: /),
  ]);
  const trailers = ground.git('log', '-1', '--format=%(trailers:only)', BRANCH).split('\n').filter(Boolean);
  expect(trailers).toEqual([
    `Baton-Run: ${run}`,
    `Baton-Evidence: ${lab.deps.hash(evidence?.text ?? '')}`,
    expect.stringMatching(/^Baton-Effect: /),
  ]);
  expect(evidence?.hash).toBe(lab.deps.hash(evidence?.text ?? ''));
  expect(JSON.parse(evidence?.text ?? '')).toMatchObject({
    run,
    task: SINGLE.task,
    rehearsal: true,
    agents: ['rehearsal'],
    passed: true,
    asked: [{ id: 'AC-1', name: 'Adds' }],
  });
});

test('a run that a person had go on with another agent names both in its evidence', async () => {
  const lab = await open(repository());
  const first = await lab.start('deliver', SINGLE, { agent: 'claude' });
  await playTo(lab, first, YES, 'spec');
  await first.close();
  expect(await lab.api.changeAgent({ run: first.run, agent: 'codex' })).toEqual({ ok: true, run: first.run });
  const { outcome } = await playTo(lab, await reopen(lab, first.run), YES);
  expect(outcome).toBe('passed');
  const shown = await lab.api.artefacts(first.run);
  const evidence = isRejection(shown) ? undefined : shown.find(({ name }) => name === 'evidence_json');
  expect(JSON.parse(evidence?.text ?? '')).toMatchObject({
    rehearsal: false,
    agents: ['claude', 'codex'],
  });
});

test('a task too long for a subject stands whole in the commit, in the language of the run', async () => {
  const ground = repository();
  const lab = await open(ground, changing());
  const task = `인사말을 대문자로 바꿔 주세요 ${'그리고 다른 것은 그대로 두세요 '.repeat(6).trim()}`;
  await deliver(lab, YES, { ...SINGLE, task });
  const [branch = ''] = ground.git('branch', '--list', 'baton/*', '--format=%(refname:short)').split('\n');
  const [subject = '', whole] = ground.git('log', '-1', '--format=%B', branch).split('\n\n');
  expect(subject.length).toBeLessThanOrEqual('deliver: '.length + 72);
  expect(whole).toBe(task);
  expect(ground.git('log', '-1', '--format=%B', branch)).toContain('근거와 함께 통과했습니다.');
});
