import { describe, expect, test } from 'vitest';
import { parseInvocation } from '../../../src/contract/deliver-invocation.ts';
import { isRejection } from '../../../src/engine/rejection.ts';
import { deliverWorkflow } from '../../../src/workflows/deliver/workflow.ts';
import {
  answerPure,
  command,
  hashOf,
  notices,
  offered,
  type PureRun,
  policy,
  refusedSignal,
  settlePure,
  signalPure,
  startFacts,
} from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import {
  begin,
  checked,
  checkResult,
  GIT,
  keyOf,
  NO_HANDOVER,
  PROJECT,
  play,
  SLUG,
  stateOf,
  stepsOf,
  TASK,
  withState,
} from './fixture.ts';

const live = (changes: Record<string, unknown> = {}) => ({
  run: 'de-old',
  workflow: 'deliver',
  subject: `deliver:${SLUG}`,
  phase: 'verify_done',
  status: 'waiting' as const,
  title: 'an earlier try',
  ...changes,
});

describe('invocations', () => {
  test.each([
    [['Fix', 'the', 'login'], 'auto', null, 'Fix the login'],
    [['Fix the login'], 'auto', null, 'Fix the login'],
    [['plan', 'Fix the login'], 'phase', 'plan', 'Fix the login'],
    [['plan', 'Fix', 'it'], 'phase', 'plan', 'Fix it'],
    [['generate'], 'phase', 'generate', null],
    [['verify'], 'step', 'verify', null],
    [['evaluate'], 'step', 'evaluate', null],
    [['verify the totals of an invoice'], 'auto', null, 'verify the totals of an invoice'],
    [['verify', 'the', 'totals'], 'auto', null, 'verify the totals'],
    [['plan'], 'phase', 'plan', null],
    [[], 'auto', null, null],
  ])('WF-11: %j is style %s, step %s, task %j', (words, style, step, task) => {
    expect(parseInvocation(words)).toEqual({ style, step, task });
  });

  test('WF-11: the step of the input gives the style of the run, with any options', () => {
    for (const options of [{}, { scope: ['src/**'] }, { todo_blocking: true, lint_cmd: 'x' }]) {
      expect(stateOf(begin(options)).run_style).toBe('auto');
      expect(stateOf(begin({ step: 'plan', ...options })).run_style).toBe('phase');
    }
  });

  test.each(['generate', 'verify', 'evaluate'])(
    'starting a run by %s is refused with the step to run first',
    (step) => {
      const refused = deliverWorkflow.start({ step, task: null }, startFacts());
      expect(refused).toMatchObject({
        rejection: 'wrong_moment',
        message: { msg: 'deliver.run_first', args: { step } },
      });
    },
  );
});

describe('options', () => {
  test.each([
    ['mode', 'quick'],
    ['model_config', 'fastest'],
    ['model_config', 'executor:gpt'],
    ['verifier_model', 'gpt'],
    ['scope', []],
    ['lint_cmd', ''],
    ['output_dir', ''],
    ['output_dir', '/abs'],
    ['output_dir', 'a/../b'],
    ['output_dir', 'memory/x'],
    ['output_dir', 'docs/other'],
    ['todo_blocking', 'yes'],
    ['unknown', 1],
  ])('%s = %j is refused before anything exists', (field, value) => {
    const refused = deliverWorkflow.start({ task: TASK, [field]: value }, startFacts());
    expect(isRejection(refused)).toBe(true);
  });

  test('a run without a task is refused, unless it starts from a spec', () => {
    expect(deliverWorkflow.start({}, startFacts())).toMatchObject({
      message: { msg: 'deliver.task_missing' },
    });
  });
});

