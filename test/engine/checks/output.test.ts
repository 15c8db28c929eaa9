import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCheckOutput } from '../../../src/engine/check-output.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const SAMPLES = path.join(import.meta.dirname, 'samples');
const ROOT = '/srv/project';

const sample = (name: string) => readFileSync(path.join(SAMPLES, `${name}.txt`), 'utf8');
const parse = (text: string) => parseCheckOutput(text, ROOT);
const locations = (text: string) => {
  const found = parse(text).items.filter((item) => item.level === 'error');
  return found.map(({ file, line, text: words }) => `${file}:${line} ${words}`);
};

test('unittest counts a failure that was expected as passed, and an unexpected success as failed', () => {
  const counted = (end: string) => parse(`....\n${'-'.repeat(70)}\nRan 4 tests in 0.001s\n\n${end}\n`).counts;
  expect(counted('OK')).toEqual({ total: 4, passed: 4, failed: 0, skipped: 0 });
  expect(counted('OK (skipped=1, expected failures=2)')).toEqual({
    total: 4,
    passed: 3,
    failed: 0,
    skipped: 1,
  });
  expect(counted('FAILED (unexpected successes=1)')).toEqual({ total: 4, passed: 3, failed: 1, skipped: 0 });
});

/** Total, passed, failed, skipped. */
const TESTS: Readonly<Record<string, readonly [string, readonly number[] | null, readonly string[]]>> = {
  'node-spec': [
    'node:test',
    [4, 1, 2, 1],
    [
      'test/a.test.mjs:2 breaks: AssertionError [ERR_ASSERTION]: 1 == 2',
      'test/a.test.mjs:3 inner breaks: Error: boom 42',
    ],
  ],
  'node-tap': [
    'tap',
    [4, 1, 2, 1],
    ['test/a.test.mjs:2 breaks: 1 == 2', 'test/a.test.mjs:3 inner breaks: boom 42'],
  ],
  'node-tap-block': [
    'tap',
    [1, 0, 1, 0],
    ["test/a.test.mjs:3 accents: Expected values to be strictly equal: 'cafe' !== 'café'"],
  ],
  vitest: [
    'vitest',
    [4, 1, 2, 1],
    [
      "test/c.spec.ts:1 (suite): Error: Cannot find module './nothing.ts' imported from test/c.spec.ts",
      'test/b.spec.ts:2 breaks: AssertionError: expected 1 to be 2 // Object.is equality',
      'test/b.spec.ts:3 suite > inner breaks: Error: boom 42',
    ],
  ],
  jest: [
    'jest',
    [4, 1, 2, 1],
    [
      'src/a.test.js:1 breaks: expect(received).toBe(expected) // Object.is equality',
      'src/a.test.js:2 suite › inner breaks: boom 42',
      "src/c.test.js:1 Test suite failed to run: Cannot find module './nothing' from 'src/c.test.js'",
    ],
  ],
  mocha: [
    'mocha',
    [4, 1, 2, 1],
    [
      't/m.js:2 breaks: AssertionError [ERR_ASSERTION]: 1 == 2',
      't/m.js:3 suite > deeper > inner breaks: Error: boom 42',
    ],
  ],
  ava: [
    'ava',
    [25, 22, 2, 1],
    [
      'test.js:380 fails here: Difference (- actual, + expected):',
      "test.js:383 throws: Rejected promise returned by test. Reason: message: 'boom',",
    ],
  ],
  pytest: [
    'pytest',
    [4, 1, 2, 1],
    [
      'tests/test_a.py:5 test_bad: AssertionError: boom 42',
      'tests/test_a.py:10 TestC::test_in: ValueError: no',
    ],
  ],
  'pytest-quiet': [
    'pytest',
    [4, 1, 2, 1],
    [
      'tests/test_a.py:5 test_bad: AssertionError: boom 42',
      'tests/test_a.py:10 TestC::test_in: ValueError: no',
    ],
  ],
  'pytest-collection': ['pytest', [1, 0, 1, 0], ['tests/test_b.py:1 (collection)']],
  unittest: [
    'unittest',
    [4, 1, 2, 1],
    [
      'tests/test_add.py:18 test_breaks: ValueError: no such number',
      'tests/test_add.py:8 test_adds: AssertionError: -1 != 3',
    ],
  ],
  'go-test': [
    'go',
    null,
    [
      'sum_test.go:12 example.com/shop/cart TestSum: got 3, want 4',
      'null:null example.com/shop/cart TestTable',
      'table_test.go:31 example.com/shop/cart TestTable/empty_input: unexpected error: boom 42',
      'mail/mail_test.go:9 undefined: Send',
    ],
  ],
  'go-test-verbose': ['go', [3, 1, 1, 1], ['sum_test.go:12 example.com/shop/cart TestSum: got 3, want 4']],
  'cargo-test': ['cargo test', [3, 1, 1, 1], ['src/lib.rs:6 tests::bad: assertion `left == right` failed']],
  surefire: [
    'surefire',
    [4, 1, 2, 1],
    [
      'AppTest.java:5 com.x.AppTest.breaks: org.opentest4j.AssertionFailedError: expected: <2> but was: <1>',
      'AppTest.java:6 com.x.AppTest.throwsIt: java.lang.IllegalStateException: boom 42',
    ],
  ],
  gradle: [
    'gradle',
    [5, 2, 2, 1],
    [
      'CartTest.java:15 CartTest > addsUp(): org.opentest4j.AssertionFailedError',
      'CartTest.java:22 CartTest > refusesNegative(): java.lang.IllegalStateException',
    ],
  ],
  'dotnet-test': [
    'dotnet test',
    [5, 3, 1, 1],
    ['CartTests.cs:14 Shop.CartTests.AddsUp: Assert.Equal() Failure: Values differ'],
  ],
};

