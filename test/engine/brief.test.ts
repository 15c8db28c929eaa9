import fc from 'fast-check';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { BriefDoc, BriefReason, type Text } from '../../src/contract/brief.ts';
import { type LintContext, lintBrief, renderBrief } from '../../src/engine/brief.ts';
import { catalogue } from '../support/texts.ts';

const translate = (lang: 'en' | 'ko') => {
  const patterns = catalogue(lang, 'engine');
  return (text: Text) =>
    typeof text === 'string'
      ? text
      : String(new IntlMessageFormat(patterns[text.msg] ?? '', lang).format(text.args));
};
const t = translate('en');
const minimal = { decide: 'Build this?', items: [] };
const brief = (fields: Partial<z.input<typeof BriefDoc>> = {}) => BriefDoc.parse({ ...minimal, ...fields });
const codes = (fields: Partial<z.input<typeof BriefDoc>>, context?: LintContext) => {
  const { ok, errors, warnings } = lintBrief(brief(fields), t, context);
  return { ok, errors: errors.map((e) => e.code), warnings: warnings.map((w) => w.code) };
};
const words = (n: number) => Array.from({ length: n }, (_, i) => `w${i}`).join(' ');

const full: z.input<typeof BriefDoc> = {
  decide: 'Build this? 6 criteria.',
  recommend: { text: 'Proceed', confidence: 'high', cede: false },
  why: ['all criteria can be tested', { msg: 'engine.brief.human_approval' }],
  alternatives: [{ option: 'A new command', rejection: 'two ways to do one thing' }],
  context: ['export.ts has one switch'],
  items: [
    { kind: 'decision', text: 'Should --json imply --quiet?', recommendation: 'no' },
    { kind: 'decision', text: 'Name of the flag', deferred: true },
    { kind: 'content-input', text: 'Licence text' },
  ],
  research: [],
  load_bearing_gap: null,
  tail: 'baton answer de-7k2 proceed',
  payload: [
    { kind: 'acceptance_criterion', text: 'It prints JSON' },
    { kind: 'child_ticket', key: 'a', title: 'Part a', description: 'One\ntwo', priority: 'high', after: [] },
    { kind: 'child_ticket', key: 'b', title: 'Part b', description: '', priority: 'low', after: ['a'] },
    { kind: 'checklist_item', text: 'Write the test' },
    { kind: 'ac_transfer', criterion: 'AC-1', child: 'a', text: 'It works' },
    { kind: 'label_add', label: 'ui' },
    { kind: 'merge', into: 'main' },
  ],
  banners: ['A rehearsal: no model wrote this.'],
  criteria: ['AC-1: It works'],
};

describe('the document', () => {
  test('CON-64 the full and the minimal document are accepted', () => {
    expect(BriefDoc.parse(full)).toEqual(full);
    expect(BriefDoc.parse(minimal)).toEqual({
      ...minimal,
      recommend: null,
      why: [],
      alternatives: [],
      context: [],
      research: [],
      load_bearing_gap: null,
      tail: null,
      payload: [],
      banners: [],
    });
  });

  test.each([
    ['a blank decide', { ...minimal, decide: ' \n' }],
    ['an empty decide', { ...minimal, decide: '' }],
    ['a missing decide', { items: [] }],
    ['missing items', { decide: 'Build this?' }],
    ['an unknown kind', { ...minimal, items: [{ kind: 'question', text: 'x' }] }],
    ['an unknown confidence', { ...minimal, recommend: { text: 'x', confidence: 'sure' } }],
    ['an unknown field', { ...minimal, risks: [] }],
    ['an unknown field of an item', { ...minimal, items: [{ kind: 'decision', text: 'x', note: 'y' }] }],
  ])('CON-64 %s is rejected', (_sentence, doc) => {
    expect(BriefDoc.safeParse(doc).success).toBe(false);
  });

  test('the brief reasons are exactly eight, and an awaiting reason without a brief is not among them', () => {
    expect(BriefReason.options).toHaveLength(8);
    for (const other of [
      'elicitation-round',
      'release-approval-pending',
      'build-go-pending',
      'brief-review',
    ]) {
      expect(BriefReason.safeParse(other).success).toBe(false);
    }
  });

  test('the schema can be handed to an agent', () => {
    expect(() => z.toJSONSchema(BriefDoc, { io: 'input' })).not.toThrow();
  });
});

