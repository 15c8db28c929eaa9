import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { publishedSchemas } from '../../scripts/schemas.ts';
import { chooseAttempt, createPart } from '../../src/adapters/agent-rehearsal/choose-part.ts';
import {
  parseScript,
  parseStoredScript,
  serialiseScript,
} from '../../src/adapters/agent-rehearsal/script.ts';

const files: Readonly<Record<string, string>> = { '/scripts/fixtures/rename.ts': 'export {};\n' };
const source = {
  file: '/scripts/demo.yaml',
  readFile: (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  },
};
const parse = (text: string) => parseScript(text, source);

function parsed(text: string) {
  const result = parse(text);
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return result.script;
}

const EXAMPLE = `
script: 1
language: en
roles:
  interviewer:
    - result: { questions: [ { id: q1, text: "Which photo formats?", why: "decides the reader" } ] }
    - result: { questions: [] }
  risk_auditor:
    - garbage: "not json"
      attempts:
        - { result: { has_findings: false } }
        - { silence: true }
  implementation:
    - edits: [ { path: src/rename.ts, content_file: fixtures/rename.ts }, { path: old.ts, delete: true } ]
      runs: git switch main
      leaves_process: sleep 600
      delay: 2s
      result: { files: [src/rename.ts] }
  else: { hang: true }
`;

describe('choosing', () => {
  const choose = (role: string, nth: number, attempt: number) =>
    chooseAttempt(parsed(EXAMPLE), { workflow: 'spec', role, nth, attempt });

  test.each([
    ['the n-th call of a role', choose('interviewer', 2, 1), { result: { questions: [] } }],
    ['a later attempt of the same call', choose('risk_auditor', 1, 2), { result: { has_findings: false } }],
    ['an attempt after that', choose('risk_auditor', 1, 3), { silence: true }],
    ['else for a call that is not listed', choose('interviewer', 3, 1), { hang: true }],
    ['else for an attempt that is not listed', choose('interviewer', 1, 2), { hang: true }],
    ['else for a role that is not listed', choose('critic', 1, 1), { hang: true }],
    ['else for a role named like something every object has', choose('constructor', 1, 1), { hang: true }],
  ])('plays %s', (_, chosen, expected) => {
    expect(chosen).toEqual(expected);
  });

  test('says nothing about a call that is not listed when there is no else', () => {
    const script = parsed('script: 1\nroles: { critic: [{ silence: true }] }');
    const call = { workflow: 'spec', nth: 1, attempt: 1 } as const;
    expect(chooseAttempt(script, { ...call, role: 'critic', nth: 2 })).toBeNull();
    expect(chooseAttempt(script, { ...call, role: 'writer' })).toBeNull();
  });

  test('plays a role two workflows have by its list for the workflow, where there is one', () => {
    const script = parsed(
      'script: 1\nroles: { synthesis: [{ garbage: any }, { garbage: second }], deliver.synthesis: [{ garbage: own }] }',
    );
    const says = (workflow: string, nth: number) =>
      chooseAttempt(script, { workflow, role: 'synthesis', nth, attempt: 1 })?.garbage ?? null;
    expect([says('spec', 1), says('spec', 2), says('deliver', 1), says('deliver', 2)]).toEqual([
      'any',
      'second',
      'own',
      null,
    ]);
  });
});

describe('a frozen script', () => {
  test('holds the texts of its files and gives the same parts without them', () => {
    const script = parsed(EXAMPLE);
    const serialised = serialiseScript(script);
    expect(serialised).not.toContain('content_file');
    expect(parseStoredScript(serialised)).toEqual(script);
    const again = parseScript(serialised, { file: 'x', readFile: () => expect.unreachable() });
    expect(again).toEqual({ ok: true, script });
    const which = { workflow: 'deliver', role: 'implementation', nth: 1, attempt: 1 } as const;
    const call = { ...which, key: 'sp-1/1/0.1', result_file: 'r.json' };
    const attempt = chooseAttempt(parseStoredScript(serialised), call);
    expect(attempt && createPart(attempt, call)).toMatchObject({
      delay_ms: 2000,
      edits: [
        { path: 'src/rename.ts', content: 'export {};\n' },
        { path: 'old.ts', content: null },
      ],
      runs: 'git switch main',
      leaves_process: 'sleep 600',
    });
  });
});