/** Errors, warnings. */
const PROBLEMS: Readonly<Record<string, readonly [string, readonly [number, number], readonly string[]]>> = {
  eslint: [
    'eslint',
    [4, 1],
    [
      "x/one.js:2 no-undef 'b' is not defined",
      "x/one.js:2 eqeqeq Expected '===' and instead saw '=='",
      "x/one.js:2 no-undef 'c' is not defined",
      "x/two.js:1 no-undef 'd' is not defined",
    ],
  ],
  xo: [
    'xo',
    [2, 1],
    [
      'index.js:78 eqeqeq Expected === and instead saw ==.',
      'index.js:78 @stylistic/comma-dangle Missing trailing comma.',
    ],
  ],
  biome: [
    'biome',
    [2, 2],
    [
      'src/x.ts:2 lint/suspicious/noDoubleEquals Using == may be unsafe if you are relying on type coercion.',
      'src/x.ts:null format Formatter would have printed the following content:',
    ],
  ],
  ruff: [
    'ruff',
    [3, 0],
    [
      'p/a.py:1 F401 `os` imported but unused',
      'p/a.py:2 F401 `sys` imported but unused',
      'p/a.py:9 F821 Undefined name `undefined_name`',
    ],
  ],
  'ruff-concise': [
    'ruff',
    [3, 0],
    [
      'p/a.py:1 F401 `os` imported but unused',
      'p/a.py:2 F401 `sys` imported but unused',
      'p/a.py:9 F821 Undefined name `undefined_name`',
    ],
  ],
  pylint: ['pylint', [1, 4], ["p/a.py:9 E0602 Undefined variable 'undefined_name' (undefined-variable)"]],
  golangci: [
    'golangci-lint',
    [2, 0],
    [
      'main.go:12 Error return value of `f.Close` is not checked (errcheck)',
      'cart/cart.go:30 func `total` is unused (unused)',
    ],
  ],
  clippy: [
    'rustc',
    [1, 3],
    [
      'src/lib.rs:4 this comparison involving the minimum or maximum element for this type contains a case that is always true or always false',
    ],
  ],
  'cargo-build': ['rustc', [1, 0], ['src/lib.rs:1 E0308 mismatched types']],
  tsc: [
    'tsc',
    [2, 0],
    [
      "src/a.ts:1 TS2322 Type 'string' is not assignable to type 'number'.",
      "src/a.ts:1 TS2339 Property 'foo' does not exist on type 'number'.",
    ],
  ],
  'tsc-pretty': [
    'tsc',
    [2, 0],
    [
      "src/a.ts:1 TS2322 Type 'string' is not assignable to type 'number'.",
      "src/a.ts:1 TS2339 Property 'foo' does not exist on type 'number'.",
    ],
  ],
  mypy: [
    'mypy',
    [2, 0],
    [
      'p/a.py:6 Incompatible return value type (got "int", expected "str") [return-value]',
      'p/a.py:9 Name "undefined_name" is not defined [name-defined]',
    ],
  ],
  pyright: [
    'pyright',
    [2, 0],
    [
      'p/a.py:6 Type "int" is not assignable to return type "str"',
      'p/a.py:9 "undefined_name" is not defined (reportUndefinedVariable)',
    ],
  ],
  'maven-compile': [
    'javac',
    [1, 0],
    ['src/main/java/com/x/Bad.java:1 incompatible types: java.lang.String cannot be converted to int'],
  ],
  'gradle-compile': ['gradle', [1, 1], ['src/main/java/shop/Cart.java:7 cannot find symbol']],
  'dotnet-build': [
    'msbuild',
    [1, 1],
    ["Cart.cs:7 CS0103 The name 'totl' does not exist in the current context"],
  ],
};

