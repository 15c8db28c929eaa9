import { describe, expect, test } from 'vitest';
import { parseCheckOutput } from '../../../src/engine/check-output.ts';
import { describeCommand } from '../../../src/engine/checks/describe-command.ts';
import { compareTests } from '../../../src/engine/checks/test-names.ts';

/** Output as the tool prints it, then the names that passed, failed and were skipped. */
const OUTPUTS: readonly (readonly [
  string,
  string,
  readonly string[],
  readonly string[],
  readonly string[],
])[] = [
  [
    'node, spec',
    `✔ plain (0.71ms)
﹣ skipped (0.13ms) # SKIP
﹣ why (0.12ms) # because
✔ later (0.27ms) # TODO
▶ suite
  ✔ one (0.22ms)
  ▶ inner
    ✔ one (0.14ms)
  ✔ inner (0.37ms)
✔ suite (1.17ms)
▶ parent
  ✔ child (0.16ms)
✔ parent (0.54ms)
✖ bad (0.71ms)
✔ plain (1.10ms)
ℹ tests 10
ℹ suites 2
ℹ pass 6
ℹ fail 1
ℹ cancelled 0
ℹ skipped 2
ℹ todo 1

✖ failing tests:

test at test/a.test.js:5:1
✖ bad (0.71ms)
  AssertionError [ERR_ASSERTION]: 1 == 2
`,
    ['parent > child', 'plain', 'plain', 'suite > inner > one', 'suite > one'],
    ['bad'],
    ['later', 'skipped', 'why'],
  ],
  [
    'node, tap',
    `TAP version 13
# Subtest: plain
ok 1 - plain
  ---
  type: 'test'
  ...
# Subtest: suite
    # Subtest: one
    ok 1 - one
      ---
      type: 'test'
      ...
    # Subtest: three
    ok 2 - three # SKIP
    1..2
ok 2 - suite
  ---
  type: 'suite'
  ...
1..2
# tests 3
# suites 1
# pass 2
# fail 0
# skipped 1
# todo 0
`,
    ['plain', 'suite > one'],
    [],
    ['suite > three'],
  ],
  [
    'vitest, verbose',
    ` ✓ a.test.js > one 1ms
 ↓ a.test.js > two
 ✓ |web| a.test.js > s > three > x 0ms
 □ a.test.js > s > four
 × a.test.js > s > bad 5ms
   → expected 1 to be 2 // Object.is equality

 FAIL  a.test.js > s > bad
AssertionError: expected 1 to be 2 // Object.is equality

 Test Files  1 failed (1)
      Tests  1 failed | 2 passed | 1 skipped | 1 todo (5)
`,
    ['a.test.js > one', 'a.test.js > s > three > x'],
    ['a.test.js > s > bad'],
    ['a.test.js > s > four', 'a.test.js > two'],
  ],
  [
    'jest, verbose',
    `PASS src/a.test.js
  sums
    ✓ adds (3 ms)
    ○ skipped divides
  ✓ alone
FAIL src/b.test.js
  ✕ breaks (2 ms)

  ● breaks

    expect(received).toBe(expected)

      at Object.<anonymous> (src/b.test.js:3:1)

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 1 skipped, 2 passed, 4 total
`,
    ['src/a.test.js > alone', 'src/a.test.js > sums > adds'],
    ['src/b.test.js > breaks'],
    ['src/a.test.js > sums > divides'],
  ],
  [
    'mocha',
    `
  sums
    ✔ adds
    - divides
    inner
      ✔ adds (12ms)
    1) breaks


  2 passing (8ms)
  1 pending
  1 failing

  1) sums
       breaks:
     Error: no
`,
    ['sums > adds', 'sums > inner > adds'],
    ['sums > breaks'],
    ['sums > divides'],
  ],
  [
    'pytest -v',
    `collecting ... collected 4 items

test_a.py::A::test_bad FAILED                                            [ 25%]
test_a.py::test_p[a b] PASSED                                            [ 50%]
test_a.py::A::test_exp XFAIL                                             [ 75%]
test_a.py::A::test_two SKIPPED (no)                                      [100%]

=========================== short test summary info ============================
FAILED test_a.py::A::test_bad - AssertionError: 1 != 2
============== 1 failed, 1 passed, 1 skipped, 1 xfailed in 2.80s ===============
`,
    ['test_a.py::test_p[a b]'],
    ['test_a.py::A::test_bad'],
    ['test_a.py::A::test_exp', 'test_a.py::A::test_two'],
  ],
  [
    'unittest -v',
    `test_bad (test_a.A.test_bad) ... FAIL
test_doc (test_a.A.test_doc)
Says something. ... ok
test_old (test_a.A) ... ok
test_two (test_a.A.test_two) ... skipped 'no'

======================================================================
FAIL: test_bad (test_a.A.test_bad)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "test_a.py", line 8, in test_bad
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 4 tests in 0.001s

FAILED (failures=1, skipped=1)
`,
    ['test_a.A.test_doc', 'test_a.A.test_old'],
    ['test_a.A.test_bad'],
    ['test_a.A.test_two'],
  ],
  [
    'go test -v',
    `=== RUN   TestA
--- PASS: TestA (0.00s)
=== RUN   TestB
=== RUN   TestB/sub
--- PASS: TestB (0.00s)
    --- PASS: TestB/sub (0.00s)
PASS
ok  \texample.org/one\t0.002s
=== RUN   TestA
    a_test.go:4: not here
--- SKIP: TestA (0.00s)
PASS
ok  \texample.org/two\t0.002s
`,
    ['example.org/one TestA', 'example.org/one TestB', 'example.org/one TestB/sub'],
    [],
    ['example.org/two TestA'],
  ],
  [
    'cargo test',
    `running 3 tests
test sums::adds ... ok
test sums::slow ... ignored, takes long
test sums::bad ... FAILED

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
`,
    ['sums::adds'],
    ['sums::bad'],
    ['sums::slow'],
  ],
];

