import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { cliDeps } from '../../src/cli-deps.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import { readConfig } from '../../src/read-config.ts';
import { COMMANDS } from '../../src/surfaces/cli/command-table.ts';
import { draft, labsOfTest, openGate, playTo, QUICK, SHORT, script } from '../scenario/quick-lab.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import type { Lab } from '../support/lab.ts';

const labs = labsOfTest();

/** Words that mean something to a program, a shell, a parser or an object. */
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '-',
    '--',
    '\u0000',
    '__proto__',
    'constructor',
    'toString',
    '../..',
    '/',
    '\n',
    '{',
  ),
);

describe('answers', () => {
  const digest = (real: string) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(real) },
      { weight: 1, arbitrary: fc.constant(`sha256:${'0'.repeat(64)}`) },
      { weight: 1, arbitrary: odd },
    );

  test.each(['questions', 'approval'])(
    'anything sent to the %s gate is taken or refused with a reason, and a refusal leaves every row as it was',
    async (name) => {
      const start = await labs.open({ script: SHORT });
      const drive = await start.start('spec', QUICK);
      await playTo(start, drive, { questions: [['skip']] }, name);
      await drive.close();
      let lab = await labs.copy(start);
      let taken = 0;
      let refused = 0;
      const gate = await openGate(lab, drive.run);
      const empty = { text: null, fields: {}, typed: null };
      const input = fc.record({
        option: fc.oneof(fc.constantFrom(...Object.keys(gate.options)), odd),
        text: fc.oneof(
          fc.constant(null),
          fc.constant('Add videos.'),
          odd,
          fc.string({ minLength: 20_001, maxLength: 20_002 }),
        ),
        fields: fc.oneof(
          fc.constant({}),
          fc.dictionary(
            fc.oneof(fc.constantFrom('q1', 'q2'), odd).filter((key) => key !== '__proto__'),
            fc.oneof(fc.constant(null), odd),
            { maxKeys: 3 },
          ),
        ),
        typed: fc.oneof(fc.constant(null), odd),
        digest: digest(gate.digest),
      });
      await fc.assert(
        fc.asyncProperty(input, async (answer) => {
          const before = dump(lab);
          const result = await lab.api.answer({ gate: gate.id, answer });
          if (isRejection(result)) {
            refused++;
            expect(dump(lab)).toEqual(before);
            expect((await lab.api.translator('en'))(result.message).trim()).not.toBe('');
            return;
          }
          taken++;
          expect(Object.keys(gate.options)).toContain(answer.option);
          expect(answer.digest).toBe(gate.digest);
          const stored = await lab.deps.store.answerOf(gate.id, gate.iteration);
          expect(stored).toMatchObject({ option: answer.option, text: answer.text });
          expect(Object.entries(stored?.fields ?? {})).toEqual(Object.entries(answer.fields));
          expect((await lab.api.doctor(true)).problems).toEqual([]);
          lab = await labs.copy(start);
        }),
        {
          numRuns: 150,
          examples: [[{ ...empty, option: name === 'approval' ? 'approve' : 'skip', digest: gate.digest }]],
        },
      );
      expect(taken).toBeGreaterThan(0);
      expect(refused).toBeGreaterThan(50);
    },
  );
});

