import { describe, expect, test } from 'vitest';
import { type EvidencePart, joinEvidence } from '../../../src/workflows/deliver/evidence.ts';
import {
  answerPure,
  command,
  entries,
  hashOf,
  notices,
  offered,
  type PureRun,
  policy,
  refusedSignal,
  settlePure,
  signalPure,
} from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import { begin, CHANGE_SET, keyOf, NO_HANDOVER, play, stateOf, stepsOf, worked } from './fixture.ts';
import { failingL3 } from './results.ts';

const atGate = (facts = {}) => play(begin({}, facts), {}, ['gate commit']);
const inPlace = { policy: { ...policy, in_place: true } };
const writes = (run: PureRun) =>
  stepsOf(run).filter(
    (key) => /commit$|publish|clean_up|save_patch/.test(key) && key.startsWith('workspace'),
  );
/** The change was compared and is still what was judged. */
const chosen = (option: string, facts = {}) =>
  play(answerPure(atGate(facts), option), {}, ['workspace commit']);
const opOf = (run: PureRun) => (run.step.kind === 'workspace' ? run.step.op : null);

describe('finishing', () => {
  test.each([
    ['code_only', {}, ['workspace commit', 'workspace publish', 'workspace clean_up']],
    ['commit_all', {}, ['workspace commit', 'workspace publish']],
    ['no_commit', {}, ['workspace save_patch']],
    ['code_only', inPlace, ['workspace commit', 'workspace clean_up']],
    ['no_commit', inPlace, []],
  ])('%s does its writes in order and nothing else', (choice, facts, expected) => {
    const run = play(answerPure(atGate(facts), choice));
    expect(writes(run)).toEqual(expected);
    expect(stateOf(run).ended?.result).toBe('passed');
  });

  test('without git there is no gate; the end says where the documents are', () => {
    const run = play(begin({}, { git: null }));
    expect(writes(run)).toEqual([]);
    expect(notices(run, 'en').at(-1)).toContain(stateOf(run).docs_path);
  });

  test('WF-71: code only takes all three documents a later run reads, and removes none of them', () => {
    const names = ['qa_notes', 'critic_findings', 'conventions'];
    const found = { ...NO_HANDOVER, ...Object.fromEntries(names.map((name) => [name, hashOf(name)])) };
    const handed = { 'query handover': () => ({ kind: 'queried', found }) as const };
    const commit = play(answerPure(play(begin(), handed, ['gate commit']), 'code_only'), {}, [
      'workspace commit',
    ]);
    expect(opOf(commit)?.input).toMatchObject({
      staged: ['qa_notes.md', 'critic_findings.md', 'conventions.md'],
      all: false,
    });
    const removed = opOf(play(commit, {}, ['workspace clean_up']))?.input.remove;
    expect(removed).toContain('spec.md');
    for (const name of names) expect(removed).not.toContain(`${name}.md`);
  });

  test('WF-69: what is removed from the person’s own folder is told before it is removed', () => {
    const removing = (run: PureRun) => notices(run, 'en').filter((text) => text.startsWith('To be removed'));
    const before = play(chosen('code_only', inPlace), {}, ['workspace clean_up']);
    const { docs_path } = stateOf(before);
    expect(removing(before)).toEqual([
      `To be removed from ${docs_path}; the record of the run keeps them: spec.md, changes.md, verify_report.md, qa_report.md, evidence.md, evidence.json.`,
    ]);
    expect(opOf(before)?.input).toMatchObject({
      docs_path,
      remove: expect.arrayContaining(['evidence.json']),
    });
    expect(removing(play(chosen('commit_all', inPlace)))).toEqual([]);
    expect(removing(play(chosen('code_only')))).toEqual([]);
  });

  test('WF-72: only paths of the change set and named documents are committed', () => {
    const code = chosen('code_only');
    expect(opOf(code)?.input).toMatchObject({
      paths: [...CHANGE_SET.modified, ...CHANGE_SET.created],
      staged: ['conventions.md'],
      all: false,
    });
    const all = chosen('commit_all');
    expect(opOf(all)?.input).toMatchObject({
      staged: [
        'spec.md',
        'changes.md',
        'verify_report.md',
        'qa_report.md',
        'evidence.md',
        'evidence.json',
        'conventions.md',
      ],
      all: true,
    });
    const removed = play(code, {}, ['workspace clean_up']);
    expect(opOf(removed)?.input).toMatchObject({
      remove: ['spec.md', 'changes.md', 'verify_report.md', 'qa_report.md', 'evidence.md', 'evidence.json'],
    });
    expect(writes(play(all))).not.toContain('workspace clean_up');
  });

  test('a failed commit removes nothing, keeps the gate and says why', () => {
    const failed = settlePure(chosen('code_only'), {
      kind: 'failed',
      failure: { code: 'hook_failed', retry: 'permanent', detail: 'lint said no' },
    });
    expect(keyOf(failed.step)).toBe('gate commit');
    expect(JSON.stringify(failed.step)).toContain('hook_failed: lint said no');
    expect(writes(failed)).toEqual(['workspace commit']);
    expect(offered(failed)).toEqual(['code_only', 'commit_all', 'no_commit']);
    expect(writes(play(answerPure(failed, 'code_only')))).toContain('workspace clean_up');
  });

  test('a document that could not be staged is a warning', () => {
    const at = chosen('code_only');
    const run = settlePure(at, {
      kind: 'written',
      result: { commit: 'c1', skipped: [{ path: 'qa_notes.md', why: 'ignored' }] },
    });
    expect(notices(run, 'en', 'warning').at(-1)).toContain('qa_notes.md');
  });

  test('a write that fails after the commit halts; a resume repeats it and nothing before it', () => {
    const published = play(answerPure(atGate(), 'code_only'), {}, ['workspace publish']);
    const failed = settlePure(published, {
      kind: 'failed',
      failure: { code: 'io', retry: 'permanent', detail: 'x' },
    });
    expect(keyOf(failed.step)).toBe('wait');
    const again = play(signalPure(failed, command('resume')));
    expect(writes(again)).toEqual([
      'workspace commit',
      'workspace publish',
      'workspace publish',
      'workspace clean_up',
    ]);
  });

  test('a change that was altered after its evaluation is not passed any more, and the evidence says so', () => {
    const altered: Parameters<typeof play>[1] = {
      'query content': () => ({ kind: 'queried', found: { content: 'something else' } }),
      'query change_set': () => ({ kind: 'queried', found: { ...CHANGE_SET, content: 'something else' } }),
    };
    const asked = play(answerPure(atGate(), 'code_only'), altered, ['gate commit']);
    expect(writes(asked)).toEqual([]);
    expect(stateOf(asked)).toMatchObject({ verdict: { altered: true }, finish: { chosen: null } });
    expect(asked.step).toMatchObject({ gate: { brief: { recommend: { cede: true } } } });
    expect(JSON.stringify(asked.step)).toContain('deliver.notice.altered');
    expect(stepsOf(asked).slice(-3, -1)).toEqual(['workspace write_documents', 'query change_set']);
    expect(stateOf(asked).attempt.changes?.content).toBe('something else');
    const ended = play(answerPure(asked, 'code_only'), altered);
    expect(writes(ended)).toContain('workspace commit');
    expect(stateOf(ended).ended?.result).toBe('altered');
    expect(joinEvidence(entries(ended, 'evidence') as EvidencePart[])).toMatchObject({ passed: false });
  });

  test('without a commit the change set is kept as a patch and the end says where', () => {
    const run = play(answerPure(atGate(), 'no_commit'));
    expect(run.records).toContainEqual({ kind: 'artefact', name: 'patch', hash: hashOf('patch') });
    expect(notices(run, 'en').at(-1)).toContain('patch');
    expect(JSON.stringify(atGate().step)).toContain('deliver.commit.no_commit.patch');
  });

  test('WF-89: the finish gate shows the reason, and every open item unless it passed', () => {
    const briefOf = (run: PureRun) => (run.step.kind === 'gate' ? run.step.gate.brief : null);
    expect(briefOf(atGate())?.items).toEqual([]);
    const whyIn = (run: PureRun) => briefOf(run)?.why.map(translator('en'));
    expect(whyIn(atGate())).toEqual(['Every criterion has evidence.']);
    const accepted = play(
      begin(),
      {
        'work evaluator': (run) => worked(run, failingL3(stateOf(run))),
        'gate qa': (run) => answerPure(run, 'accept'),
      },
      ['gate commit'],
    );
    expect(whyIn(accepted)).toEqual(['A person took it with open items.']);
    const what = 'consistency: names differ from the rest';
    const text = { msg: 'deliver.qa.item', args: { what } };
    expect(briefOf(accepted)?.items).toEqual([{ kind: 'content-input', text }]);
    expect(translator('en')(text)).toBe(`a decision on ${what}`);
    expect(briefOf(accepted)?.recommend).toMatchObject({ cede: true });
  });

  test('the commit gate shows the lines of each file and of all, the run its lines, and neither without a count', () => {
    const [path = ''] = CHANGE_SET.modified;
    const counted = { added: 7, removed: 2 };
    const lines = { [path]: counted, 'src/other.ts': { added: 3, removed: 0 } };
    const contextOf = ({ step }: ReturnType<typeof play>) =>
      step.kind === 'gate' ? step.gate.brief.context : [];
    const atCommit = (found: object) =>
      play(begin(), { 'query change_set': () => ({ kind: 'queried', found }) }, ['gate commit']);
    const run = atCommit({ ...CHANGE_SET, lines });
    expect(contextOf(run)).toContainEqual({
      msg: 'deliver.commit.lines',
      args: { added: 10, removed: 2 },
    });
    expect(contextOf(run)).toContainEqual(`M ${path}  +7 −2`);
    expect(notices(run, 'en')).toContain('2 files changed, +10 −2.');
    const odd = [...CHANGE_SET.created, 'constructor', '__proto__'];
    const without = contextOf(atCommit({ ...CHANGE_SET, created: odd, lines }));
    expect(without).toEqual(expect.arrayContaining(['A constructor', 'A __proto__']));
    const plain = atCommit(CHANGE_SET);
    expect(contextOf(plain)).toContainEqual(`M ${path}`);
    expect(notices(plain, 'en')).toContain('2 files changed.');
  });

  test('a change that alters how it is checked says so at every later gate', () => {
    const found = { ...CHANGE_SET, alters_checks: ['package.json'] };
    const run = play(begin(), { 'query change_set': () => ({ kind: 'queried', found }) }, ['gate commit']);
    expect(run.step).toMatchObject({ gate: { brief: { banners: [{ msg: 'engine.warn.alters_checks' }] } } });
    expect(notices(run, 'en', 'warning').join()).toContain('package.json');
  });
});