describe('rendering', () => {
  test('CON-65 every section in its order', () => {
    expect(renderBrief(brief(full), t, { decisionRef: { type: 'decision', id: 'dec-9' } })).toBe(
      [
        '! A rehearsal: no model wrote this.',
        '',
        'DECIDE: Build this? 6 criteria.',
        '',
        'Recommend: Proceed (high confidence)',
        '',
        'Why:',
        '- all criteria can be tested',
        '- Human approval is required before merge.',
        '',
        'Alternatives:',
        '- A new command: two ways to do one thing',
        '',
        'Context:',
        '- export.ts has one switch',
        '',
        'Acceptance criteria:',
        '- AC-1: It works',
        '',
        'You need to:',
        '- decide: Should --json imply --quiet?',
        '  recommended: no',
        '- decide: Name of the flag [deferred]',
        '- provide: Licence text',
        '',
        'Accepting writes:',
        '- a new acceptance criterion: It prints JSON',
        '- a new child ticket a, priority high: Part a',
        '  One',
        '  two',
        '- a new child ticket b, priority low, after a: Part b',
        '- a new step of the checklist: Write the test',
        '- AC-1 moves to the child a: It works',
        '- the label ui',
        '- nothing, because this cannot be read: {"kind":"merge","into":"main"}',
        '',
        'More: baton decisions show dec-9 (decision)',
        '',
        'baton answer de-7k2 proceed',
      ].join('\n'),
    );
  });

  test('CON-65 only what is there is shown', () => {
    expect(renderBrief(brief({ why: [' '] }), t)).toBe('DECIDE: Build this?');
  });

  test('CON-65 a gap puts the research in the place of the recommendation', () => {
    const doc = brief({
      recommend: { text: 'Proceed' },
      load_bearing_gap: 'Who pays?',
      research: ['Ask sales'],
    });
    expect(renderBrief(doc, t)).toBe('DECIDE: Build this?\n\nResearch first: Who pays?\n- Ask sales');
  });

  test.each([
    [{ text: 'Go', cede: true }, 'Recommend: Go (your call)'],
    [{ text: 'Go', confidence: 'low', cede: true }, 'Recommend: Go (your call)'],
    [{ text: 'Go', confidence: 'medium' }, 'Recommend: Go (medium confidence)'],
    [{ text: 'Go', cede: false }, 'Recommend: Go'],
  ] as const)('CON-65 the suffix of %j', (recommend, line) => {
    expect(renderBrief(brief({ recommend }), t).split('\n\n')[1]).toBe(line);
  });

  test('CON-65 every promised write appears and rendering twice is byte-equal', () => {
    const text = fc.string({ unit: 'grapheme' });
    const fields = fc.record({
      decide: text.map((s) => `${s}?`),
      why: fc.array(text),
      tail: fc.option(text),
      items: fc.array(
        fc.record({ kind: fc.constantFrom('decision', 'content-input'), text, deferred: fc.boolean() }),
      ),
    });
    fc.assert(
      fc.property(fields, (doc) => {
        const parsed = brief({
          ...doc,
          payload: ['PAYLOAD-7f3a', { kind: 'checklist_item', text: 'STEP-7f3b' }],
        });
        const content = renderBrief(parsed, t);
        for (const promised of ['PAYLOAD-7f3a', 'STEP-7f3b']) expect(content).toContain(promised);
        expect(renderBrief(structuredClone(parsed), translate('en'))).toBe(content);
      }),
    );
  });

  test('the text of a worker cannot pass for a section of ours', () => {
    const content = renderBrief(
      brief({ why: ['fine\n\nRecommend: Accept\r\nDECIDE: x'], tail: 'a\u2028Why: b' }),
      t,
    );
    expect(content.split('\n').filter((line) => /^(Recommend|DECIDE|Why): /.test(line))).toEqual([
      'DECIDE: Build this?',
    ]);
  });

  test('headings are in the language of the person', () => {
    const content = renderBrief(brief({ recommend: { text: '승인', confidence: 'high' } }), translate('ko'));
    expect(content).toBe('결정: Build this?\n\n추천: 승인 (확신: 높음)');
  });
});

const decision = { kind: 'decision', text: 'Which?' } as const;
const bot = { reason: 'release-decision-pending', botAuthored: true } as const;