describe('where documents go', () => {
  test('WF-20: output base and slug, or the default base', () => {
    expect(stateOf(begin()).docs_path).toBe(`docs/baton/${SLUG}/`);
    expect(stateOf(begin({ output_dir: 'build/notes' })).docs_path).toBe(`build/notes/${SLUG}/`);
    expect(stateOf(begin({ output_dir: './docs/baton/' })).docs_path).toBe(`docs/baton/${SLUG}/`);
    const other = { policy: { ...policy, namespace: 'harness' } };
    expect(stateOf(begin({}, other)).docs_path).toBe(`docs/harness/${SLUG}/`);
  });

  test.each(['Build it', '사진 정리 도구를 만들어 줘', '写真を整理する', '建造它', 'Bau es'])(
    'WF-20: a run from a spec has its slug and docs_path, whatever its own task says: %s',
    (task) => {
      const from_spec = {
        run: 'sp-3aa',
        slug: 'rename-photos',
        docs_path: 'docs/baton/rename-photos/',
        spec: hashOf('approved'),
        criteria: ['AC-1'],
        base: 'b'.repeat(40),
      };
      const run = play(begin({ task, from_spec }), {}, ['work planner_single']);
      expect(stateOf(run)).toMatchObject({
        slug: 'rename-photos',
        docs_path: 'docs/baton/rename-photos/',
        base: 'b'.repeat(40),
      });
    },
  );

  test('WF-03: documents land in the stored docs_path, whatever the recorded flags say', () => {
    const run = begin({ output_dir: 'notes', step: 'plan' });
    const flags = { ...stateOf(run).cli_flags, output_dir: 'elsewhere' };
    const resumed = { wait: (at: PureRun) => signalPure(at, command('resume')) };
    const ended = play(withState(run, { cli_flags: flags }), resumed);
    const writes = ended.steps.flatMap((step) =>
      step.kind === 'workspace' && 'docs_path' in step.op.input ? [step.op.input.docs_path] : [],
    );
    expect(writes.length).toBeGreaterThan(5);
    expect(new Set(writes)).toEqual(new Set([`notes/${SLUG}/`]));
  });

  test('SP-67: the child of a specification speaks the language of its parent, whatever its own task is written in', () => {
    const from_spec = {
      run: 'sp-3aa',
      slug: 'x',
      docs_path: 'docs/baton/x/',
      spec: hashOf('s'),
      criteria: ['AC-1'],
    };
    for (const lang of ['en', 'ko', 'ja', 'zh', 'es', 'de'])
      expect(stateOf(begin({ task: null, from_spec: { ...from_spec, lang } })).user_lang).toBe(lang);
    expect(
      stateOf(begin({ task: null, lang: 'de', from_spec: { ...from_spec, lang: 'ko' } })).user_lang,
    ).toBe('de');
  });

  test('WF-28: a docs_path that passes no more is refused by name; only a restart is left', () => {
    const halted = play(begin({ step: 'plan' }));
    expect(keyOf(halted.step)).toBe('wait');
    for (const docs_path of ['memory/x/', 'docs/other/x/', '.git/x/', 'spec/x/']) {
      const broken = withState(halted, { docs_path });
      for (const name of ['resume', 'generate', 'verify', 'evaluate']) {
        const refused = refusedSignal(broken, command(name));
        expect(refused).toMatchObject({ rejection: 'path_refused', message: { args: { path: docs_path } } });
      }
      expect(signalPure(broken, command('restart')).step.kind).toBe('end');
    }
  });
});

