import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SpecDoc } from '../../../src/contract/spec-work.ts';
import { specDocuments } from '../../../src/workflows/spec/documents.ts';
import { specRoles } from '../../../src/workflows/spec/roles.ts';
import { partsWithCode } from '../../../src/workflows/spec/spec-checks.ts';
import { parseSpec, renderSpec } from '../../../src/workflows/spec/spec-markdown.ts';
import { entries } from '../../support/pure-run.ts';
import { translator } from '../../support/texts.ts';
import { atWriter, fullState, specDoc } from './fixture.ts';

const t = { en: translator('en'), ko: translator('ko') };
const LANGS = ['en', 'ko'] as const;

const nasty = fc.constantFrom(
  '## Goal',
  '## 목표',
  '### AC-1: x',
  '- item',
  '- **Given**: x',
  '- **조건**: x',
  '  indented',
  '\\# escaped',
  '\\\\## twice',
  '[unconfirmed q2]',
  '[미확인 q2]',
  '\\[미확인 q2]',
  '\\[unconfirmed q11]',
  '```',
  '',
  '   ',
  'plain words',
);
const passage = fc
  .oneof(
    fc
      .array(fc.oneof(nasty, fc.string({ maxLength: 20 })), { minLength: 1, maxLength: 4 })
      .map((lines) => lines.join('\n')),
    fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
  )
  .map((text) => text.trim())
  .filter((text) => text !== '');
const passages = fc.array(passage, { minLength: 1, maxLength: 3 });
const title = passage.map((text) => text.replace(/[\r\n]+/g, ' ').trim()).filter((text) => text !== '');

const anyDoc = fc
  .record({
    goal: passage,
    background_decisions: passages,
    scope: passages,
    out_of_scope: passages,
    edge_cases: passages,
    acceptance_criteria: fc.uniqueArray(
      fc.record({
        id: fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,10}$/),
        name: title,
        given: passage,
        when: passage,
        outcome: passage,
      }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 3 },
    ),
    risks: fc.array(
      fc.record({
        text: passage,
        likelihood: fc.constantFrom('low' as const, 'med' as const, 'high' as const),
        mitigation: passage,
      }),
      { minLength: 1, maxLength: 2 },
    ),
  })
  .filter((doc) => SpecDoc.safeParse(doc).success);

