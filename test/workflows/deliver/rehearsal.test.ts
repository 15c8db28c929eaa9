import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtinAttempt } from '../../../src/adapters/agent-rehearsal/builtin.ts';
import type { ScriptAttempt } from '../../../src/adapters/agent-rehearsal/script-schema.ts';
import { DeliverSpec } from '../../../src/contract/deliver-work.ts';
import { SpecDoc } from '../../../src/contract/spec-work.ts';
import type { SlotRef, WorkerCall } from '../../../src/contract/step.ts';
import { deliverRoles } from '../../../src/workflows/deliver/roles.ts';
import { renderSpec } from '../../../src/workflows/spec/spec-markdown.ts';
import { answerPure, entries, type PureOutcome, type PureRun } from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import {
  begin,
  CHANGE_SET,
  callsOf,
  checked,
  failing,
  keep,
  kept,
  keyOf,
  play,
  stateOf,
  worked,
} from './fixture.ts';

const WORDS = { en: 'no model wrote this', ko: '모델이 작성한 글이 아닙니다' } as const;
const TASKS = {
  en: 'Add a --json flag to the export command',
  ko: '내보내기 명령에 JSON 옵션 추가',
} as const;
type Lang = keyof typeof TASKS;
const LANGS: Lang[] = ['en', 'ko'];
const MODES = ['single', 'standard', 'multi'] as const;

/** The slots of a call as the runtime hands them to an agent: every one of the role, requests one by one. */
function slotsFor(run: PureRun, call: WorkerCall): Record<string, string> {
  const definitions = run.def.roles[call.role]?.slots ?? [];
  const named = definitions.flatMap(({ name, each }) => {
    const ref = call.slots[name];
    if (each) return requestsIn(run, ref).map((text, n) => [`${name} ${n + 1}`, text]);
    return [[name, textOf(ref)]];
  });
  return Object.fromEntries(named);
}

function requestsIn(run: PureRun, ref: SlotRef | undefined): string[] {
  if (!ref || !('records' in ref)) return [];
  return entries(run, ref.records).map((entry) => (entry as { text: string }).text);
}

function textOf(ref: SlotRef | undefined): string {
  if (!ref || 'records' in ref || 'brief' in ref) return '';
  if ('text' in ref) return ref.text;
  return 'json' in ref ? JSON.stringify(ref.json) : (kept.get(ref.artefact) ?? ref.artefact);
}

function attemptFor(run: PureRun, call: WorkerCall): ScriptAttempt {
  const { user_lang: lang } = stateOf(run);
  const attempt = builtinAttempt({ role: call.role, nth: 1, lang, slots: slotsFor(run, call) });
  if (!attempt) throw new Error(`the built-in script has no part for ${call.role}`);
  return attempt;
}

/** One run whose workers all play the built-in script; its edits are what the change set holds. */
function rehearse(start: PureRun, until: string[] = [], replies: Parameters<typeof play>[1] = {}) {
  const attempts: { role: string; attempt: ScriptAttempt }[] = [];
  const created = new Set<string>();
  const work = (run: PureRun): PureOutcome => {
    const calls = run.step.kind === 'work' ? run.step.calls : [];
    const played = calls.map((call) => ({ role: call.role, attempt: attemptFor(run, call) }));
    attempts.push(...played);
    for (const { attempt } of played) for (const { path } of attempt.edits ?? []) created.add(path);
    return worked(run, ...played.map(({ attempt }) => attempt.result));
  };
  const query = (): PureOutcome => ({
    kind: 'queried',
    found: { ...CHANGE_SET, modified: [], created: [...created] },
  });
  const keys = Object.keys(deliverRoles);
  const groups = [
    'architect+senior_dev',
    'architect+senior_dev+qa_specialist',
    'cross_critique+cross_critique+cross_critique',
    'advisor_code_quality+advisor_test_stability',
  ];
  const workers = Object.fromEntries([...keys, ...groups].map((roles) => [`work ${roles}`, work]));
  const run = play(start, { ...workers, 'query change_set': query, ...replies }, until);
  return { run, attempts, created: [...created] };
}

