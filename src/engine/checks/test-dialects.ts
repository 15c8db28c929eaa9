import {
  addProblem,
  addTests,
  type Dialect,
  type Draft,
  isForeign,
  locate,
  openTest,
  tally,
} from './dialect.ts';
import { endTest, type TestEnd } from './test-names.ts';

const PYTEST_WORDS = {
  passed: 'passed',
  xpassed: 'passed',
  failed: 'failed',
  error: 'failed',
  errors: 'failed',
  skipped: 'skipped',
  xfailed: 'skipped',
} as const;

const PYTEST_ENDS: Readonly<Record<string, TestEnd>> = {
  PASSED: 'passed',
  XPASS: 'passed',
  FAILED: 'failed',
  ERROR: 'failed',
  SKIPPED: 'skipped',
  XFAIL: 'skipped',
};

/** pytest: the short summary names the failures, and the sections above it contain their lines. */
export const pytest: Dialect = {
  name: 'pytest',
  rules: [
    [
      /^(?:=+ )?(\d+ [a-z].*) in [\d.]+s\b/,
      (draft, [, text = ''], at) => addTests(draft, tally(text, PYTEST_WORDS), at),
    ],
    [/^(?:=+ )?no tests ran in [\d.]+s/, (draft, _, at) => addTests(draft, {}, at)],
    [
      /^_{2,} (.+) _{2,}$/,
      (draft, [, title = '']) => {
        draft.memory.set('section', title.trim());
      },
    ],
    [
      /^([^\s:]+\.[a-z]+):(\d+): /,
      (draft, [, file = '', line = '']) => {
        const key = `${draft.memory.get('section') ?? ''}\n${file}`;
        if (!draft.memory.has(key)) draft.memory.set(key, line);
      },
    ],
    // Only -v names every test.
    [
      /^(\S+::.+?) (PASSED|XPASS|FAILED|ERROR|SKIPPED|XFAIL)(?: \(.*\))?(?: +\[ *\d+%\])?$/,
      ({ list }, [, name = '', word = '']) => endTest(list, 0, name, PYTEST_ENDS[word] ?? 'passed'),
    ],
    [/^(FAILED|ERROR) (\S.*)$/, (draft, [, , text = '']) => takePytestFailure(draft, text)],
  ],
};

function takePytestFailure(draft: Draft, text: string): void {
  const dash = text.indexOf(' - ');
  const [node, message] = dash === -1 ? [text, ''] : [text.slice(0, dash), text.slice(dash + 3)];
  const [file = '', ...names] = node.split('::');
  if (!file.includes('.') || file.includes(' ')) return;
  const section = names.length > 0 ? names.join('.') : `ERROR collecting ${file}`;
  openTest(draft, names.length > 0 ? names.join('::') : '(collection)', file);
  const line = draft.memory.get(`${section}\n${file}`);
  if (line !== undefined) locate(draft, file, line);
  if (draft.open) draft.open.message = message === '' ? null : message;
  draft.open = null;
}

/** Python's own runner. The error message is below the traceback, after the test's docstring. */
export const unittest: Dialect = {
  name: 'unittest',
  rules: [
    [
      /^(?:FAIL|ERROR): (\S+) \(.+\)$/,
      (draft, [, name = '']) => {
        openTest(draft, name);
        if (draft.open) draft.open.message = null;
      },
    ],
    [
      /^Traceback \(most recent call last\):$/,
      ({ open }) => {
        if (open?.message === null) open.message = '';
      },
    ],
    [/^ {2}File "([^"]+)", line (\d+)/, (draft, [, file = '', line = '']) => locate(draft, file, line)],
    // Only -v names every test. A docstring is printed on a line of its own between name and result.
    [
      /^(\w+) \(([\w.]+)\)(?: \.\.\. (.+))?$/,
      (draft, [, name = '', where = '', end = '']) => {
        const whole = where.endsWith(`.${name}`) ? where : `${where}.${name}`;
        if (end === '') draft.memory.set('named', whole);
        else endUnittest(draft, whole, end);
      },
    ],
    [
      /^.+ \.\.\. (ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/,
      (draft, [, end = '']) => endUnittest(draft, draft.memory.get('named') ?? '', end),
    ],
    [/^(?: {4}|[-=]{70}$)/, () => {}],
    [/^Ran (\d+) tests? in [\d.]+s$/, ({ memory }, [, ran = '']) => void memory.set('ran', ran)],
    [/^(?:OK|FAILED)(?: \((.+)\))?$/, (draft, [, text = ''], at) => countUnittest(draft, text, at)],
  ],
};

