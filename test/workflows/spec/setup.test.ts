import { describe, expect, test } from 'vitest';
import { SPEC_PHASES } from '../../../src/contract/spec.ts';
import { CHILD } from '../../../src/contract/step.ts';
import type { LiveRun } from '../../../src/engine/workflow.ts';
import { deliverWorkflow } from '../../../src/workflows/deliver/workflow.ts';
import { routingHint } from '../../../src/workflows/spec/start.ts';
import { specWorkflow } from '../../../src/workflows/spec/workflow.ts';
import {
  answerPure,
  offered,
  type PureRun,
  policy,
  refusedSignal,
  settlePure,
  signalPure,
  startFacts,
} from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import { atConventions, begin, FREE, GIT, stateOf, TASK } from './fixture.ts';

const SLUG = 'a-tool-that-renames-photos-by-date';
const collide = (run: PureRun, file: string, siblings: string[] = [stateOf(run).slug]) =>
  settlePure(run, { kind: 'queried', found: { ...FREE, taken: [file], siblings } });

describe('start', () => {
  test.each([
    [{ mode: 'fast' }, 'mode'],
    [{ task: '   ' }, 'task'],
    [{ lang: 'fr' }, 'lang'],
    [{ colour: 'red' }, 'colour'],
  ])('%j is refused as bad input before a run exists', (input, field) => {
    const refused = specWorkflow.start({ task: TASK, ...input }, startFacts());
    expect(refused).toMatchObject({ rejection: 'bad_input', message: { args: { field } } });
  });

  test('the language comes from the task unless the person names one', () => {
    expect(stateOf(begin({ task: '사진 이름을 날짜로 바꾸는 도구' })).user_lang).toBe('ko');
    expect(stateOf(begin({ lang: 'ko' }))).toMatchObject({ user_lang: 'ko', lang_explicit: true });
  });

  test('a checked reference is stored relative, with its hash beside it', () => {
    const hash = `sha256:${'0'.repeat(64)}` as const;
    const run = begin({ reference: './docs/guide.md' }, { reference: { path: 'docs/guide.md', hash } });
    expect(stateOf(run).cli_flags).toEqual({ reference: 'docs/guide.md', reference_hash: hash });
  });
});