describe('what known tools print', () => {
  test.each(Object.entries(TESTS))('%s: its counts and failing tests', (name, [tool, counts, failing]) => {
    const { counts: found, ...parsed } = parse(sample(name));
    const numbers = found && [found.total, found.passed, found.failed, found.skipped];
    expect([parsed.tool, numbers]).toEqual([tool, counts]);
    expect(locations(sample(name))).toEqual(failing);
    expect(parsed.complete).toBe(true);
  });

  test.each(Object.entries(PROBLEMS))(
    '%s: its errors, warnings and places',
    (name, [tool, counts, failing]) => {
      const parsed = parse(sample(name));
      expect([parsed.tool, parsed.problems?.errors, parsed.problems?.warnings]).toEqual([tool, ...counts]);
      expect(locations(sample(name))).toEqual(failing);
    },
  );

  test('every recorded output is in one of the two tables', () => {
    const files = readdirSync(SAMPLES).map((file) => path.basename(file, '.txt'));
    expect(files.sort()).toEqual([...Object.keys(TESTS), ...Object.keys(PROBLEMS)].sort());
  });

  test('a workspace that runs one tool several times is summed up', () => {
    expect(parse(sample('cargo-test').repeat(3)).counts).toEqual({
      total: 9,
      passed: 3,
      failed: 3,
      skipped: 3,
    });
  });

  test('the last summary speaks, and failures of both tools are kept', () => {
    const parsed = parse(`${sample('pytest')}\n${sample('jest')}`);
    expect(parsed.tool).toBe('jest');
    expect(parsed.items).toHaveLength(5);
    expect(parse(`${sample('eslint')}\n${sample('tsc')}`).items).toHaveLength(7);
  });

  test('a clean run of a tool that says so has counts and no items', () => {
    expect(parse('Success: no issues found in 3 source files').problems).toEqual({ errors: 0, warnings: 0 });
    expect(parse('5 passed in 0.12s')).toMatchObject({ counts: { total: 5, passed: 5 }, items: [] });
    expect(parse('TAP version 13\nok 1 - a\nok 2 - b # SKIP\nnot ok 3 - c # TODO\n1..3')).toMatchObject({
      counts: { total: 3, passed: 1, failed: 0, skipped: 2 },
      items: [],
    });
  });
});