function endUnittest({ list, memory }: Draft, name: string, end: string): void {
  const [word = ''] = end.split(' ');
  const ends = { ok: 'passed', skipped: 'skipped', expected: 'passed' } as const;
  if (name !== '') endTest(list, 0, name, Object.hasOwn(ends, word) ? ends[word as 'ok'] : 'failed');
  memory.delete('named');
}

function countUnittest(draft: Draft, text: string, at: number): void {
  const ran = draft.memory.get('ran');
  if (ran === undefined) return;
  draft.memory.delete('ran');
  // An expected failure is also listed, but it does not count as a failure.
  const named = new Map(text.split(', ').map((part) => part.split('=') as [string, string]));
  const of = (word: string) => Number(named.get(word) ?? 0);
  const failed = of('failures') + of('errors') + of('unexpected successes');
  const skipped = of('skipped');
  addTests(draft, { failed, skipped, passed: Math.max(0, Number(ran) - failed - skipped) }, at);
}

/**
 * `go test`, `go build` and `go vet`. Without -v Go does not report the number of passed tests, so there are no counts.
 */
export const go: Dialect = {
  name: 'go',
  rules: [
    [
      /^ *--- (FAIL|PASS|SKIP): (\S+) \(/,
      (draft, [, word, name = '']) => {
        draft.open = null;
        if (word === 'FAIL') openTest(draft, name);
        endTest(draft.list, 0, name, GO_ENDS[word ?? ''] ?? 'passed');
        draft.memory.set(`n:${word}`, String(Number(draft.memory.get(`n:${word}`) ?? 0) + 1));
        if (word === 'FAIL') takeWaitingGoLine(draft);
      },
    ],
    [
      /^ +([^\s:]+\.go):(\d+): (.*)$/,
      (draft, [, file = '', line = '', text = '']) => {
        draft.memory.set('waiting', `${line} ${file}:${text}`);
        if (draft.open) takeWaitingGoLine(draft);
      },
    ],
    [
      /^=== (?:RUN|CONT|PAUSE|NAME)/,
      (draft) => {
        draft.open = null;
        draft.memory.delete('waiting');
      },
    ],
    [
      /^(?:vet: )?([^\s:]+\.go):(\d+):\d+: (.+)$/,
      (draft, [, file = '', line = '', text = ''], at) => {
        draft.seen = at;
        addProblem(draft, 'error', { file, line }, text);
      },
    ],
    [/^panic: (.+)$/, (draft, [, text = '']) => void draft.memory.set('panic', text)],
    [
      /^ok {2}\t.*/,
      (draft, [line = ''], at) => {
        draft.seen = at;
        draft.memory.set('from', String(draft.items.length));
        nameGoTests(draft, line.split('\t')[1] ?? '');
      },
    ],
    [/^FAIL\t(\S+)(.*)$/, (draft, [, name = '', rest = ''], at) => endGoPackage(draft, name, rest, at)],
  ],
  finish: (draft) => {
    const n = (word: string) => Number(draft.memory.get(`n:${word}`) ?? 0);
    if (n('PASS') === 0) return;
    addTests(draft, { passed: n('PASS'), failed: n('FAIL'), skipped: n('SKIP') }, Math.max(draft.seen, 0));
  },
};

const GO_ENDS: Readonly<Record<string, TestEnd>> = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' };

/** A package prints its name after its tests. Two packages may have tests with the same name. */
function nameGoTests({ list, memory }: Draft, name: string): void {
  const from = Number(memory.get('named') ?? 0);
  for (const test of list.ended.slice(from)) test.name = `${name} ${test.name}`;
  memory.set('named', String(list.ended.length));
}

/** With -v, the output of a test comes before its verdict. Without -v, it comes after it. */
function takeWaitingGoLine(draft: Draft): void {
  const [, line = '', file = '', text = ''] =
    /^(\d+) ([^:]+):(.*)$/.exec(draft.memory.get('waiting') ?? '') ?? [];
  if (!draft.open || line === '') return;
  locate(draft, file, line);
  if (draft.open.message === '') draft.open.message = text.trim();
  draft.memory.delete('waiting');
}

function endGoPackage(draft: Draft, name: string, rest: string, at: number): void {
  draft.seen = at;
  draft.open = null;
  nameGoTests(draft, name);
  const from = Number(draft.memory.get('from') ?? 0);
  const own = draft.items.slice(from);
  for (const item of own) if (item.kind === 'test') item.name = `${name} ${item.name}`;
  if (own.length === 0) {
    openTest(draft, `${name}${rest.includes('[') ? ` ${rest.trim()}` : ''}`);
    if (draft.open) (draft.open as { message: string | null }).message = draft.memory.get('panic') ?? null;
    draft.open = null;
  }
  draft.memory.set('from', String(draft.items.length));
}

/** `cargo test`. The dialect `rustc` parses the compiler's messages. */
export const cargoTest: Dialect = {
  name: 'cargo test',
  rules: [
    [
      /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/,
      (draft, [, passed, failed, skipped], at) =>
        addTests(draft, { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }, at),
    ],
    [
      /^test (.+) \.\.\. (ok|FAILED|ignored)/,
      (draft, [, name = '', word]) => {
        endTest(draft.list, 0, name, word === 'ok' ? 'passed' : word === 'FAILED' ? 'failed' : 'skipped');
        if (word !== 'FAILED') return;
        openTest(draft, name);
        draft.open = null;
      },
    ],
    [
      /^thread '([^']+)'(?: \(\d+\))? panicked at (?:'.*', )?([^\s:']+):(\d+):\d+/,
      (draft, [, name = '', file = '', line = '']) => {
        const item = draft.items.find((one) => one.name === name && one.line === null);
        draft.open = item ?? null;
        locate(draft, file, line);
      },
    ],
  ],
};