const ROLES = {
  single: ['planner_single', 'generator_single', 'evaluator'],
  standard: [
    ...['architect', 'senior_dev', 'synthesis'],
    ...['lead_developer', 'advisor_combined', 'implementation', 'evaluator'],
  ],
  multi: [
    ...['architect', 'senior_dev', 'qa_specialist'],
    ...['cross_critique', 'cross_critique', 'cross_critique', 'synthesis', 'lead_developer'],
    ...['advisor_code_quality', 'advisor_test_stability', 'implementation', 'evaluator'],
  ],
} as const;

const CASES = LANGS.flatMap((lang) => MODES.map((mode) => [lang, mode] as const));

describe.each(CASES)('a rehearsal in %s, mode %s', (lang, mode) => {
  const task = TASKS[lang];
  const whole = () => rehearse(begin({ mode, task }));

  test('comes to a pass: every result fits the schema and the checks of its role', () => {
    const { run, attempts } = whole();
    expect(attempts.map(({ role }) => role)).toEqual(ROLES[mode]);
    expect(stateOf(run)).toMatchObject({
      phase: 'completed',
      verdict: { completion_reason: 'qa_pass' },
      round: 1,
    });
  });

  test('says in every result and in the file that no model wrote it, and repeats the task', () => {
    const { attempts } = whole();
    for (const { role, attempt } of attempts) {
      expect([role, JSON.stringify(attempt.result)]).toEqual([role, expect.stringContaining(WORDS[lang])]);
    }
    const [edit, ...others] = attempts.flatMap(({ attempt }) => attempt.edits ?? []);
    expect(others).toEqual([]);
    expect(edit?.path).toMatch(/^rehearsal-[0-9a-f]{8}\.md$/);
    expect(edit?.content?.split('\n')[0]).toContain(WORDS[lang]);
    expect(edit?.content).toContain(task);
    expect(edit?.content).toContain('AC-1');
  });

  test('a revision keeps what was read and takes the requests up', () => {
    const first = rehearse(begin({ mode, task }), ['gate spec']);
    const asked = answerPure(first.run, 'modify', { text: 'PNG, please' });
    const { run, attempts } = rehearse(asked, ['gate spec']);
    expect(attempts.map(({ role }) => role)).toEqual(['synthesis']);
    const spec = attempts[0]?.attempt.result as { goal: string; background: string[] };
    expect(spec.goal).toContain(task);
    expect(spec.background.join()).toContain('PNG, please');
    expect(stateOf(run).plan.spec).toMatchObject({
      revision: 2,
      criteria: stateOf(first.run).plan.spec?.criteria,
    });
  });
});

describe('an approved specification', () => {
  const criterion = (id: string) => ({
    id,
    name: `Name of ${id}`,
    given: `given ${id}\n\n## not a heading`,
    when: `when ${id}\n- not an item`,
    outcome: `outcome ${id}: **bold**: x`,
  });
  const doc = SpecDoc.parse({
    goal: 'See AC-99.',
    background_decisions: ['b'],
    scope: ['s'],
    out_of_scope: ['o'],
    edge_cases: ['e'],
    acceptance_criteria: ['AC-1', 'login', 'X_9-z'].map(criterion),
    risks: [{ text: 'r', likelihood: 'low', mitigation: 'm' }],
  });
  const markdown = (lang: Lang) => renderSpec(doc, translator(lang));
  const texts: [string, string][] = [
    ['JSON', JSON.stringify(doc)],
    ['markdown in English', markdown('en')],
    ['markdown in Korean', markdown('ko')],
  ];
  const from = (text: string) => ({
    run: 'sp-3aa',
    slug: 'export',
    docs_path: 'docs/baton/export/',
    spec: keep(text),
    criteria: doc.acceptance_criteria.map(({ id }) => id),
  });

  test.each(texts)('as %s: each mode repeats every criterion word for word', (_, text) => {
    for (const mode of MODES) {
      const { run, attempts } = rehearse(begin({ mode, from_spec: from(text) }));
      const author = attempts.find(({ role }) => role === 'planner_single' || role === 'synthesis');
      expect(author?.attempt.result).toMatchObject({ completion_criteria: doc.acceptance_criteria });
      expect(stateOf(run).verdict.completion_reason).toBe('qa_pass');
    }
  });

  test('a text of any other form gives up the ids it names', () => {
    const slots = { task: 'x', approved_spec: 'We need AC-1 (twice AC-1) and AC-12.' };
    const plan = builtinAttempt({ role: 'planner_single', nth: 1, lang: 'en', slots })?.result;
    const { completion_criteria } = DeliverSpec.parse(plan);
    expect(completion_criteria.map(({ id }) => id)).toEqual(['AC-1', 'AC-12']);
  });
});