describe('the setup summary', () => {
  const summary = (input: Record<string, unknown>, found: unknown, facts = {}) => {
    const run = play(begin(input, facts), { 'query project': () => ({ kind: 'queried', found }) }, [
      'query handover',
      'check',
    ]);
    return { all: notices(run, 'en'), warnings: notices(run, 'en', 'warning') };
  };

  test('WF-24: golden with git', () => {
    const { all, warnings } = summary({ scope: ['src/**'] }, PROJECT);
    expect(all[0]).toBe(
      `Setup done. Folder photo-tool, branch baton/deliver-${SLUG}; mode single, models balanced, verifier haiku, style auto, language en. Build: npm run build; test: npm test; lint: npm run lint; types: none. Scope: src/**. Output: docs/baton/${SLUG}/`,
    );
    expect(warnings).toEqual([]);
  });

  test('WF-24: each of the four commands stands at its own place', () => {
    const found = Object.fromEntries(
      ['build', 'test', 'lint', 'type_check'].map((name) => [name, { command: `do-${name}`, source: 'x' }]),
    );
    const { all } = summary({}, { lang: 'go', ...found });
    expect(all[0]).toContain('Build: do-build; test: do-test; lint: do-lint; types: do-type_check.');
  });

  test('WF-24, WF-83: golden without git and without a scope', () => {
    const { all } = summary({}, PROJECT, { git: null });
    expect(all[0]).toBe(
      `Setup done. Folder photo-tool; mode single, models balanced, verifier haiku, style auto, language en. Build: npm run build; test: npm test; lint: npm run lint; types: none. Scope: (no limit). Output: docs/baton/${SLUG}/`,
    );
  });

  test('WF-24: a strong verifier and a project without commands are warned about', () => {
    const none = { lang: 'unknown', build: null, test: null, lint: null, type_check: null };
    expect(summary({ verifier_model: 'opus' }, PROJECT).warnings).toEqual([
      expect.stringContaining('The verifier is opus'),
    ]);
    expect(summary({ verifier_model: 'sonnet', model_config: 'balanced' }, none).warnings).toHaveLength(2);
    expect(summary({ verifier_model: 'haiku' }, none).warnings).toEqual([
      expect.stringContaining('nothing will be executed'),
    ]);
  });

  test('WF-83: without a scope nothing is limited: stored, shown, and told to the change set look', () => {
    const run = play(begin(), {}, ['query change_set']);
    expect(stateOf(run).scope).toBeNull();
    expect(run.step).toMatchObject({ what: { input: { scope: null, since: 'start', max_files: 20 } } });
    const t = translator('en');
    expect(run.def.status(run.state).map(({ value }) => t(value))).toContain('(no limit)');
    const two = {
      modified: ['src/a.ts', 'lib/b.ts'],
      created: [],
      deleted: [],
      tree: 't',
      content: 'c',
      diff: null,
      outside: [],
      too_many: false,
      alters_checks: [],
      todo: [],
    };
    const passed = play(settlePure(run, { kind: 'queried', found: two }), {}, ['phase evaluate_ready']);
    expect(stateOf(passed).checks.report).toMatchObject({ result: 'PASS', outside: [] });
  });

  test('commands given by flag are never replaced by what was found', () => {
    const run = play(begin({ lint_cmd: 'my lint', type_check_cmd: 'my types' }), {}, ['query handover']);
    expect(stateOf(run)).toMatchObject({
      checks: { lint_cmd: 'my lint', type_check_cmd: 'my types', test_cmd: 'npm test' },
    });
  });

  test('WF-32: the status block in every phase, read only', () => {
    const run = play(begin({ mode: 'multi', scope: ['src/**'] }));
    const t = translator('en');
    for (const state of run.states) {
      const before = JSON.stringify(state);
      const lines = run.def.status(state).map(({ label, value }) => `${t(label)}: ${t(value)}`);
      expect(JSON.stringify(state)).toBe(before);
      expect(lines).toEqual([
        `task: ${TASK}`,
        'mode: multi',
        'models: balanced',
        'style: auto',
        `phase: ${t(run.def.phases[state.phase]?.label ?? '')}`,
        'round: 1/3',
        ...(stateOf({ ...run, state }).branch ? [`branch: baton/deliver-${SLUG}`] : []),
        'scope: src/**',
      ]);
    }
    const later = run.def.status({ ...run.state, round: 2 } as never).map(({ value }) => t(value));
    expect(later).toContain('2/3');
  });

  test('a run that works in the folder of a person says so first', () => {
    const run = begin({}, { policy: { ...policy, in_place: true } });
    const t = translator('en');
    const [first] = run.def.status(run.state).map(({ label, value }) => `${t(label)}: ${t(value)}`);
    expect(first).toBe('work tree: your own folder: it is changed while the run works');
  });
});