/** Maven with surefire: the last line of each module, without a time, is the module's total. */
export const surefire: Dialect = {
  name: 'surefire',
  rules: [
    [
      /^\[[A-Z]+\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$/,
      (draft, [, total, failures, errors, skips], at) => {
        const [failed, skipped] = [Number(failures) + Number(errors), Number(skips)];
        addTests(draft, { passed: Math.max(0, Number(total) - failed - skipped), failed, skipped }, at);
      },
    ],
    [
      /^\[ERROR\] (\S+)(?: --)? +Time elapsed: .*<<< (?:FAILURE|ERROR)!$/,
      (draft, [, name = '']) => openTest(draft, name),
    ],
    [
      /^\s+at ([\w.$/]+)\(([\w$]+\.\w+):(\d+)\)$/,
      (draft, [, where = '', file = '', line = '']) => {
        const test = draft.open?.name.replace(/^(\w+)\(([^)]*)\).*$/, '$2.$1') ?? '';
        if (test !== '' && test.startsWith(where.slice(0, where.lastIndexOf('.')))) locate(draft, file, line);
      },
    ],
    [
      /^\[/,
      (draft) => {
        draft.open = null;
      },
    ],
  ],
};

/** Gradle's tests. It prints counts only when a test failed. */
export const gradle: Dialect = {
  name: 'gradle',
  rules: [
    [
      /^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?$/,
      (draft, [, total, failures, skips], at) => {
        const [failed, skipped] = [Number(failures), Number(skips)];
        addTests(draft, { passed: Math.max(0, Number(total) - failed - skipped), failed, skipped }, at);
      },
    ],
    [
      /^BUILD (?:SUCCESSFUL|FAILED) in /,
      (draft, _, at) => {
        draft.seen = at;
      },
    ],
    [
      /^([^\s>].*) FAILED$/,
      (draft, [, name = '']) => {
        if (name.includes(' > ')) openTest(draft, name);
      },
    ],
    [
      /^ +(\S.*) at ([\w$]+\.\w+):(\d+)$/,
      (draft, [, text = '', file = '', line = '']) => {
        locate(draft, file, line);
        if (draft.open?.message === '') draft.open.message = text;
      },
    ],
    [
      /^>/,
      (draft) => {
        draft.open = null;
      },
    ],
  ],
};

/** `dotnet test`, one line per project, and the longer form of older versions. */
export const dotnetTest: Dialect = {
  name: 'dotnet test',
  rules: [
    [
      /^\s*\w+! +- Failed: +(\d+), Passed: +(\d+), Skipped: +(\d+), Total: +\d+/,
      (draft, [, failed, passed, skipped], at) =>
        addTests(draft, { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }, at),
    ],
    [/^Total tests: \d+/, (draft, _, at) => addTests(draft, {}, at)],
    [
      /^ +(Passed|Failed|Skipped): (\d+)$/,
      (draft, [, word = '', number], at) => {
        if (draft.tests) addTests(draft, { [word.toLowerCase()]: Number(number) }, at);
      },
    ],
    [/^ +Failed (\S.*) \[[^[\]]+\]$/, (draft, [, name = '']) => openTest(draft, name)],
    [/^ +Error Message:$/, () => undefined],
    [
      /^ +at .+ in (\S+):line (\d+)$/,
      (draft, [, file = '', line = '']) => {
        if (!isForeign(file)) locate(draft, file, line);
      },
    ],
  ],
};