test('the synthesis of spec still writes a specification of spec', () => {
  const slots = { task: 'x', notes: '', findings: '' };
  const attempt = builtinAttempt({ role: 'synthesis', nth: 1, lang: 'en', slots });
  expect(SpecDoc.safeParse(attempt?.result).success).toBe(true);
});

describe('repairs', () => {
  const broken = {
    check: (run: PureRun, nth: number) => (nth === 1 ? checked(run) : failing(run)),
  };

  test('change no file and say in the notes what failed', () => {
    const { run, attempts } = rehearse(begin({ mode: 'standard' }), ['gate verify'], broken);
    expect(keyOf(run.step)).toBe('gate verify');
    const built = attempts.filter(({ role }) => role === 'implementation');
    expect(built).toHaveLength(4);
    for (const { attempt } of built.slice(1)) {
      expect(attempt.edits).toBeUndefined();
      expect(attempt.result).toMatchObject({ files: [] });
      expect(JSON.stringify(attempt.result)).toContain('layer 1');
    }
  });

  test.each(LANGS)('in %s the proposer has no patch, and that is not offered', (lang) => {
    const atGate = rehearse(begin({ task: TASKS[lang] }), ['gate verify'], broken).run;
    const asked = answerPure(atGate, 'auto_fix');
    const { run, attempts } = rehearse(asked, ['gate verify'], broken);
    expect(attempts.map(({ role }) => role)).toEqual(['auto_fix_proposer']);
    expect(JSON.stringify(attempts[0]?.attempt.result)).toContain(WORDS[lang]);
    expect(stateOf(run).checks.autofix).toMatchObject({ applied: 'rejected', reason: 'empty_patch' });
  });
});

test('a review is answered: each piece of advice is declined with the reason', () => {
  const { attempts } = rehearse(begin({ mode: 'multi' }));
  const built = attempts.find(({ role }) => role === 'implementation')?.attempt.result;
  expect((built as { advice: { decision: string }[] }).advice.map(({ decision }) => decision)).toEqual([
    'declined',
    'declined',
  ]);
});

describe('the checklist', () => {
  const spec = JSON.stringify({ goal: 'g', completion_criteria: [{ id: 'AC-1' }, { id: 'AC-2' }] });
  const judged = (changed_paths: string) =>
    builtinAttempt({ role: 'evaluator', nth: 1, lang: 'en', slots: { spec, changed_paths } })?.result;

  test('without its own file names the first path that changed', () => {
    const evaluation = judged('src/a.ts\nsrc/b c.ts');
    expect(evaluation).toMatchObject({
      criteria: ['AC-1', 'AC-2'].map((id) => ({
        id,
        met: 'YES',
        evidence: [{ file: 'src/a.ts', line: 1 }],
      })),
      files: [{ path: 'src/a.ts' }, { path: 'src/b c.ts' }],
      verdict: 'PASS',
    });
    expect(deliverRoles.evaluator.result.safeParse(evaluation).success).toBe(true);
  });

  test('meets nothing where nothing changed', () => {
    const evaluation = judged('');
    expect(evaluation).toMatchObject({ verdict: 'FAIL_L2', layer3: null, files: [] });
    expect(JSON.stringify(evaluation)).not.toContain('YES');
    expect(deliverRoles.evaluator.result.safeParse(evaluation).success).toBe(true);
  });
});