describe('routing hint', () => {
  test.each([
    ['Refactor the export module so that it is faster', 'improve'],
    ['Fix the crash in the upload dialog', 'improve'],
    ['Improve the performance of the existing search', 'improve'],
    ['기존 코드를 개선해 주세요', 'improve'],
    ['로그인 버그를 고쳐 주세요', 'improve'],
    ['Implement the approved spec in docs/baton/x/spec.md', 'implement'],
    ['Build this specification', 'implement'],
    ['명세대로 구현해 주세요', 'implement'],
    ['Explain how the cache works', 'understand'],
    ['How does the login code work?', 'understand'],
    ['이 함수의 코드를 설명해 주세요', 'understand'],
    ['结构优化代码', 'improve'],
    ['Explica cómo funciona la caché', 'understand'],
    ['Bitte behebe den Absturz beim Hochladen', 'improve'],
    ['仕様書どおりに実装してください', 'implement'],
  ] as const)('SP-08: "%s" opens the gate, Continue proceeds unchanged', (task, kind) => {
    const run = begin({ task });
    expect(run.step).toMatchObject({
      kind: 'gate',
      gate: { name: 'routing', brief: { decide: { args: { kind } } } },
    });
    const better = kind === 'understand' ? [] : ['deliver'];
    expect(offered(run)).toEqual(['continue', ...better, 'stop']);
    const before = stateOf(run);
    const after = stateOf(answerPure(run, 'continue'));
    expect(after).toEqual({
      ...before,
      updated_at: after.updated_at,
      setup: { ...before.setup, stage: 'looking', routing: null },
    });
    const unsaid = answerPure(begin({ task, mode: null }), 'continue');
    expect([stateOf(unsaid).mode, unsaid.step]).toMatchObject([null, { gate: { name: 'mode' } }]);
  });

  test.each([
    TASK,
    'Write a spec for a photo renaming tool',
    'I need a specification that lets us build the billing page',
    'Draft a new specification to improve the existing search code',
    '기존 코드를 개선하는 명세서를 작성해 주세요',
    'A dashboard that shows how the cache works over time',
    'A bot that fixes typos in comments',
    '사진 이름을 날짜로 바꾸는 도구',
    '결제 화면 명세서를 작성해 주세요',
    'Ein Werkzeug, das Fotos nach Datum umbenennt',
  ])('SP-08: "%s" opens no gate', (task) => {
    expect(routingHint(task)).toBeNull();
    expect(begin({ task }).step).toMatchObject({ kind: 'query', what: { what: 'setup' } });
  });

  test('the hint never switches by itself, names the reason, and Stop leaves nothing behind', () => {
    const run = begin({ task: 'Explain how the cache works' });
    const says = translator('en');
    if (run.step.kind !== 'gate') throw new Error('no gate');
    expect(says(run.step.gate.brief.decide)).toContain('understanding code');
    expect(run.step.gate.brief.why.map(says)).toEqual(['No workflow of Baton explains code.']);
    const stopped = answerPure(run, 'stop');
    expect(stopped.step).toMatchObject({ kind: 'end', outcome: { result: 'withdrawn' } });
    expect(stopped.records.filter(({ kind }) => kind === 'claim')).toEqual([]);
  });

  test.each([
    ['Fix the crash in the upload dialog', {}, {}],
    ['Implement the approved spec in docs/baton/x/spec.md', { lang: 'ko' }, { lang: 'ko' }],
  ] as const)(
    '"%s": the better workflow gets the same task, and this run owns nothing',
    (task, given, more) => {
      const run = answerPure(begin({ task, ...given }), 'deliver');
      expect(run.step).toEqual({
        kind: 'end',
        outcome: {
          result: 'withdrawn',
          successor: CHILD,
          why: { msg: 'spec.end.switched', args: { workflow: 'deliver' } },
        },
      });
      expect(run.records).toEqual([
        { kind: 'spawn', key: 'routing', workflow: 'deliver', input: { task, ...more } },
      ]);
      expect(deliverWorkflow.input.safeParse({ task, ...more }).success).toBe(true);
    },
  );

  test('SP-66: only who wants an existing specification built is told how to name it', () => {
    const told = (task: string) => {
      const { step } = begin({ task });
      return step.kind === 'gate' ? step.gate.brief.context : [];
    };
    const command = expect.objectContaining({ args: { command: 'baton deliver --from-spec <run>' } });
    expect(told('Implement the approved spec in docs/baton/x/spec.md')).toContainEqual(command);
    expect(told('Fix the crash in the upload dialog')).not.toContainEqual(command);
  });
});

