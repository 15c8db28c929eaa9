import { describe, expect, test } from 'vitest';
import { CHILD } from '../../../src/contract/step.ts';
import {
  answerPure,
  command,
  hashOf,
  notices,
  offered,
  type PureRun,
  refusedSignal,
  settlePure,
  signalPure,
  workPure,
} from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import { atDeepApproval } from './deep-fixture.ts';
import { atApproval, atInterview, questions, specDoc, stateOf, withState } from './fixture.ts';

const BRANCH = 'baton/spec-x';
const written = (run: PureRun) =>
  settlePure(answerPure(run, 'approve'), { kind: 'written', result: { files: ['a/spec.md'] } });
const completed = (changes: Parameters<typeof withState>[1] = {}) =>
  written(withState(atApproval(), changes));

function said(run: PureRun, lang: 'en' | 'ko'): string[] {
  if (run.step.kind !== 'gate') throw new Error(`no gate but ${run.step.kind}`);
  const { decide, recommend, why, context } = run.step.gate.brief;
  const t = translator(lang);
  return [decide, recommend?.text ?? '', ...why, ...context].map(t);
}

/** One task per language, the Korean one twice as long as a slug may be. */
const TASKS = [
  'A tool that renames photos by date',
  '사진 이름을 찍은 날짜로 바꾸고 같은 이름이 있으면 번호를 붙이는 도구',
  '写真の名前を日付で変えるツール',
  '按日期重命名照片的工具',
  'Una herramienta que renombra fotos por fecha',
  'Ein Werkzeug, das Fotos nach Datum umbenennt',
];

describe('next step', () => {
  test('SP-55: the specification and the notes are written, findings and conventions where there are any', () => {
    const filesOf = (run: PureRun) => {
      const step = answerPure(run, 'approve').step;
      if (step.kind !== 'workspace') throw new Error(`no write but ${step.kind}`);
      const { op, input } = step.op;
      return [op, ...(input.documents as { file: string }[]).map(({ file }) => file)];
    };
    for (const overwrite of [false, true]) {
      const { step } = answerPure(withState(atApproval(), { overwrite }), 'approve');
      expect(step).toMatchObject({
        op: { input: { overwrite, docs_path: stateOf(atApproval()).docs_path } },
      });
    }
    const conventions = { artefact: hashOf('rules') };
    const plain = ['write_documents', 'spec.md', 'qa_notes.md'];
    expect(filesOf(withState(atApproval(), { conventions: 'skipped' }))).toEqual(plain);
    expect(filesOf(withState(atApproval(), { conventions }))).toEqual([...plain, 'conventions.md']);
    expect(filesOf(withState(atDeepApproval(1), { conventions }))).toEqual([
      ...plain,
      'critic_findings.md',
      'conventions.md',
    ]);
  });

  test('the documents stand first; then the gate says where, and recommends to start', () => {
    const run = completed({ branch: BRANCH, conventions: { artefact: hashOf('rules') } });
    const { docs_path, spec, phase, ended } = stateOf(run);
    expect([phase, ended]).toEqual(['completed', null]);
    expect(run.step).toMatchObject({
      gate: {
        name: 'next_step',
        artefacts: { spec: spec?.hash, conventions: hashOf('rules') },
        brief: {
          context: [
            { args: { path: docs_path, files: 'spec.md, qa_notes.md, conventions.md' } },
            { args: { branch: BRANCH, merge: `git merge ${BRANCH}` } },
            {},
          ],
        },
      },
    });
    expect(offered(run)).toEqual(['start_deliver', 'done']);
    expect(said(run, 'en')).toEqual([
      `Start deliver with ${docs_path}spec.md now?`,
      'Start deliver',
      'The approved specification and its documents are all deliver needs.',
      `Stored in ${docs_path}: spec.md, qa_notes.md, conventions.md`,
      `On branch ${BRANCH}. To take it over: git merge ${BRANCH}`,
      'This question stays open: another day or another terminal is fine.',
    ]);
    expect(said(run, 'ko')[0]).toBe(`${docs_path}spec.md(으)로 지금 deliver를 시작할까요?`);
  });

  test('without a branch none is named; findings of a deep run are among the documents', () => {
    expect(said(completed({ branch: null }), 'en').join()).not.toContain('git merge');
    const deep = written(atDeepApproval(1));
    expect(said(deep, 'en').join()).toContain('spec.md, qa_notes.md, critic_findings.md');
  });

  test('Start deliver ends the run approved, with one child that is told this run and nothing else', () => {
    const run = answerPure(completed(), 'start_deliver');
    expect(run.step).toEqual({ kind: 'end', outcome: { result: 'approved', successor: CHILD } });
    expect(run.records.filter(({ kind }) => kind === 'spawn')).toEqual([
      { kind: 'spawn', key: 'deliver', workflow: 'deliver', input: { from_spec: 'sp-3aa' } },
    ]);
  });

  test('Done ends it approved with no successor and says how to start later', () => {
    const run = answerPure(completed(), 'done');
    expect(run.step).toEqual({ kind: 'end', outcome: { result: 'approved' } });
    expect(run.records.filter(({ kind }) => kind === 'spawn')).toEqual([]);
    for (const lang of ['en', 'ko'] as const) {
      expect(notices(run, lang).at(-1)).toContain('baton deliver --from-spec sp-3aa');
    }
  });

  test.each(TASKS)('the task "%s" is not handed on: slug and place are those of this run', (task) => {
    const asked = workPure(atInterview({ task }), questions(1));
    const drafted = workPure(
      settlePure(answerPure(asked, 'skip'), { kind: 'worked', calls: [] }),
      specDoc(['q1']),
    );
    const run = answerPure(written(drafted), 'start_deliver');
    expect(run.records.filter(({ kind }) => kind === 'spawn')).toEqual([
      { kind: 'spawn', key: 'deliver', workflow: 'deliver', input: { from_spec: 'sp-3aa' } },
    ]);
    expect(stateOf(run)).toMatchObject({ docs_path: `docs/baton/${stateOf(asked).slug}/` });
  });

  test('it waits: a resume is refused and changes nothing', () => {
    expect(refusedSignal(completed(), command('resume')).rejection).toBe('wrong_moment');
    expect(refusedSignal(completed(), command('reopen')).rejection).toBe('wrong_moment');
  });

  test('giving it up closes the question only: what was approved stays approved', () => {
    const closed = signalPure(completed(), command('abandon'));
    expect(closed.step).toMatchObject({ kind: 'end', outcome: { result: 'approved' } });
    expect(notices(closed, 'en').at(-1)).toBe('Closed by ada. The approved specification stays where it is.');
    const again = signalPure(completed(), command('restart'));
    expect(again.step).toMatchObject({ kind: 'end', outcome: { result: 'approved' } });
    expect(again.records.at(-1)).toMatchObject({ kind: 'spawn', workflow: 'spec' });
  });
});