describe('the place of the file', () => {
  const pathIn = (scope: string[], cwd?: string) => {
    const slots = { spec: '{"goal":"g"}', scope: scope.join('\n') };
    const told = { role: 'generator_single', nth: 1, lang: 'en', slots, ...(cwd ? { cwd } : {}) };
    return builtinAttempt(told)?.edits?.[0]?.path.replace(/rehearsal-[0-9a-f]{8}\.md$/, 'FILE');
  };

  test.each<[string[], string]>([
    [['(no limit)'], 'FILE'],
    [['src/**'], 'src/FILE'],
    [['./src/app/'], 'src/app/FILE'],
    [['.github'], '.github/FILE'],
    [['src/*.md'], 'src/FILE'],
    [['**/*.md'], 'FILE'],
    [['.'], 'FILE'],
    [['!src/**'], 'FILE'],
    [['src/**', '!src/*.md', 'lib'], 'lib/FILE'],
    [['src/**/*.ts', 'docs/guide/**'], 'docs/guide/FILE'],
    [['{a,b}/**', 'c/d'], 'c/d/FILE'],
    [['src/export.ts'], 'FILE'],
    [['src/**/*.ts'], 'FILE'],
    [['../up/**'], 'FILE'],
    [['/abs/**'], 'FILE'],
    [['.git/**'], 'FILE'],
  ])('scope %j: %s', (scope, path) => {
    expect(pathIn(scope)).toBe(path);
  });

  test('is never below a file or behind a link', () => {
    const root = mkdtempSync(join(tmpdir(), 'baton-place-'));
    try {
      writeFileSync(join(root, 'Makefile'), '');
      mkdirSync(join(root, 'real'));
      symlinkSync(tmpdir(), join(root, 'link'));
      expect(pathIn(['Makefile'], root)).toBe('FILE');
      expect(pathIn(['link/**'], root)).toBe('FILE');
      expect(pathIn(['Makefile', 'link/sub/', 'real', 'new/'], root)).toBe('real/FILE');
      expect(pathIn(['new/deep/**'], root)).toBe('new/deep/FILE');
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test('inside a scope the whole run comes to a pass', () => {
    const { run, created } = rehearse(begin({ mode: 'standard', scope: ['src/**'] }));
    expect(created).toEqual([expect.stringMatching(/^src\/rehearsal-/)]);
    expect(stateOf(run).verdict.completion_reason).toBe('qa_pass');
    const plans = callsOf(run)
      .flat()
      .filter(({ role }) => role === 'implementation');
    expect(plans).toHaveLength(1);
  });
});

test('whatever the slots hold, every result fits its schema, and equal calls give equal results', () => {
  const long = fc.string({ unit: 'binary', maxLength: 10 }).map((text) => text.repeat(2_000));
  const any = fc.oneof(fc.string({ unit: 'binary' }), long, fc.json());
  const roles = Object.entries(deliverRoles).filter(([role]) => role !== 'convention_scanner');
  void fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 5 }), fc.constantFrom(...LANGS), (texts, lang) => {
      for (const [role, { slots, result }] of roles) {
        const given = Object.fromEntries(slots.map(({ name }, n) => [name, texts[n % texts.length] ?? '']));
        const told = { role, nth: 1, lang, slots: { ...given, changed_paths: 'src/a.ts\nb' } };
        const attempt = builtinAttempt(told);
        expect([role, result.safeParse(attempt?.result).error]).toEqual([role, undefined]);
        expect(builtinAttempt(told)).toEqual(attempt);
      }
    }),
    { numRuns: 100 },
  );
});