describe('slug collision', () => {
  test.each(['spec.md', 'qa_notes.md', 'critic_findings.md', 'conventions.md'])(
    'SP-09: %s in docs_path opens the gate before anything is claimed',
    (file) => {
      const run = collide(begin({ mode: 'quick' }), file);
      expect(run.step).toMatchObject({ kind: 'gate', gate: { name: 'slug_collision' } });
      expect(offered(run)).toEqual(['timestamp', 'overwrite', 'stop']);
      expect(run.records).toEqual([]);
    },
  );

  test('SP-09: no taken document, no gate; folders beside it do not matter', () => {
    const run = settlePure(begin(), { kind: 'queried', found: { ...FREE, siblings: [SLUG, 'other'] } });
    expect(stateOf(run).phase).toBe('convention_scan_active');
  });

  test('SP-09: Stop leaves no trace', () => {
    const run = answerPure(collide(begin({ mode: 'quick' }), 'spec.md'), 'stop');
    expect(run.step).toMatchObject({ kind: 'end', outcome: { result: 'withdrawn' } });
    expect(run.records).toEqual([]);
  });

  test('SP-09: Append timestamp looks at the new place and claims the new name', () => {
    const run = answerPure(collide(begin(), 'spec.md'), 'timestamp');
    const { slug, docs_path } = stateOf(run);
    expect(slug).toBe(`${SLUG}-20261115100200`);
    expect(docs_path).toBe(`docs/baton/${slug}/`);
    expect(run.step).toMatchObject({ kind: 'query', what: { input: { slug, docs_path, branch: null } } });
    const done = settlePure(run, { kind: 'queried', found: FREE });
    expect(done.records).toContainEqual({ kind: 'claim', subject: `spec:${slug}` });
  });

  test('SP-09: a name taken in the same second gets a counter instead of a second gate', () => {
    const at = '2026-11-15T10:02:00.000Z';
    const first = answerPure(collide(begin(), 'spec.md'), 'timestamp');
    const { slug } = stateOf(first);
    const found = { ...FREE, taken: ['spec.md'], siblings: [SLUG, slug] };
    const second = settlePure(first, { kind: 'queried', found }, at);
    expect(stateOf(second).slug).toBe(`${SLUG.slice(0, 33)}-20261115100200-2`);
    expect(second.step.kind).toBe('query');
  });

  test('SP-10: a later second replaces the timestamp and never adds a second one', () => {
    const first = answerPure(collide(begin({ task: 'Photos' }), 'spec.md'), 'timestamp');
    expect(stateOf(first).slug).toBe('photos-20261115100200');
    const found = { ...FREE, taken: ['spec.md'], siblings: ['photos', stateOf(first).slug] };
    const second = settlePure(first, { kind: 'queried', found }, '2026-11-15T10:02:07.000Z');
    expect(stateOf(second).slug).toBe('photos-20261115100207');
  });

  test('SP-10: names taken in the same second stay distinct, however many there are', () => {
    const at = '2026-11-15T10:02:00.000Z';
    let run = answerPure(collide(begin(), 'spec.md'), 'timestamp');
    const names = [SLUG, stateOf(run).slug];
    for (let n = 2; n < 12; n += 1) {
      run = settlePure(run, { kind: 'queried', found: { ...FREE, taken: ['spec.md'], siblings: names } }, at);
      const { slug } = stateOf(run);
      expect(names).not.toContain(slug);
      expect(slug).toMatch(/-20261115100200(?:-\d+)?$/);
      expect(slug.length).toBeLessThanOrEqual(50);
      names.push(slug);
    }
  });

  test('SP-09: Overwrite keeps the place and is remembered until the documents are written', () => {
    const run = answerPure(collide(begin(), 'spec.md'), 'overwrite');
    const done = settlePure(run, { kind: 'queried', found: { ...FREE, taken: ['spec.md'] } });
    expect(stateOf(done)).toMatchObject({ slug: SLUG, overwrite: true, phase: 'convention_scan_active' });
  });

  test('SP-09: unattended, the timestamp is taken and no gate opens', () => {
    const run = collide(begin({}, { policy: { ...policy, unattended: true } }), 'spec.md');
    expect(run.step.kind).toBe('query');
    expect(stateOf(run).slug).toMatch(/-20261115\d{6}$/);
    expect(run.records).toContainEqual(
      expect.objectContaining({ kind: 'decision', name: 'slug', by_rule: 'SP-09' }),
    );
  });
});

describe('branch and place', () => {
  test('with git the branch found is stored; without git and in place none is asked for', () => {
    const git = begin({}, { git: GIT });
    expect(git.step).toMatchObject({ what: { input: { branch: `baton/spec-${SLUG}` } } });
    const found = { ...FREE, branch: { name: `baton/spec-${SLUG}-2`, base: GIT.head } };
    expect(stateOf(settlePure(git, { kind: 'queried', found }))).toMatchObject({
      branch: `baton/spec-${SLUG}-2`,
      base: GIT.head,
    });
    const inPlace = begin({}, { git: GIT, policy: { ...policy, in_place: true } });
    for (const run of [begin(), inPlace]) {
      expect(run.step).toMatchObject({ what: { input: { branch: null } } });
    }
  });

  test('a failed look halts, and a resume looks again', () => {
    const failure = { code: 'guard', retry: 'permanent', detail: 'docs is a link' } as const;
    const run = settlePure(begin(), { kind: 'failed', failure });
    expect(run.step).toMatchObject({ kind: 'wait', until: { commands: ['resume', 'abandon'] } });
    expect(signalPure(run, { type: 'command', command: 'resume', by: 'ada', args: {} }).step.kind).toBe(
      'query',
    );
  });
});

describe('status', () => {
  const lines = (run: PureRun, lang: 'en' | 'ko') => {
    const t = translator(lang);
    return specWorkflow.status(run.state).map(({ label, value }) => `${t(label)}: ${t(value)}`);
  };

  test('SP-14: golden status without git', () => {
    expect(lines(atConventions(), 'en')).toEqual([
      'workflow: spec',
      `task: ${TASK}`,
      'mode: quick',
      'phase: Convention scan - running',
      'Q&A round: 0/3',
      `output: docs/baton/${SLUG}/spec.md`,
    ]);
  });

  test('SP-14: golden status with git, and the summary of the setup', () => {
    const run = atConventions({}, { git: GIT });
    expect(lines(run, 'en')).toContain('branch: baton/spec-x');
    const t = translator('en');
    const summary = run.records.flatMap((record) => (record.kind === 'notice' ? [t(record.text)] : []));
    expect(summary.at(-1)).toBe(
      `Setup done: branch baton/spec-x, mode quick, output docs/baton/${SLUG}/spec.md.`,
    );
  });

  test('SP-14: the status only reads', () => {
    const run = atConventions();
    const before = structuredClone(run.state);
    specWorkflow.status(run.state);
    expect(run.state).toEqual(before);
  });
});

