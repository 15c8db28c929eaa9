import { describe, expect, test } from 'vitest';
import type { RiskClass } from '../../src/contract/ticket.ts';
import { detectRisks, type RiskInput, riskClasses } from '../../src/engine/risk-classes.ts';
import { RISK_WORDS_OF_THE_REQUIREMENT as WORDS } from './risk-words.ts';

const classes = (input: Partial<RiskInput>) => riskClasses(detectRisks(input));
const said = (description: string) => classes({ description });
const core = (modules: string[], globs: string[] = []) => ({ shared_core: { modules, globs } });

const cases = (name: RiskClass) => WORDS[name].map((word) => [word] as const);

describe('words', () => {
  test.each(cases('auth'))('CON-42 "%s" trips auth in any case', (word) => {
    for (const text of [word, word.toUpperCase(), `Change the ${word} of it.`]) {
      expect(said(text)).toContain('auth');
    }
  });

  test.each([
    'author',
    'authored',
    'The authors wrote it',
    'a catalog in print',
    'a design in blue',
    'roleplay',
  ])('CON-42 "%s" does not trip auth', (text) => expect(said(text)).toEqual([]));

  test.each(cases('data-migration'))('CON-43 "%s" trips data-migration in any case', (word) => {
    for (const text of [word, word.toUpperCase(), `Then ${word} it.`]) {
      expect(said(text)).toContain('data-migration');
    }
  });

  test.each(cases('irreversible-destructive'))('CON-44 "%s" trips irreversible-destructive', (word) => {
    for (const text of [word, word.toUpperCase(), `Then ${word} it.`]) {
      expect(said(text)).toContain('irreversible-destructive');
    }
  });

  test('CON-44 "dropdown" does not trip', () => {
    expect(said('A dropdown for the table column, and a Dropdown index')).toEqual([]);
  });

  test('CON-44 the phrase "shared core" and a configured module name trip shared-core', () => {
    expect(said('Touch the shared core')).toEqual(['shared-core']);
    const description = 'Make Event-Bus (v2) faster';
    expect(classes({ description })).toEqual([]);
    expect(classes({ description, ...core(['event-bus']) })).toEqual(['shared-core']);
    expect(classes({ description, ...core(['event']) })).toEqual(['shared-core']);
    expect(classes({ description, ...core(['vent-bus', 'fast', '.*', '(x', '']) })).toEqual([]);
    expect(classes({ description: 'a.b is big, axb is not', ...core(['a.b']) })).toHaveLength(1);
    expect(classes({ description: 'axb', ...core(['a.b']) })).toEqual([]);
  });

  test.each([
    ['authToken', 'auth'],
    ['the AuthService', 'auth'],
    ['RLSPolicy', 'auth'],
    ['roleService', 'auth'],
    ['user_role', 'auth'],
    ['OAuth2', 'auth'],
    ['migration을 실행한다', 'data-migration'],
    ['alter\ntable', 'data-migration'],
    ['DROP\u2011TABLE', 'irreversible-destructive'],
    ['drop **table** users', 'irreversible-destructive'],
    ['ｍｉｇｒａｔｉｏｎ', 'data-migration'],
    ['mig\u200bration', 'data-migration'],
    ['sharedCore', 'shared-core'],
  ])('a word does not hide in %j', (text, name) => {
    expect(said(text)).toContain(name);
  });
});

describe('token', () => {
  test('CON-46 "gate token" is no, "bearer token in the gate handler" is yes', () => {
    expect(said('gate token')).toEqual([]);
    expect(said('bearer token in the gate handler')).toEqual(['auth']);
  });

  test.each(['auth', 'access', 'api', 'bearer', 'jwt', 'session', 'refresh', 'csrf'])(
    'CON-46 "%s" within 24 characters counts, on either side',
    (near) => {
      const at = (gap: number) => 'x'.repeat(gap - 2);
      const tripped = (text: string) => detectRisks({ title: text }).some((hit) => hit.rule === 'token');
      expect(tripped(`${near} ${at(24)} token`)).toBe(true);
      expect(tripped(`token ${at(24)} ${near}`)).toBe(true);
      expect(tripped(`tokens ${at(24)} ${near}`)).toBe(true);
      expect(tripped(`${near} ${at(25)} token`)).toBe(false);
      expect(tripped(`token ${at(25)} ${near}`)).toBe(false);
    },
  );

  test('part of a word is no such neighbour', () => {
    expect(said('therapi tokens, apis and accessories')).toEqual([]);
    expect(said('accessToken, api_token')).toEqual(['auth']);
  });
});

