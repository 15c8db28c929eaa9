import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RISK_CLASSES } from '../../src/contract/ticket.ts';
import {
  acknowledge,
  detectRisks,
  type RiskInput,
  riskClasses,
  withoutAcknowledged,
} from '../../src/engine/risk-classes.ts';
import { RISK_WORDS_OF_THE_REQUIREMENT as WORDS } from './risk-words.ts';

const classes = (input: Partial<RiskInput>) => riskClasses(detectRisks(input));
const core = (modules: string[], globs: string[] = []) => ({ shared_core: { modules, globs } });

const word = fc.constantFrom(
  ...Object.values(WORDS).flat(),
  ...[
    'no',
    'not',
    'without',
    'nor',
    "don't",
    'and',
    'or',
    ',',
    '.',
    ';',
    '-',
    'the',
    'token',
    'bus',
    'no-op',
  ],
);
const line = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
const text = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
const label = fc.constantFrom('core', 'risk:auth', 'bug', 'migration', 'purge');
const path = fc.constantFrom('src/a.ts', 'x.sql', 'auth/b.ts', 'src/bus/c.ts', 'readme.md');

describe('labels, order and broken input', () => {
  test.each([
    ['risk:auth', 'auth'],
    ['auth', 'auth'],
    ['risk-auth', 'auth'],
    ['risk/auth', 'auth'],
    ['core', 'shared-core'],
    ['risk:core', 'shared-core'],
    ['shared-core', 'shared-core'],
    ['migration', 'data-migration'],
    ['data-migration', 'data-migration'],
    ['Risk: Data Migration', 'data-migration'],
    ['irreversible', 'irreversible-destructive'],
    ['destructive', 'irreversible-destructive'],
    ['RISK/irreversible-destructive', 'irreversible-destructive'],
  ] as const)('CON-49 label %s forces %s', (label, name) => {
    expect(classes({ labels: [label] })).toEqual([name]);
  });

  test.each(['author', 'risk', 'risk:', 'constructor', 'no-core', 'risky-auth'])(
    'CON-49 label %s forces nothing',
    (label) => expect(classes({ labels: [label] })).toEqual([]),
  );

  test('CON-49 canonical order, each class once, empty input gives nothing', () => {
    const description = 'shared core\npurge\nschema\nschema\nauth';
    expect(classes({ description, labels: ['core', 'auth'] })).toEqual(RISK_CLASSES);
    expect(detectRisks({})).toEqual([]);
    expect(detectRisks(null)).toEqual([]);
    expect(detectRisks(undefined)).toEqual([]);
  });

  test.each(['\u200b', '\u00ad \u2060', '\u00a0\ufe0f', '', ' \t'])(
    'a module called %j is no word of the shared core',
    (name) => {
      expect(classes({ description: '1, a bus.', ...core([name]) })).toEqual([]);
      expect(classes({ description: '1, a bus.', ...core([name, 'b\u200bus']) })).toEqual(['shared-core']);
    },
  );

  test('CON-49 malformed input never throws and gives known classes in canonical order', () => {
    const junk = fc.anything({ withNullPrototype: true, withObjectString: true });
    const lists = fc.oneof(junk, fc.array(fc.oneof(junk, fc.string({ unit: 'binary' }))));
    const given = fc.record(
      {
        title: junk,
        description: fc.oneof(junk, fc.string({ unit: 'binary' })),
        content: junk,
        labels: lists,
        paths: lists,
        shared_core: fc.oneof(junk, fc.record({ modules: lists, globs: lists })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(junk, given), (input) => {
        const found = classes(input as Partial<RiskInput>);
        expect(RISK_CLASSES.filter((name) => found.includes(name))).toEqual(found);
      }),
      { numRuns: 300 },
    );
  });

  test('CON-39 the same input gives the same hits, with the network blocked', () => {
    const { connect } = Socket.prototype;
    const { fetch } = globalThis;
    const asked: string[] = [];
    const blocked = (what: string) => () => {
      asked.push(what);
      throw new Error('the network is blocked');
    };
    Object.assign(Socket.prototype, { connect: blocked('socket') });
    Object.assign(globalThis, { fetch: blocked('fetch') });
    try {
      expect(() => new Socket().connect(1)).toThrow('blocked');
      fc.assert(
        fc.property(text, fc.array(path), fc.array(label), (description, paths, labels) => {
          const once = classes({ description, paths, labels });
          expect(classes({ description, paths, labels })).toEqual(once);
          expect(RISK_CLASSES).toEqual(expect.arrayContaining(once));
        }),
      );
      expect(asked).toEqual(['socket']);
    } finally {
      Object.assign(Socket.prototype, { connect });
      Object.assign(globalThis, { fetch });
    }
    expect(RISK_CLASSES).toEqual(['auth', 'data-migration', 'irreversible-destructive', 'shared-core']);
  });

  test('CON-40 a clean ticket whose brief adds an access policy line trips auth', () => {
    const ticket = { title: 'List invoices', description: 'Show them by date.' };
    expect(classes(ticket)).toEqual([]);
    expect(classes({ ...ticket, content: 'DECIDE: Build this?\n\nWhy:\n- adds an access policy' })).toEqual([
      'auth',
    ]);
  });
});

describe('what is added never takes away', () => {
  const ticket = fc.record({
    title: line,
    description: text,
    content: text,
    criteria: fc.array(line, { maxLength: 2 }),
    labels: fc.array(label, { maxLength: 2 }),
    paths: fc.array(path, { maxLength: 3 }),
    shared_core: fc
      .constantFrom(core([]), core(['bus']), core(['bus'], ['src/bus/**']))
      .map((c) => c.shared_core),
  });
  const keeps = (before: RiskInput, after: RiskInput) =>
    expect(classes(after)).toEqual(expect.arrayContaining(classes(before)));

  test('CON INV-15 a separate line, a label, or a path beside others never removes a class', () => {
    fc.assert(
      fc.property(
        ticket,
        fc.oneof(line, fc.string({ unit: 'grapheme' })),
        label,
        path,
        (before, more, tag, file) => {
          keeps(before, { ...before, title: `${before.title}\n${more}` });
          keeps(before, { ...before, description: `${before.description}\n${more}` });
          keeps(before, { ...before, content: `${before.content}\n${more}` });
          keeps(before, { ...before, criteria: [...before.criteria, more] });
          keeps(before, { ...before, labels: [...before.labels, tag] });
          keeps(before, { ...before, labels: [tag, ...before.labels] });
          if (before.paths.length > 0) keeps(before, { ...before, paths: [...before.paths, file] });
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('evidence', () => {
  const ticket = {
    title: 'Faster login',
    description: 'First line.\nNo migration.\nAdd column age, then a Backfill.',
    content: 'DECIDE: drop\ntable?',
    labels: ['Risk: Core'],
    paths: ['db/migrations/1.sql'],
  };

  test('a hit says the exact words or path or label, and where they stand', () => {
    const hits = detectRisks(ticket).map(({ class: name, kind, text, where, line }) => [
      name,
      kind,
      text,
      where,
      line,
    ]);
    expect(hits).toEqual([
      ['data-migration', 'word', 'Add column', 'description', 3],
      ['data-migration', 'word', 'Backfill', 'description', 3],
      ['data-migration', 'path', 'db/migrations/1.sql', 'path', null],
      ['irreversible-destructive', 'word', 'drop\ntable', 'brief', 1],
      ['shared-core', 'label', 'Risk: Core', 'label', null],
    ]);
    expect(detectRisks({ ...ticket, paths: [] })[0]).toEqual({
      class: 'auth',
      kind: 'word',
      rule: 'log in',
      text: 'login',
      where: 'title',
      line: 1,
    });
  });

  test('a word is one hit per line, a path one per class', () => {
    expect(detectRisks({ title: 'role role roles' })).toHaveLength(1);
    expect(detectRisks({ description: 'role\nrole' })).toHaveLength(2);
    expect(detectRisks({ paths: ['auth/auth.ts'] })).toHaveLength(1);
  });

  test('acknowledged evidence does not come back when its line moves or the word bends', () => {
    const hits = detectRisks({ description: 'A migration' });
    const acknowledged = [acknowledge(hits, 'data-migration')];
    expect(withoutAcknowledged(hits, [])).toEqual(hits);
    expect(withoutAcknowledged(hits, acknowledged)).toEqual([]);
    const moved = detectRisks({ description: 'More.\n\nTwo Migrations' });
    expect(moved).toHaveLength(1);
    expect(withoutAcknowledged(moved, acknowledged)).toEqual([]);
  });

  test.each([
    ['another word', { description: 'A migration and a backfill' }, 'backfill'],
    ['the word in another place', { title: 'Migration', description: 'A migration' }, 'Migration'],
    ['a label', { description: 'A migration', labels: ['migration'] }, 'migration'],
    ['a path', { description: 'A migration', paths: ['a.sql'] }, 'a.sql'],
    ['another class', { description: 'A migration with roles' }, 'roles'],
  ])('new evidence stays: %s', (_sentence, input, text) => {
    const acknowledged = acknowledge(detectRisks({ description: 'A migration' }), 'data-migration');
    const left = withoutAcknowledged(detectRisks(input), [acknowledged]);
    expect(left.map((hit) => hit.text)).toEqual([text]);
  });

  test('a second path is new evidence beside an acknowledged one', () => {
    const acknowledged = acknowledge(detectRisks({ paths: ['a.sql'] }), 'data-migration');
    const left = withoutAcknowledged(detectRisks({ paths: ['a.sql', 'b.sql'] }), [acknowledged]);
    expect(left.map((hit) => hit.text)).toEqual(['b.sql']);
  });

  test('an acknowledgement of one class says nothing of another that the same words trip', () => {
    const hits = detectRisks({ description: 'drop column' });
    expect(riskClasses(hits)).toEqual(['data-migration', 'irreversible-destructive']);
    const left = withoutAcknowledged(hits, [acknowledge(hits, 'data-migration')]);
    expect(riskClasses(left)).toEqual(['irreversible-destructive']);
  });
});