describe('names of tests', () => {
  test.each(OUTPUTS)('%s: every test is named as it ended', (_tool, output, ...names) => {
    const [passed, failed, skipped] = names;
    expect(parseCheckOutput(output, '').tests).toEqual({ passed, failed, skipped });
  });

  test.each([
    ['the summary counts more than are named', '✔ one (1ms)\nℹ tests 2\nℹ pass 2\n'],
    ['the summary counts fewer than are named', '✔ one (1ms)\n✔ two (1ms)\nℹ tests 1\nℹ pass 1\n'],
    [
      'only the counts are printed',
      'Passed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2\n',
    ],
    ['nothing is printed', ''],
  ])('are unknown where %s', (_why, output) => {
    expect(parseCheckOutput(output, '').tests).toBeNull();
  });
});

describe('two runs compared', () => {
  const names = (passed: string[], skipped: string[] = [], failed: string[] = []) => ({
    passed,
    failed,
    skipped,
  });
  test.each([
    ['the same', names(['a', 'b']), names(['b', 'a']), [], [], 0],
    ['one gone', names(['a', 'b']), names(['a']), ['b'], [], 0],
    ['one renamed', names(['a']), names(['c']), ['a'], [], 1],
    ['one skipped', names(['a', 'b']), names(['a'], ['b']), [], ['b'], 0],
    ['a new one that is skipped', names(['a']), names(['a'], ['b']), [], [], 1],
    ['one of two with one name', names(['a', 'a']), names(['a']), ['a'], [], 0],
    ['a failing one deleted', names([], [], ['a']), names([]), ['a'], [], 0],
    ['one that only fails now', names(['a']), names([], [], ['a']), [], [], 0],
  ])('%s', (_name, before, now, ...told) => {
    const [gone, skipped, added] = told;
    expect(compareTests(before, now)).toMatchObject({ gone, skipped, added });
  });
});

describe('what a command means', () => {
  const files = { package_json: null, makefile: null, configured: null };
  const npm = (scripts: Record<string, string>) => ({ ...files, package_json: JSON.stringify({ scripts }) });

  test.each([
    ['npm test', { test: 'vitest run' }, 'npm test -- --reporter=verbose'],
    ['npm run unit', { unit: 'NODE_ENV=test npx jest src' }, 'npm run unit -- --verbose'],
    ['npx vitest run', {}, 'npx vitest run --reporter=verbose'],
    ['pytest', {}, 'pytest -v'],
    ['python3 -m unittest discover -s tests', {}, 'python3 -m unittest discover -s tests -v'],
    ['go test ./...', {}, 'go test -v ./...'],
  ])('%s with %j is run as %s', (command, scripts, line) => {
    expect(describeCommand(command, npm(scripts)).line).toBe(line);
  });

  test.each([
    ['npm test', { test: 'node --test' }],
    ['npm test', { test: 'vitest run --reporter=dot' }],
    ['npm test', { test: 'vitest run && echo done' }],
    ['npm test', { test: 'vitest run | tee log' }],
    ['npm test', { test: 'jest -- src' }],
    ['npm test', { test: 'vitest-runner' }],
    ['npm test', { test: 'sh test.sh' }],
    ['npm test', {}],
    ['npm test -- --run', { test: 'vitest' }],
    ['pytest -q', {}],
    ['cargo test', {}],
    ['make test', {}],
  ])('%s with %j is run as it is', (command, scripts) => {
    expect(describeCommand(command, npm(scripts)).line).toBe(command);
  });

  test('a script is followed through the scripts around it and those it calls', () => {
    const { text } = describeCommand(
      'npm test',
      npm({ pretest: 'npm run build', test: 'node --test', build: 'tsc', other: 'x' }),
    );
    expect(text.split('\n')).toEqual([
      'npm test',
      'pretest: npm run build',
      'test: node --test',
      'build: tsc',
    ]);
  });

  test('a make target is followed to its recipe', () => {
    const makefile = 'all: test\n\ntest: build\n\tgo vet ./...\n\tgo test ./...\n\nclean:\n\trm -r out\n';
    expect(describeCommand('make test', { ...files, makefile }).text).toBe(
      'make test\ntest: build\n\tgo vet ./...\n\tgo test ./...',
    );
  });

  test('another command in baton.yaml is part of it, though it does not run', () => {
    expect(describeCommand('sh a.sh', { ...files, configured: 'true' }).text).toBe(
      'sh a.sh\nbaton.yaml: true',
    );
    expect(describeCommand('sh a.sh', { ...files, configured: 'sh a.sh' }).text).toBe('sh a.sh');
  });

  test.each(['{', '[]', '{"scripts":3}', '{"scripts":{"test":{}}}', 'null'])(
    '%s is read as no scripts',
    (manifest) => {
      expect(describeCommand('npm test', { ...files, package_json: manifest }).text).toBe('npm test');
    },
  );
});