describe('negation', () => {
  test.each([
    'no migration',
    'not a schema',
    'without any password',
    'zero migrations',
    'neither auth nor migration',
    'none of the roles',
    "it doesn't need a migration",
    'it doesn’t touch the schema',
    'No data migration. No backfill.',
    'no one two three migration',
  ])('CON-47 "%s" trips nothing', (text) => {
    expect(said(text)).toEqual([]);
  });

  test.each([
    'no UI change, run a migration',
    'no-op guard; ALTER TABLE',
    'a no-op migration',
    'no UI: migration',
    'no change. Migration',
    'no change - migration',
    'no change – migration',
    'no change — migration',
    'no change -- migration',
    'no UI and migration',
    'no UI but migration',
    'no UI or migration',
    'no UI then migration',
    'no UI so migration',
    'no UI yet migration',
    'no UI\nmigration',
    'no (UI) migration',
    'no one two three four migration',
    'migration is not needed',
    'we never run a migration',
    'no-migration',
  ])('CON-47 "%s" trips', (text) => {
    expect(said(text)).toEqual(['data-migration']);
  });

  test.each([
    "it can't ship without a migration",
    'not only a migration',
    'not just a migration',
    'do not deploy until the migration ran',
    'not before the migration',
  ])('CON-47 in doubt it trips: "%s"', (text) => {
    expect(said(text)).toEqual(['data-migration']);
  });

  test('one negated word does not excuse another of its class', () => {
    expect(said('no migration, a backfill')).toEqual(['data-migration']);
    expect(said('no drop table; drop table users')).toEqual(['irreversible-destructive']);
  });
});

describe('paths', () => {
  const clean = { title: 'Change it' };
  test.each([
    ['auth/index.ts', 'auth'],
    ['src/auth/deep/er/x.py', 'auth'],
    ['src/AUTH/x.py', 'auth'],
    ['auth.ts', 'auth'],
    ['web/auth.tsx', 'auth'],
    ['src/use-auth-hook.ts', 'auth'],
    ['src/middleware/auth-check.js', 'auth'],
    ['db/rls/policy.txt', 'auth'],
    ['migrations/0001.js', 'data-migration'],
    ['db/migration/one.rb', 'data-migration'],
    ['db/Migrations/.keep', 'data-migration'],
    ['deep/er/query.SQL', 'data-migration'],
    ['.hidden/x.sql', 'data-migration'],
    ['db\\migrations\\1.js', 'data-migration'],
    ['./x.sql', 'data-migration'],
    ['/repo/x.sql', 'data-migration'],
  ] as const)('CON-45 %s is %s', (path, name) => {
    expect(classes({ ...clean, paths: [path] })).toEqual([name]);
  });

  test.each(['src/authority.js', 'auth.py', 'src/migrations.ts', 'sql/readme.md', 'middleware/x/author.py'])(
    'CON-45 %s is nothing',
    (path) => expect(classes({ ...clean, paths: [path] })).toEqual([]),
  );

  test('CON-45 shared-core has the globs of the project', () => {
    const paths = ['src/Bus/queue.ts'];
    expect(classes({ paths })).toEqual([]);
    expect(classes({ paths, ...core([], ['src/bus/**']) })).toEqual(['shared-core']);
    expect(classes({ paths, ...core([], ['src/other/**', '(((', 'x'.repeat(70_000)]) })).toEqual([]);
  });
});

describe('words against a diff', () => {
  const migrating = { title: 'A migration' };
  test.each([
    ['words, no diff: stays', { ...migrating, paths: [] }, ['data-migration']],
    ['words, a diff elsewhere: dropped', { ...migrating, paths: ['src/a.ts'] }, []],
    ['words, a diff there: stays', { ...migrating, paths: ['src/a.ts', 'x.sql'] }, ['data-migration']],
    ['no words, a diff there: trips', { title: 'x', paths: ['x.sql'] }, ['data-migration']],
    ['a label is never dropped', { labels: ['migration'], paths: ['src/a.ts'] }, ['data-migration']],
    ['destruction is never dropped', { title: 'Purge', paths: ['src/a.ts'] }, ['irreversible-destructive']],
    ['a class without globs is not dropped', { title: 'shared core', paths: ['a.ts'] }, ['shared-core']],
    [
      'shared-core with globs is dropped like the others',
      { title: 'shared core', paths: ['a.ts'], ...core([], ['bus/**']) },
      [],
    ],
    ['a list without a path is no diff', { ...migrating, paths: [' ', null] }, ['data-migration']],
  ] as const)('CON-48 %s', (_sentence, input, expected) => {
    expect(classes(input as unknown as RiskInput)).toEqual(expected);
  });
});