describe('wiping the output base', () => {
  const BASE = {
    base: 'docs/baton',
    folders: [
      { name: 'a', files: 3 },
      { name: 'memory', files: 1 },
    ],
    memory: true,
    ignored: true,
  };
  const atSpec = (facts = {}) => play(begin({}, facts), {}, ['gate spec']);
  const asked = () =>
    settlePure(signalPure(atSpec(inPlace), command('wipe')), { kind: 'queried', found: BASE });

  test('WF-74: only when asked for: folders with counts, warnings, a yes or no; a no leaves it as it is', () => {
    const run = asked();
    expect([keyOf(run.step), offered(run)]).toEqual(['gate wipe', ['no', 'yes']]);
    const { brief } = (run.step as Extract<PureRun['step'], { kind: 'gate' }>).gate;
    expect(brief.items).toHaveLength(2);
    expect(brief.banners).toEqual([
      { msg: 'deliver.wipe.memory' },
      { msg: 'deliver.wipe.ignored', args: { base: 'docs/baton' } },
    ]);
    const no = answerPure(run, 'no');
    expect(keyOf(no.step)).toBe('gate spec');
    expect(stepsOf(no)).not.toContain('workspace wipe_base');
    const yes = answerPure(run, 'yes');
    expect(opOf(yes)).toEqual({ op: 'wipe_base', input: { base: 'docs/baton' } });
    expect(keyOf(settlePure(yes, { kind: 'written', result: {} }).step)).toBe('gate spec');
  });

  test('WF-74: no other path removes the base: finishing names single files of the run', () => {
    const run = play(answerPure(atGate(inPlace), 'code_only'));
    expect(stepsOf(run)).not.toContain('workspace wipe_base');
    const removed = run.steps.flatMap((step) =>
      step.kind === 'workspace' && step.op.op === 'clean_up' ? (step.op.input.remove as string[]) : [],
    );
    expect(removed.length).toBeGreaterThan(3);
    for (const file of removed) expect(file).toMatch(/^[a-z_]+\.(?:md|json)$/);
  });

  test('WF-74: a run in a tree of its own, or one at work, has nothing to wipe', () => {
    expect(refusedSignal(atSpec(), command('wipe'))).toMatchObject({
      message: { msg: 'deliver.wipe_not_now' },
    });
    const working = play(begin({}, inPlace), {}, ['work planner_single']);
    expect(refusedSignal(working, command('wipe'))).toMatchObject({
      message: { msg: 'deliver.wipe_not_now' },
    });
  });
});