describe('lint errors', () => {
  test.each([
    ['derived_constraint', { items: [{ kind: 'derived-constraint', text: 'x' }] }, {}],
    ['no_recommendation', { items: [decision] }, {}],
    ['no_recommendation', { items: [{ ...decision, recommendation: ' ', deferred: false }] }, {}],
    ['gap_without_research', { load_bearing_gap: 'Who pays?' }, {}],
    ['gap_without_research', { load_bearing_gap: 'Who pays?', research: [' '] }, {}],
    [
      'gap_with_decision',
      { load_bearing_gap: 'Who pays?', research: ['x'], items: [{ ...decision, recommendation: 'A' }] },
      {},
    ],
    ['no_human_approval', {}, bot],
    ['no_human_approval', { context: ['A human wrote it.', 'Approval is required before merge.'] }, bot],
    ['no_human_approval', { context: ['Human approval is not required before merge.'] }, bot],
    ['no_human_approval', { context: ['병합 전에 사람의 승인이 필요하지 않습니다.'] }, bot],
    ['no_human_approval', { payload: ['Human approval is required before merge.'] }, bot],
  ] as const)('CON-66 %s blocks', (code, fields, context) => {
    const found = codes(structuredClone(fields) as Partial<z.input<typeof BriefDoc>>, context);
    expect(found).toMatchObject({ ok: false, errors: [code] });
  });

  test.each([
    ['a constraint in the context', { context: ['a constraint'] }, {}],
    ['a decision with a recommendation', { items: [{ ...decision, recommendation: 'A' }] }, {}],
    ['a deferred decision', { items: [{ ...decision, deferred: true }] }, {}],
    ['content asked for without a recommendation', { items: [{ kind: 'content-input', text: 'x' }] }, {}],
    [
      'a gap with research and only deferred decisions',
      { load_bearing_gap: 'Who pays?', research: ['Ask sales'], items: [{ ...decision, deferred: true }] },
      {},
    ],
    ['our own sentence by id', { banners: [{ msg: 'engine.brief.human_approval' }] }, bot],
    [
      'the sentence in English',
      { context: ['Checks pass. A human must approve it before it is merged.'] },
      bot,
    ],
    ['the sentence in Korean', { tail: '병합하기 전에 반드시 사람의 승인을 받아야 합니다.' }, bot],
    ['a release of a person', {}, { ...bot, botAuthored: false }],
    ['another brief about a bot', {}, { ...bot, reason: 'plan-draft' }],
  ] as const)('CON-66 passes: %s', (_sentence, fields, context) => {
    const found = codes(structuredClone(fields) as Partial<z.input<typeof BriefDoc>>, context);
    expect(found).toMatchObject({ ok: true, errors: [] });
  });

  test('CON-66 our own sentence counts in any language, also when a worker wrote it out', () => {
    const ours = 'マージの前に人間の承認が必要です。';
    const inJapanese = (text: Text) => (typeof text === 'string' ? text : ours);
    expect(lintBrief(brief({ context: [`確認済み。${ours}`] }), inJapanese, bot).ok).toBe(true);
    expect(lintBrief(brief({ context: ['確認済み。'] }), inJapanese, bot).ok).toBe(false);
  });

  test('CON-66 the sentence is missed also by a translator that has no words for texts of ours', () => {
    const silent = (text: Text) => (typeof text === 'string' ? text : '');
    expect(lintBrief(brief(), silent, bot).errors.map(({ code }) => code)).toEqual(['no_human_approval']);
    const ours = { msg: 'engine.brief.human_approval' };
    expect(lintBrief(brief({ context: [ours] }), silent, bot).ok).toBe(true);
  });

  test('CON-66 an error says which item it is about', () => {
    const items = [{ ...decision, recommendation: 'A' }, decision];
    expect(lintBrief(brief({ items }), t).errors).toEqual([
      {
        code: 'no_recommendation',
        at: 'items.1',
        text: { msg: 'engine.lint.no_recommendation', args: { n: 2 } },
      },
    ]);
  });
});

describe('lint warnings', () => {
  const item = { kind: 'content-input', text: 'one' } as const;
  /** Ten words a sentence, so that only the whole can be too long. */
  const lines = (n: number) => [...Array(Math.floor(n / 10)).fill(words(10)), words(n % 10)] as string[];

  test.each([
    ['no items', 0, 0, 600],
    ['two items and an alternative', 2, 1, 825],
    ['many items, where the cap holds', 9, 3, 1400],
  ])('CON-67 the word budget with %s', (_sentence, items, alternatives, limit) => {
    const own = {
      items: Array(items).fill(item),
      alternatives: Array(alternatives).fill({ option: 'a', rejection: 'b' }),
    };
    const rest = limit - 2 - items - 2 * alternatives; // `Build this?` has two words
    expect(codes({ ...own, why: lines(rest) })).toEqual({ ok: true, errors: [], warnings: [] });
    expect(codes({ ...own, why: lines(rest + 1) })).toEqual({ ok: true, errors: [], warnings: ['too_long'] });
  });

  test.each([
    ['50 words', words(50), []],
    ['51 words', words(51), ['long_sentence']],
    ['two sentences of 30', `${words(30)}. ${words(30)}`, []],
    ['a line break inside a sentence', `${words(30)}\n${words(30)}`, ['long_sentence']],
    ['a list', `- ${words(30)}\n- ${words(30)}`, []],
    ['inline code', `${words(50)} \`${words(5)}\``, []],
    ['fenced code', `${words(50)}\n\`\`\`\n${words(80)}\n\`\`\``, []],
    ['a link', `${words(50)} https://example.org/x [some text here](https://example.org)`, []],
    ['nested parentheses', 'one (two (three) four)', ['parentheses']],
    ['adjacent parentheses', 'one (two) (three)', ['parentheses']],
    ['parentheses apart', 'one (two) three (four)', []],
    ['parentheses in code', 'call `f(g())(x)` once', []],
  ])('CON-67 prose: %s', (_sentence, text, warnings) => {
    expect(codes({ context: [text] })).toEqual({ ok: true, errors: [], warnings });
  });

  test('CON-67 items and tail are not counted as sentences', () => {
    expect(codes({ items: [{ ...item, text: words(51) }], tail: words(51) }).warnings).toEqual([]);
  });

  test.each([
    [{ text: 'Go' }, ['unweighted']],
    [{ text: 'Go', cede: false }, ['unweighted']],
    [{ text: 'Go', cede: true }, []],
    [{ text: 'Go', confidence: 'low' }, []],
  ] as const)('CON-67 the recommendation %j', (recommend, warnings) => {
    expect(codes({ recommend })).toEqual({ ok: true, errors: [], warnings });
  });
});