describe('errors', () => {
  const inRole = (entry: string) => `script: 1\nroles:\n  critic:\n    - ${entry}\n`;

  test.each<[string, string, { line: number; field: string }, RegExp]>([
    [
      'a misspelt field',
      inRole('line: x\n      delya: 2s\n      hang: true'),
      { line: 5, field: 'roles.critic[0].delya' },
      /did you mean "delay"\? allowed: line, delay,/,
    ],
    [
      'an unknown field at the top',
      'script: 1\nroles: {}\nmodel: x',
      { line: 3, field: 'model' },
      /allowed: script, language, offers, roles/,
    ],
    [
      'an unknown field of an edit',
      inRole('silence: true\n      edits:\n        - { path: a, contents: b }'),
      { line: 6, field: 'roles.critic[0].edits[0].contents' },
      /did you mean "content"\?/,
    ],
    [
      'attempts inside attempts',
      inRole('hang: true\n      attempts:\n        - { hang: true, attempts: [] }'),
      { line: 6, field: 'roles.critic[0].attempts[0].attempts' },
      /no such field/,
    ],
    [
      'a delay without a unit',
      inRole('silence: true\n      delay: "400"'),
      { line: 5, field: 'roles.critic[0].delay' },
      /"400ms", "2s"/,
    ],
    [
      'a delay of weeks',
      inRole('silence: true\n      delay: "99999999m"'),
      { line: 5, field: 'roles.critic[0].delay' },
      /at most a day/,
    ],
    [
      'two answers',
      inRole('silence: true\n      garbage: x'),
      { line: 4, field: 'roles.critic[0]' },
      /at most one of result, garbage/,
    ],
    [
      'two endings',
      inRole('{ hang: true, crash: true }'),
      { line: 4, field: 'roles.critic[0]' },
      /at most one of hang, crash, limited, exit/,
    ],
    [
      'an entry that says nothing',
      inRole('delay: 2s'),
      { line: 4, field: 'roles.critic[0]' },
      /expected a result or how it fails/,
    ],
    [
      'a channel without a result',
      inRole('{ silence: true, channel: file }'),
      { line: 4, field: 'roles.critic[0]' },
      /channel needs a result/,
    ],
    [
      'a channel that does not exist',
      inRole('result: 1\n      channel: mail'),
      { line: 5, field: 'roles.critic[0].channel' },
      /"stream"\|"file"\|"text"/,
    ],
    [
      'an edit that says twice what to do',
      inRole('silence: true\n      edits: [{ path: a, content: b, delete: true }]'),
      { line: 5, field: 'roles.critic[0].edits[0]' },
      /exactly one of content/,
    ],
    ['an exit code that cannot be', inRole('exit: 300'), { line: 4, field: 'roles.critic[0].exit' }, /255/],
    [
      'a file that is not there',
      inRole('silence: true\n      edits: [{ path: a, content_file: gone.ts }]'),
      { line: 5, field: 'roles.critic[0].edits[0].content_file' },
      /cannot read gone.ts: no such file/,
    ],
    ['another version', 'script: 2\nroles: {}', { line: 1, field: 'script' }, /expected 1/],
    ['no roles', 'script: 1\nlanguage: en', { line: 1, field: 'roles' }, /missing; expected object/],
    [
      'a role that is no list',
      'script: 1\nroles:\n  critic: { hang: true }',
      { line: 3, field: 'roles.critic' },
      /expected array/,
    ],
    [
      'a list where else wants one entry',
      'script: 1\nroles:\n  else: [{ hang: true }]',
      { line: 3, field: 'roles.else' },
      /expected object/,
    ],
    ['a text that is no YAML', 'script: 1\nroles: [', { line: 2, field: 'script' }, /not YAML/],
    ['a key given twice', 'script: 1\nscript: 1\nroles: {}', { line: 2, field: 'script' }, /unique/],
    ['nothing at all', '', { line: 1, field: 'script' }, /expected object/],
    [
      'a list that contains itself',
      'script: 1\nroles: { critic: [{ result: &a [*a] }] }',
      { line: 1, field: 'script' },
      /not readable/,
    ],
  ])('%s is refused with its line, its field and what is allowed', (_, text, location, message) => {
    const result = parse(text);
    expect(result).toMatchObject({ ok: false, errors: [{ ...location, column: expect.any(Number) }] });
    expect(result.ok ? '' : result.errors[0]?.message).toMatch(message);
  });

  test('every error is told, not only the first', () => {
    const result = parse('script: 1\nroles:\n  a: [{ hagn: true }]\n  b: [{ exit: x }]\n');
    expect(result.ok ? [] : result.errors.map((error) => error.line)).toEqual([3, 4]);
  });

  test('whatever the text is, the answer is a script or errors with a line', () => {
    const words = fc.constantFrom(
      'script: 1',
      'roles:',
      '  critic:',
      '    - ',
      'result: ',
      'hang: true',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
      '<<: ',
      '? ',
      '!!binary x',
      '"',
      "'",
      '|',
      '>',
      '---',
      '...',
      '#',
      '\t',
      '\n',
      '  ',
      ': ',
      '__proto__: ',
      'else: ',
      'delay: 2s',
      '%YAML 1.1',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(words, { maxLength: 40 }).map((parts) => parts.join('')),
      fc.array(words, { maxLength: 40 }).map((parts) => parts.join('\n')),
      fc.json().map((json) => `{"script": 1, "roles": ${json}}`),
      fc.json().map((json) => `{"script": 1, "roles": {"critic": [${json}], "else": ${json}}}`),
      fc.nat(3000).map((depth) => '['.repeat(depth)),
    );
    void fc.assert(
      fc.property(text, (given) => {
        const result = parse(given);
        if (result.ok) return parseStoredScript(serialiseScript(result.script)).script === 1;
        const lines = given.split('\n').length;
        return result.errors.length > 0 && result.errors.every(({ line }) => line >= 1 && line <= lines + 1);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the published schema', () => {
  test('docs/schema/script.json is the one the code has; `node scripts/schemas.ts` writes it', () => {
    const written: unknown = JSON.parse(readFileSync('docs/schema/script.json', 'utf8'));
    expect(written).toEqual(publishedSchemas()['script.json']);
  });
});