describe('what nobody knows', () => {
  test('an unknown runner has no counts and the places its lines name', () => {
    const text = [
      'checking 3 things',
      './src/a.zig:12:5: error: expected type',
      '  File "tools/run.py", line 7, in main',
      'see lib/b.rb(4): oops',
      'warning: docs/c.md:9 is long',
      '    at run (node_modules/x/y.js:1:1)',
      'listening on http://localhost.test:8080 and 10.0.0.1:80',
    ];
    const parsed = parse(text.join('\n'));
    expect([parsed.tool, parsed.counts, parsed.problems]).toEqual([null, null, null]);
    expect(parsed.items.map(({ level, file, line }) => `${level} ${file}:${line}`)).toEqual([
      'error src/a.zig:12',
      'error tools/run.py:7',
      'error lib/b.rb:4',
      'warning docs/c.md:9',
    ]);
  });

  test('paths in the tree lose its name, others stay as printed', () => {
    const text = `${ROOT}/src/a.x:1: bad\nfile://${ROOT}/src/b.x:2: bad\n/elsewhere/c.x:3: bad\n${ROOT}-other/d.x:4: bad`;
    const files = parse(text).items.map(({ file }) => file);
    expect(files).toEqual(['src/a.x', 'src/b.x', '/elsewhere/c.x', `${ROOT}-other/d.x`]);
  });

  test('any text gives an answer of bounded size', () => {
    const lines = Object.keys({ ...TESTS, ...PROBLEMS }).flatMap((name) => sample(name).split('\n'));
    const line = fc.oneof(fc.constantFrom(...lines), fc.string({ unit: 'binary' }), fc.string());
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.constantFrom(ROOT, '', '/', '\n'), (some, root) => {
        const { counts, items } = parseCheckOutput(some.join('\n'), root);
        if (counts) expect(counts.total).toBe(counts.passed + counts.failed + counts.skipped);
        for (const { text, name, line: at } of items) {
          expect(text.length).toBeLessThanOrEqual(160);
          expect(text.isWellFormed() || !name.isWellFormed()).toBe(true);
          expect(at === null || Number.isSafeInteger(at)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  const MEGABYTE = 1_000_000;
  const attacks: Readonly<Record<string, string>> = {
    'one endless line': 'a',
    'empty lines': '\n',
    spaces: ' ',
    'lines of spaces': `${' '.repeat(900)}x\n`,
    colons: ':1',
    'places without an end': ' a.b.c.d.e:1',
    'dots after a bracket': '(a.',
    brackets: ' [',
    'open brackets': '(',
    'arrows of suites': 'a > ',
    'gradle arrows': `${'a > '.repeat(240)}\n`,
    'words of counts': '1 a11 ',
    'pytest counts': `${'1 a '.repeat(240)} in 1s\n`,
    underscores: '__ ',
    'tap numbers': 'not ok 1 - a\n',
    'tap lines that break inside': `not ok${' '.repeat(980)}\u2028x\n`,
    'go packages that break inside': `FAIL\t${'a'.repeat(980)}\u2029x\n`,
    'stack frames': `    at ${'a ('.repeat(300)}\n`,
    'frames of dotnet': `   at ${' in '.repeat(240)}\n`,
    'eslint rows': `  1:1  error  ${'a  '.repeat(300)}\n`,
    'tsc places': `${'a(1,1): '.repeat(120)}\n`,
    'quoted threads': `thread '${"a', ".repeat(240)}\n`,
    digits: '1',
    hex: 'a1',
  };

  const megabyteOf = (piece: string) =>
    cpuTime(() => parse(piece.repeat(Math.ceil(MEGABYTE / piece.length))));
  const plain = megabyteOf('a line of plain words\n');

  test.each(Object.entries(attacks))('a megabyte of %s takes time in proportion to its size', (_, piece) => {
    // A reader that is not linear needs minutes for this; one that is needs about what plain lines need.
    expect(megabyteOf(piece)).toBeLessThan(20 * plain);
  });

  test('of an output too long to be read whole the ends are read, and it is said', () => {
    const parsed = parse(`${'noise\n'.repeat(60_000)}${sample('jest')}`);
    expect(parsed).toMatchObject({ tool: 'jest', counts: { total: 4 }, complete: false });
  });
});