describe('session', () => {
  const live = (phase: string): LiveRun => ({
    run: 'sp-old',
    workflow: 'spec',
    subject: `spec:${SLUG}`,
    phase,
    status: 'waiting',
    title: 'the earlier one',
  });
  const over = (phase = 'qa_active') => begin({ mode: 'quick' }, { live: [live(phase)] });

  test('SP-62: each phase of the other run has its own Resume description and the same option keys', () => {
    const t = translator('en');
    const said = SPEC_PHASES.map((phase) => {
      const run = over(phase);
      expect(run.records).toEqual([]);
      expect(offered(run)).toEqual(['resume', 'restart', 'stop', 'view']);
      if (run.step.kind !== 'gate') throw new Error('no gate');
      return [phase, t(run.step.gate.describe?.resume ?? '')] as const;
    });
    const byPhase = Object.fromEntries(said);
    expect(byPhase.critic_halted).toContain('only shows why it was halted');
    expect(byPhase.spec_ready).toContain('approval gate with the stored draft');
    expect(byPhase.convention_scan_active).toContain('convention step');
    expect(new Set(Object.values(byPhase)).size).toBe(SPEC_PHASES.length - 1);
    expect(byPhase.qa_complete).toBe(byPhase.gen_ready);
  });

  test('SP-62: four answers, four end states', () => {
    const abandon = { kind: 'command', to: 'sp-old', command: 'abandon' };
    const end = (option: string) => answerPure(over(), option);
    expect(end('resume').step).toMatchObject({
      kind: 'end',
      outcome: { result: 'withdrawn', successor: 'sp-old', why: { msg: 'spec.end.resumed' } },
    });
    expect(end('resume').records).toEqual([]);
    expect(end('view').step).toMatchObject({
      kind: 'end',
      outcome: { result: 'withdrawn', successor: 'sp-old', why: { msg: 'spec.end.viewed' } },
    });
    expect(end('view').records).toEqual([]);
    const stop = end('stop');
    expect(stop.step).toMatchObject({ kind: 'end', outcome: { result: 'withdrawn' } });
    expect(stop.step).not.toHaveProperty('outcome.successor');
    expect(stop.records).toEqual([abandon]);
    const restart = end('restart');
    expect(restart.step).toMatchObject({ kind: 'wait', until: { kind: 'run_ended', run: 'sp-old' } });
    expect(restart.records).toEqual([abandon]);
    const goesOn = signalPure(restart, { type: 'run_ended', run: 'sp-old', key: null, result: 'abandoned' });
    expect(goesOn.step).toMatchObject({ kind: 'query', what: { what: 'setup' } });
  });

  test('a live run of another subject, or one that has ended, opens no gate', () => {
    const other = { ...live('qa_active'), subject: 'spec:something-else' };
    const ended = { ...live('completed'), status: 'ended' as const };
    expect(begin({}, { live: [other, ended] }).step.kind).toBe('query');
  });

  test('the end of a run nobody waits for changes nothing', () => {
    const restart = answerPure(over(), 'restart');
    const foreign = { type: 'run_ended', run: 'sp-zzz', key: null, result: 'approved' } as const;
    expect(refusedSignal(restart, foreign).rejection).toBe('wrong_moment');
  });

  test('a subject taken while the setup commits leads back to the gate', () => {
    const taken = { type: 'subject_taken', subject: `spec:${SLUG}`, run: 'sp-new' } as const;
    const run = signalPure(begin(), taken);
    expect(run.step).toMatchObject({ kind: 'gate', gate: { name: 'session' } });
    expect(stateOf(run).setup?.other).toEqual({ run: 'sp-new', phase: null, title: null });
    const known = { ...taken, workflow: 'spec', phase: 'qa_active', title: 'Rename' };
    expect(stateOf(signalPure(begin(), known)).setup?.other).toEqual({
      run: 'sp-new',
      phase: 'qa_active',
      title: 'Rename',
    });
  });
});
