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

const PYTEST_WORDS = {
  passed: 'passed',
  xpassed: 'passed',
  failed: 'failed',
  error: 'failed',
  errors: 'failed',
  skipped: 'skipped',
  xfailed: 'skipped',
} as const;

/** pytest: the short summary names the failures, the sections above it their lines. */
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

/** Python's own runner: what went wrong stands below the trace, after what an author may have said of the test. */
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
    [/^(?: {4}|[-=]{70}$)/, () => {}],
    [/^Ran (\d+) tests? in [\d.]+s$/, ({ memory }, [, ran = '']) => void memory.set('ran', ran)],
    [/^(?:OK|FAILED)(?: \((.+)\))?$/, (draft, [, text = ''], at) => countUnittest(draft, text, at)],
  ],
};

function countUnittest(draft: Draft, text: string, at: number): void {
  const ran = draft.memory.get('ran');
  if (ran === undefined) return;
  draft.memory.delete('ran');
  // A failure that was expected is named too, and is none.
  const named = new Map(text.split(', ').map((part) => part.split('=') as [string, string]));
  const of = (word: string) => Number(named.get(word) ?? 0);
  const failed = of('failures') + of('errors') + of('unexpected successes');
  const skipped = of('skipped');
  addTests(draft, { failed, skipped, passed: Math.max(0, Number(ran) - failed - skipped) }, at);
}

/** `go test`, `go build` and `go vet`. Without -v it does not say how many tests passed, so there are no counts. */
export const go: Dialect = {
  name: 'go',
  rules: [
    [
      /^ *--- (FAIL|PASS|SKIP): (\S+) \(/,
      (draft, [, word, name = '']) => {
        draft.open = null;
        if (word === 'FAIL') openTest(draft, name);
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
      /^ok {2}\t/,
      (draft, _, at) => {
        draft.seen = at;
        draft.memory.set('from', String(draft.items.length));
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

/** With -v a test's words come before its verdict, without it after. */
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

/** `cargo test`. What the compiler says is read by the dialect `rustc`. */
export const cargoTest: Dialect = {
  name: 'cargo test',
  rules: [
    [
      /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/,
      (draft, [, passed, failed, skipped], at) =>
        addTests(draft, { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }, at),
    ],
    [
      /^test (.+) \.\.\. FAILED/,
      (draft, [, name = '']) => {
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

/** Maven with surefire: the last line of each module, without a time, is the module's sum. */
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
