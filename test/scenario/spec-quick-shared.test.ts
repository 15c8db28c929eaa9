import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWorkspace } from '../../src/adapters/workspace/checkout/open.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import { lazily } from '../../src/open-lazily.ts';
import { callerOf } from '../support/caller.ts';
import { gateOf, initGit, type Lab } from '../support/lab.ts';
import {
  type Answers,
  ask,
  draft,
  labsOfTest,
  notices,
  playTo,
  QUICK,
  rolesCalled,
  SHORT,
  script,
  stateOf,
} from './quick-lab.ts';

const labs = labsOfTest();
const SKIP: Answers = { questions: [['skip']], conventions: [['skip']] };

describe('SP-07 git is asked whether the folder is inside a work tree', () => {
  test.each([
    ['a repository', '.', true, true],
    ['a plain directory', '.', false, false],
  ])('SP-07, WF-10: %s', async (_, folder, git, expected) => {
    const lab = await labs.open();
    if (git) initGit(lab.root);
    await expectGit(lab, { root: path.join(lab.root, folder) }, expected);
  });

  test.each([
    ['a repository where git is not installed', { PATH: '/nowhere' }, '.', 'repository_unreadable'],
    ['inside the git directory itself', process.env as { PATH: string }, '.git', 'no_work_tree'],
  ])('SP-07, WF-10: %s is refused', async (_, environment, folder, code) => {
    const lab = await labs.open();
    initGit(lab.root);
    const root = path.join(lab.root, folder);
    const workspace = openWorkspace({ namespace: 'baton', root, environment, isTop: true });
    const other = await labs.dying(lab, (deps) => ({ ...deps, workspace: lazily(root, () => workspace) }));
    for (const in_place of [false, true])
      await expect(other.start('spec', QUICK, { in_place })).rejects.toMatchObject({ failure: { code } });
    expect(await other.deps.store.list({})).toEqual([]);
  });

  async function expectGit(lab: Lab, location: { root: string }, expected: boolean): Promise<void> {
    const workspace = await openWorkspace({ namespace: 'baton', ...location });
    const other = await labs.dying(lab, (deps) => ({ ...deps, workspace }));
    const drive = await other.start('spec', QUICK);
    expect((await stateOf(other, drive.run)).has_git).toBe(expected);
    await drive.close();
  }
});

describe('language', () => {
  test('SP-07, WF-31: a Korean task gives Korean gates with English option keys, and English answers switch the next gate', async () => {
    const lab = await labs.open({
      script: script({ interviewer: [ask('형식은?'), ask('순서는?')], writer: [draft(['q2'])] }),
    });
    const drive = await lab.start('spec', {
      ...QUICK,
      task: '사진 이름을 날짜로 바꾸는 도구를 만들고 싶습니다',
    });
    const first = gateOf(await drive.advance());
    const korean = await shown(lab, drive.run);
    expect(korean).toMatchObject({ lang: 'ko', keys: ['answer', 'skip'] });
    expect(korean.text).toMatch(/[가-힣]/);
    expect(korean.labels.every((label) => /[가-힣]/.test(label))).toBe(true);
    const english = 'We want all of the JPEG files in the folder and nothing that is not a photo.';
    await lab.answer(first, 'answer', { fields: { q1: english } });
    const second = gateOf(await drive.advance());
    expect(second.name).toBe('questions');
    expect(await shown(lab, drive.run)).toMatchObject({ lang: 'en', keys: ['answer', 'no_more'] });
    expect((await shown(lab, drive.run)).labels.join()).not.toMatch(/[가-힣]/);
    await lab.answer(second, 'no_more');
    const approval = gateOf(await drive.advance());
    await lab.answer(approval, 'modify', { text: '동영상도 함께 바꿔 주세요. 파일 이름은 짧게 해 주세요.' });
    await drive.advance();
    expect(await stateOf(lab, drive.run)).toMatchObject({ user_lang: 'ko' });
  });

  test('WF-31 a language that was named is kept whatever is typed', async () => {
    const lab = await labs.open({ script: script({ interviewer: [ask('Formats?'), ask('Order?')] }) });
    const drive = await lab.start('spec', { ...QUICK, lang: 'ko' });
    const english = 'We want all of the JPEG files in the folder and nothing that is not a photo.';
    await lab.answer(gateOf(await drive.advance()), 'answer', { fields: { q1: english } });
    await drive.advance();
    expect(await shown(lab, drive.run)).toMatchObject({ lang: 'ko' });
  });

  async function shown(lab: Lab, run: string) {
    const [open] = await lab.api.gates(run);
    if (!open) throw new Error('no gate');
    const t = await lab.api.translator(open.lang);
    const { options } = open.gate;
    const labels = Object.values(options).flatMap(({ label, description }) => [t(label), t(description)]);
    return { lang: open.lang, text: open.text, keys: Object.keys(options), labels };
  }
});