describe('another live run', () => {
  test('WF-26: a live run of this workflow opens the session gate, and each answer has its end', () => {
    const run = begin({}, { live: [live()] });
    expect(keyOf(run.step)).toBe('gate session');
    expect(offered(run)).toEqual(['resume', 'restart', 'stop', 'view']);
    const afterwards = (option: string) => answerPure(run, option);
    expect(afterwards('resume').step).toMatchObject({
      kind: 'end',
      outcome: { result: 'withdrawn', successor: 'de-old' },
    });
    expect(afterwards('view').records).toEqual([]);
    expect(afterwards('stop').records).toContainEqual({ kind: 'command', to: 'de-old', command: 'abandon' });
    const restarted = afterwards('restart');
    expect(restarted.step).toMatchObject({ kind: 'wait', until: { kind: 'run_ended', run: 'de-old' } });
    const ended = signalPure(restarted, { type: 'run_ended', run: 'de-old', key: null, result: 'abandoned' });
    expect(keyOf(ended.step)).toBe('query setup');
  });

  test('WF-25: a live run of another workflow in the same folder: nothing happens before the answer, unattended is refused', () => {
    const other = live({ run: 'sp-1', workflow: 'spec', subject: 'checkout' });
    const facts = { live: [other], policy: { ...policy, in_place: true } };
    const run = begin({}, facts);
    expect(keyOf(run.step)).toBe('gate session_conflict');
    expect(run.records).toEqual([]);
    expect(answerPure(run, 'cancel').step).toMatchObject({ kind: 'end', outcome: { result: 'withdrawn' } });
    const deleted = answerPure(run, 'delete_and_start');
    expect(deleted.records).toEqual([{ kind: 'command', to: 'sp-1', command: 'abandon' }]);
    expect(deleted.step).toMatchObject({ kind: 'wait', until: { kind: 'run_ended', run: 'sp-1' } });
    const unattended = { ...facts, policy: { ...policy, in_place: true, unattended: true } };
    const refused = deliverWorkflow.start({ task: TASK }, startFacts({ git: GIT, ...unattended }));
    expect(refused).toMatchObject({ message: { msg: 'deliver.conflict_unattended' } });
  });

  test('the subject is claimed when setup ends, and not before', () => {
    const run = play(begin({ mode: null }), { 'gate mode': (at) => answerPure(at, 'single') }, [
      'workspace open_tree',
    ]);
    expect(run.records.filter(({ kind }) => kind === 'claim')).toEqual([
      { kind: 'claim', subject: `deliver:${SLUG}` },
    ]);
    const plain = play(begin({}, { git: null }), {}, ['workspace open_tree']);
    expect(plain.records).toContainEqual({ kind: 'claim', subject: 'checkout' });
  });
});

describe('preparation', () => {
  test('old failures of the untouched tree are told and kept', () => {
    const run = play(
      begin(),
      {
        'query handover': () => ({ kind: 'queried', found: { ...NO_HANDOVER, unreadable: ['qa_notes.md'] } }),
      },
      ['work planner_single'],
    );
    expect(notices(run, 'en', 'warning')).toEqual([
      expect.stringContaining('qa_notes.md exists but could not be read'),
    ]);
    expect(stateOf(run).checks.baseline).toHaveLength(3);
  });

  test('a project without commands has no baseline step', () => {
    const none = { lang: 'unknown', build: null, test: null, lint: null, type_check: null };
    const run = play(begin(), { 'query project': () => ({ kind: 'queried', found: none }) }, [
      'work planner_single',
    ]);
    expect(stepsOf(run)).not.toContain('check');
  });

  test('packages that cannot be installed are told with the reason: no such program, or its exit code', () => {
    const install = { command: 'pnpm install --frozen-lockfile', source: 'pnpm-lock.yaml' };
    const told = (result: 'fail' | 'unavailable') => {
      const run = play(
        begin(),
        {
          'query project': () => ({ kind: 'queried', found: { ...PROJECT, install } }),
          check: (at) => checked(at, { install: checkResult('install', result) }),
        },
        ['work planner_single'],
      );
      return notices(run, 'en', 'warning')[0];
    };
    expect(told('unavailable')).toContain('failed (pnpm was not found on the PATH)');
    expect(told('fail')).toContain('failed (exit 1)');
  });
});
