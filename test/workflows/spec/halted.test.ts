import { describe, expect, test } from 'vitest';
import type { SpecState } from '../../../src/contract/spec.ts';
import type { Note } from '../../../src/contract/spec-work.ts';
import { specWorkflow } from '../../../src/workflows/spec/workflow.ts';
import {
  answerPure,
  command,
  entries,
  failPure,
  hashOf,
  notices,
  type PureRun,
  passPure,
  refusedSignal,
  settlePure,
  signalPure,
  slotsOf,
  workPure,
} from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import {
  analysed,
  atCritic,
  atCriticGate,
  atHalt,
  atRevision,
  gateOf,
  items,
  ROLES,
  reviewed,
  rolesAtWork,
  synthesised,
} from './deep-fixture.ts';
import { questions, stateOf, withState } from './fixture.ts';

const en = translator('en');
const ko = translator('ko');
const notesOf = (run: PureRun) => entries(run, 'note') as Note[];

describe('halted by the critic', () => {
  test('SP-50: ten plain resumes change nothing and the message stays', () => {
    const run = atHalt();
    for (let n = 0; n < 10; n += 1) {
      const refused = refusedSignal(run, command('resume'));
      expect(refused.rejection).toBe('wrong_moment');
      expect(en(refused.message)).toContain('--reopen');
      expect(ko(refused.message)).toContain('--reopen');
    }
    expect(run.step).toMatchObject({
      kind: 'wait',
      until: { kind: 'command', commands: ['reopen', 'restart', 'abandon'] },
    });
    expect(run.steps.some(({ kind }) => kind === 'workspace')).toBe(false);
  });

  test.each([
    ['user_stopped', () => atHalt(), 'stopped by you', '중단하셨습니다'],
    [
      'parse_failed_halted',
      () => answerPure(failPure(atCritic(), 'parse_failed'), 'stop'),
      'could not be read',
      '읽을 수 없었고',
    ],
    ['re_synthesis_failed', () => failPure(atRevision()), 'The revision failed', '실패했습니다'],
  ])('SP-50: %s is told with its reason in the language of the person', (reason, at, english, korean) => {
    const run = at();
    expect(stateOf(run)).toMatchObject({ phase: 'critic_halted', critic: { failure_reason: reason } });
    if (run.step.kind !== 'wait') throw new Error('no wait');
    expect(en(run.step.until.why)).toContain(english);
    expect(ko(run.step.until.why)).toContain(korean);
    expect(notices(run, 'en', 'warning').at(-1)).toContain(english);
  });

  test('SP-50: reopen leads to the questions with the old notes, the critic forgotten', () => {
    const before = atHalt();
    const run = signalPure(before, command('reopen'));
    expect(stateOf(run)).toMatchObject({
      phase: 'qa_active',
      qa_round: 2,
      critic: null,
      spec: null,
      analyses: null,
      model_config: stateOf(before).model_config,
    });
    expect(notesOf(run)).toEqual(notesOf(before));
    expect(rolesAtWork(run)).toEqual(['interviewer']);
    const asked = workPure(run, questions(1, 'New'));
    expect(stateOf(asked).round?.questions).toMatchObject([{ id: 'q2', text: 'New 1?' }]);
    const closed = passPure(
      workPure(answerPure(asked, 'answer', { fields: { q2: 'UTC' } }), { questions: [] }),
    );
    expect(notesOf(closed).map(({ id, answer }) => [id, answer])).toEqual([
      ['q1', 'JPEG'],
      ['q2', 'UTC'],
    ]);
    expect(rolesAtWork(closed)).toEqual(ROLES);
    expect(stateOf(closed)).toMatchObject({ passes: 2, reopened: false });
  });

  test('a reopened round always asks something: the fixed question when the interviewer has none', () => {
    const run = workPure(signalPure(atHalt(), command('reopen')), { questions: [] });
    expect(gateOf(run).name).toBe('questions');
    expect(stateOf(run).round?.questions[0]?.text).toContain('Is the task complete as written');
  });

  test('a run whose three rounds are used goes on with the answers it has', () => {
    const run = signalPure(withState(atHalt(), { rounds_closed: 3, qa_round: 3 }), command('reopen'));
    expect(stateOf(run)).toMatchObject({ phase: 'qa_active', qa_round: 3 });
    const done = passPure(run);
    expect(stateOf(done).phase).toBe('qa_complete');
    expect(notices(done, 'en')).toContain(
      'All three question rounds are used; the answers stay as they are.',
    );
  });

  const artefact = hashOf('old rules');
  const reopened = (changes: Partial<SpecState>) =>
    signalPure(withState(atHalt(), changes), command('reopen'));

  test('SP-50: reopen checks the conventions again; what was skipped stays skipped and is not asked again', () => {
    expect(reopened({ conventions: 'skipped' }).step.kind).toBe('work');
    const run = reopened({ conventions: { artefact }, has_git: true });
    expect(run.step).toMatchObject({ kind: 'query', what: { what: 'conventions' } });
    const fresh = settlePure(run, {
      kind: 'queried',
      found: { source: 'claude_md', artefact: hashOf('new'), lines: 60 },
    });
    expect(stateOf(fresh)).toMatchObject({ phase: 'qa_active', conventions: { artefact: hashOf('new') } });
    expect(rolesAtWork(fresh)).toEqual(['interviewer']);
    const kept = settlePure(run, { kind: 'queried', found: { source: 'none' } });
    expect(stateOf(kept)).toMatchObject({ conventions: { artefact }, convention_stage: null });
    expect(rolesAtWork(kept)).toEqual(['interviewer']);
  });

  test('SP-50: a reference that no longer passes its checks halts the reopened run; a resume checks it again', () => {
    const run = reopened({
      conventions: { artefact },
      cli_flags: { reference: 'x.md', reference_hash: artefact },
    });
    const found = { source: 'refused', msg: 'spec.reference.missing', args: { path: 'x.md' } };
    const halted = settlePure(run, { kind: 'queried', found });
    expect(halted.step).toMatchObject({ kind: 'wait', until: { commands: ['resume', 'abandon'] } });
    expect(signalPure(halted, command('resume')).step).toEqual(run.step);
  });

  test('SP-50: restart and abandon end the run and keep what it has; restart keeps mode and models', () => {
    const restart = signalPure(atHalt(), command('restart'));
    expect(restart.step).toMatchObject({ kind: 'end', outcome: { result: 'abandoned' } });
    expect(restart.records.at(-1)).toMatchObject({
      kind: 'spawn',
      input: { mode: 'deep', model_config: 'balanced' },
    });
    const child = specWorkflow.input.parse((restart.records.at(-1) as { input: unknown }).input);
    expect(child).toMatchObject({ mode: 'deep', model_config: 'balanced' });
    expect(signalPure(atHalt(), command('abandon')).step).toMatchObject({ kind: 'end' });
  });

  test('SP-65: requests of both gates survive a reopen, in the order they were made', () => {
    const modified = answerPure(atCriticGate(), 'modify', { text: 'A' });
    const gate = reviewed(synthesised(modified, ['M1']), items(0, 1, 0));
    const run = signalPure(answerPure(gate, 'stop'), command('reopen'));
    expect(entries(run, 'request')).toEqual([{ text: 'A' }]);
    const asked = workPure(run, { questions: [] });
    const again = passPure(answerPure(asked, 'no_more'));
    for (const role of ROLES) expect(slotsOf(again, role).requests).toBe('[{"text":"A"}]');
    expect(slotsOf(analysed(again), 'synthesis').requests).toBe('[{"text":"A"}]');
  });
});