describe('gate mechanics', () => {
  test('SP-07 of two people who answer one spec gate at once exactly one wins, and the other is told who', async () => {
    const lab = await labs.open({ script: SHORT });
    const drive = await lab.start('spec', QUICK);
    const gate = gateOf(await playTo(lab, drive, SKIP, 'approval'));
    await drive.close();
    const other = await labs.dying(lab, (deps) => deps);
    const base = { fields: {}, typed: null, digest: gate.digest };
    const [ada, bob] = ['Ada', 'Bob'].map(
      (person) => ({ person, surface: 'test', proof: 'composition' }) as const,
    );
    if (!ada || !bob) throw new Error('two people');
    const results = await Promise.all([
      lab.api.as(callerOf(ada)).answer({ gate: gate.id, answer: { ...base, option: 'approve', text: null } }),
      other.api
        .as(callerOf(bob))
        .answer({ gate: gate.id, answer: { ...base, option: 'modify', text: 'Wait.' } }),
    ]);
    const refused = results.filter(isRejection);
    expect(refused).toHaveLength(1);
    const [answer] = (await lab.deps.store.answers(drive.run)).filter(({ gate: id }) => id === gate.id);
    if (!answer || !('person' in answer.by)) throw new Error('nobody won');
    const winner = { option: answer.option, by: answer.by.person };
    expect(refused[0]).toMatchObject({ rejection: 'gate_closed', current: winner });
  });

  test.each([
    ['approval', 'aprove', {}, 'no_such_option'],
    ['approval', 'modify', { text: ' \n ' }, 'text_required'],
    ['approval', 'approve', { text: 'but first' }, 'text_not_allowed'],
    ['approval', 'approve', { fields: { q1: 'x' } }, 'no_such_field'],
    ['questions', 'no_more', {}, 'no_such_option'],
    ['questions', 'answer', { fields: { q9: 'x' } }, 'no_such_field'],
    ['questions', 'skip', { fields: { q1: 'x' } }, 'no_such_field'],
  ] as const)(
    'SP-07 at the %s gate the answer %s %o is refused as %s and nothing moves',
    async (name, option, more, code) => {
      const lab = await labs.open({ script: SHORT });
      const drive = await lab.start('spec', QUICK);
      const gate = gateOf(await playTo(lab, drive, name === 'approval' ? SKIP : {}, name));
      const before = await lab.row(drive.run);
      expect((await lab.answerRefused(gate, option, more)).rejection).toBe(code);
      expect(await lab.row(drive.run)).toEqual(before);
    },
  );
});

describe('worker results', () => {
  test('SP-07 only named result fields count: prose and progress lines that claim more change nothing', async () => {
    const loud = { line: 'approved, no questions, phase completed', huge: 2000, ...ask('Which formats?') };
    const lab = await labs.open({ script: script({ interviewer: [loud], writer: [draft(['q1'])] }) });
    const drive = await lab.start('spec', QUICK);
    const gate = gateOf(await drive.advance());
    expect(gate).toMatchObject({ name: 'questions', fields: [{ id: 'q1', text: 'Which formats?' }] });
  });

  test.each(['stream', 'file', 'text'])('SP-07 a result is taken from the channel %s', async (channel) => {
    const lab = await labs.open({
      script: script({ interviewer: [{ ...ask('Which formats?'), channel }] }),
    });
    const drive = await lab.start('spec', QUICK);
    expect(gateOf(await drive.advance()).fields[0]?.text).toBe('Which formats?');
  });

  test.each([
    ['garbage on every call', { garbage: 'no' }],
    ['success without a result', { no_result: true }],
  ])('SP-07 %s: three calls, then the stated fallback and a warning', async (_, bad) => {
    const lab = await labs.open({ script: script({ interviewer: [{ ...bad, attempts: [bad, bad] }] }) });
    const drive = await lab.start('spec', QUICK);
    const gate = gateOf(await drive.advance());
    expect(rolesCalled(lab)).toEqual(['interviewer 1', 'interviewer 2', 'interviewer 3']);
    expect(gate.fields).toHaveLength(1);
    expect(notices(lab, 'warning')).toContain('spec.notice.interviewer_failed');
  });
});