describe('the command line', () => {
  interface Location {
    readonly lab: Lab;
    run(...argv: string[]): Promise<{ code: number; said: string }>;
    runs(): Promise<string[]>;
  }

  /** The real command line and adapters in this process; only the terminal is made of streams. */
  async function location(): Promise<Location> {
    const lab = await labs.open();
    vi.stubEnv('BATON_HOME', path.join(lab.home, 'state'));
    const run: Location['run'] = async (...argv) => {
      const { openApi, validateScript, readFile, writeConfig, storeTrace } = cliDeps(lab.root);
      const more = { openApi, validateScript, readFile, writeConfig, storeTrace };
      const refusal = {
        rejection: 'not_a_person',
        message: { msg: 'engine.rejection.not_a_person', args: { reason: '-' } },
      } as const;
      const terminal = createTerminal({ person: refusal, env: { LANG: 'en' }, more });
      const code = await terminal.run(...argv);
      return { code, said: terminal.out() + terminal.err() };
    };
    const runs = async () => {
      const { said } = await run('list', '--all', '--json');
      return (JSON.parse(said) as { run: string }[]).map((row) => row.run);
    };
    return { lab, run, runs };
  }

  function expectClear({ code, said }: { code: number; said: string }, argv: readonly string[]): void {
    const told = `${JSON.stringify(argv)} -> ${code}\n${said}`;
    expect([0, 2, 3, 4, 5], told).toContain(code);
    expect(said, told).not.toMatch(/bug in Baton|^\s+at .*:\d+/m);
    if (code !== 0) expect(said.trim(), told).not.toBe('');
  }

  test('any words and flags end in a defined exit code, never a stack trace, and a refusal creates no run', async () => {
    const { run, runs } = await location();
    await run('spec', 'Rename photos by date', '--mode', 'quick');
    const flags = COMMANDS.flatMap(({ options = {} }) =>
      Object.keys(options).map((form) => form.split(' ')[0] ?? ''),
    );
    const known = fc.constantFrom(...COMMANDS.map(({ name }) => name).filter((name) => name !== 'demo'));
    const word = fc.oneof(
      fc.constantFrom(
        ...new Set(flags),
        '--json',
        '--help',
        '--version',
        '--no-color',
        '-h',
        '-x',
        '--mode=fast',
      ),
      fc.constantFrom(
        'sp',
        'sp-',
        'approve',
        'skip',
        'answer',
        'quick',
        'deep',
        'ko',
        'nope.yaml',
        '/etc/passwd',
        'q1=x',
        '=x',
      ),
      odd,
    );
    const argv = fc
      .tuple(fc.oneof(known, odd), fc.array(word, { maxLength: 5 }))
      .map(([first, rest]) => [first, ...rest]);
    await fc.assert(
      fc.asyncProperty(argv, async (words) => {
        const before = await runs();
        const end = await run(...words);
        expectClear(end, words);
        const after = await runs();
        expect(after).toEqual(expect.arrayContaining(before));
        if (end.code === 2 || end.code === 3) expect(after).toEqual(before);
      }),
      { numRuns: 120 },
    );
    expect(await run('doctor', '--deep')).toMatchObject({ code: 0 });
  });

  test('any baton.yaml is read or refused by name, and a refusal creates nothing', async () => {
    const { lab, run, runs } = await location();
    const value = fc.oneof(
      fc.json(),
      odd,
      fc.double().map(String),
      fc.constantFrom('~', '[]', '{}', '&a [*a]', '!!js/function "x"', '1e999', '-1', '0'),
    );
    const key = fc.constantFrom(
      'namespace',
      'agent',
      'language',
      'budget',
      'namespaces',
      '__proto__',
      'checks',
      '<<',
    );
    const text = fc.oneof(
      odd,
      fc.json(),
      fc
        .array(fc.tuple(key, value), { maxLength: 3 })
        .map((pairs) => pairs.map(([k, v]) => `${k}: ${v}\n`).join('')),
      value.map((v) => `budget:\n  money_usd: ${v}\n`),
      fc.constantFrom(
        '\t- x',
        'a: *b',
        '%YAML 9.9\n---\n',
        '---\n---\n',
        `a: ${'['.repeat(500)}`,
        'a: &a {b: *a}',
      ),
    );
    await fc.assert(
      fc.asyncProperty(text, async (yaml) => {
        writeFileSync(path.join(lab.root, 'baton.yaml'), yaml);
        const before = await runs();
        const legible = await readConfig(lab.root).then(
          () => true,
          () => false,
        );
        if (legible) return;
        const words = ['spec', 'Another idea', '--mode', 'quick'];
        const end = await run(...words);
        expectClear(end, [yaml]);
        expect(end, yaml).toMatchObject({ code: 3 });
        expect(end.said).toContain('baton.yaml');
        expect(await runs()).toEqual(before);
        expect((await run('status')).code).toBe(0);
      }),
      { numRuns: 80 },
    );
    expect(readdirSync(lab.root)).toEqual(['baton.yaml']);
  });

  test('any script is played or refused with file and line, and a refusal creates nothing', async () => {
    const { lab, run, runs } = await location();
    const good = JSON.parse(
      script({ interviewer: [draft()], writer: [{ garbage: 'x', attempts: [draft()] }] }),
    );
    const mutated = fc
      .tuple(fc.nat(), fc.oneof(fc.jsonValue(), fc.constant(undefined)))
      .map(([at, junk]) => JSON.stringify(mutate(good, at, junk)));
    const text = fc.oneof(
      odd,
      fc.json(),
      mutated,
      fc.constantFrom('script: 2', 'script: 1', 'roles: &r [*r]', '- a\n- b'),
    );
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(text, async (yaml) => {
        writeFileSync(path.join(lab.root, 'script.yaml'), yaml);
        const check = await cliDeps(lab.root).validateScript(yaml, 'script.yaml');
        if (check.ok) return;
        refused++;
        const end = await run('spec', 'Another idea', '--mode', 'quick', '--script', 'script.yaml');
        expectClear(end, [yaml]);
        expect(end, yaml).toMatchObject({ code: 2 });
        expect(end.said).toMatch(/script\.yaml:\d+:\d+/);
        expect(await runs()).toEqual([]);
      }),
      { numRuns: 100 },
    );
    expect(refused).toBeGreaterThan(20);
  });
});

/** The n-th value of the tree, counted in order, replaced; undefined takes it away. */
function mutate(value: unknown, at: number, junk: unknown): unknown {
  const locations: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      locations.push([node as Record<string, unknown>, key]);
      walk((node as Record<string, unknown>)[key]);
    }
  };
  const copy = structuredClone(value);
  walk(copy);
  const [holder, key] = locations[at % locations.length] ?? [];
  if (holder && key) holder[key] = junk;
  return copy;
}

function dump(lab: Lab): Record<string, unknown[]> {
  const db = new DatabaseSync(path.join(lab.home, 'baton.db'), { readOnly: true });
  const tables = db.prepare("select name from sqlite_master where type = 'table'").all();
  const rows = tables.map(({ name }) => [name, db.prepare(`select * from ${name}`).all()]);
  db.close();
  return Object.fromEntries(rows);
}