describe('specification', () => {
  test.each(Object.keys(specDoc()) as (keyof SpecDoc)[])('SP-31: %s missing or empty is refused', (part) => {
    const { [part]: _, ...rest } = specDoc();
    expect(SpecDoc.safeParse(rest).success).toBe(false);
    for (const empty of part === 'goal' ? ['', '  \n'] : [[], ['']]) {
      expect(SpecDoc.safeParse({ ...specDoc(), [part]: empty }).success).toBe(false);
    }
  });

  test.each(['id', 'name', 'given', 'when', 'outcome'])(
    'SP-31: a criterion without %s is refused',
    (field) => {
      const [criterion] = specDoc().acceptance_criteria;
      for (const broken of [
        { ...criterion, [field]: ' ' },
        { ...criterion, [field]: '' },
        { ...criterion, [field]: undefined },
      ]) {
        expect(SpecDoc.safeParse(specDoc([], { acceptance_criteria: [broken as never] })).success).toBe(
          false,
        );
      }
    },
  );

  test('SP-31: a criterion id used twice and an unknown likelihood are refused', () => {
    const [criterion] = specDoc().acceptance_criteria;
    const twice = specDoc([], { acceptance_criteria: [criterion, criterion] as never });
    expect(SpecDoc.safeParse(twice).error?.issues[0]?.message).toContain('AC-1 is used twice');
    const smaller = specDoc([], { acceptance_criteria: [criterion, { ...criterion, id: 'ac-1' }] as never });
    expect(SpecDoc.safeParse(smaller).error?.issues[0]?.message).toContain('ac-1 is used twice');
    const risk = { text: 'x', likelihood: 'medium', mitigation: 'y' };
    expect(SpecDoc.safeParse(specDoc([], { risks: [risk as never] })).success).toBe(false);
  });

  test('SP-31: headings are translated, and a rendered Korean spec parses back to the same object', () => {
    const doc = specDoc(['q2']);
    const korean = renderSpec(doc, t.ko);
    expect(korean).toContain('# 명세\n\n## 목표\n\nPhotos get names');
    expect(korean).toContain('- **결과**: the file is named by its date');
    expect(korean).toContain('- **가능성**: med');
    expect(korean).toContain('[미확인 q2]');
    expect(parseSpec(korean, t.ko)).toEqual({ doc });
    expect(parseSpec(korean, t.en)).toHaveProperty('problem');
  });

  test.each(LANGS)('SP-31: any specification survives rendering and reading in %s', (lang) => {
    fc.assert(
      fc.property(anyDoc, (doc) => {
        const normal = SpecDoc.parse(doc);
        expect(parseSpec(renderSpec(normal, t[lang]), t[lang])).toEqual({ doc: normal });
      }),
      { numRuns: 300 },
    );
  });

  test('a rendered spec that was checked out with other line ends, or got words before it, still reads', () => {
    const doc = specDoc();
    const text = `> No model wrote this.\n\n${renderSpec(doc, t.en)}`;
    expect(parseSpec(text.replaceAll('\n', '\r\n'), t.en)).toEqual({ doc });
  });

  test('SP-32: a spec that drops one reference to an unconfirmed answer is refused, with the id', () => {
    const state = { ...fullState, unconfirmed: ['q2', 'q4', 'q11'] };
    const check = specRoles.writer.check;
    expect(check(specDoc(['q2', 'q4', 'q11']), state)).toEqual([]);
    const problems = check(specDoc(['q2', 'q11']), state);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('[unconfirmed q4]');
    expect(check(specDoc(['q11']), { ...state, unconfirmed: ['q1'] })).toHaveLength(1);
  });

  test('SP-32: a reference counts wherever it stands', () => {
    const state = { ...fullState, unconfirmed: ['q2'] };
    const [criterion] = specDoc().acceptance_criteria;
    const locations: Partial<SpecDoc>[] = [
      { goal: 'Fast [unconfirmed q2].' },
      { edge_cases: ['Full disk [unconfirmed q2]'] },
      { acceptance_criteria: [{ ...criterion, outcome: 'it stops [unconfirmed q2]' } as never] },
      { risks: [{ text: 'x', likelihood: 'low', mitigation: 'ask [unconfirmed q2]' }] },
    ];
    for (const location of locations)
      expect(specRoles.writer.check(specDoc([], location), state)).toEqual([]);
  });

  test('SP-33: fenced code is found in any part and does not refuse the result', () => {
    expect(partsWithCode(specDoc())).toEqual([]);
    expect(partsWithCode(specDoc([], { goal: 'Use `exiftool` inline' }))).toEqual([]);
    const doc = specDoc([], { goal: 'Do\n```sh\nmv a b\n```', scope: ['x', 'y\n~~~\ncode\n~~~'] });
    expect(partsWithCode(doc)).toEqual(['goal', 'scope']);
    expect(SpecDoc.safeParse(doc).success).toBe(true);
  });
});

describe('documents', () => {
  test('the spec renders from the stored text', () => {
    const doc = specDoc();
    expect(specDocuments.spec.render(JSON.stringify(doc), t.en)).toBe(renderSpec(doc, t.en));
  });

  test('the notes show each pair, and say which one is open', () => {
    const run = atWriter({ q1: 'JPEG', q2: null }, 2);
    const text = specDocuments.qa_notes.render(entries(run, 'note'), t.ko);
    expect(text).toContain(
      '## q1, 1 라운드\n\n**질문**: Question 1?\n\n**묻는 이유**: reason 1\n\n**답변**: JPEG',
    );
    expect(text).toContain('**답변**: [미확인]');
  });

  test('file names are English in every language', () => {
    expect(Object.values(specDocuments).map(({ file }) => file)).toEqual([
      'spec.md',
      'qa_notes.md',
      'critic_findings.md',
      'conventions.md',
    ]);
  });
});
