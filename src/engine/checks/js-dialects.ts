import { addTests, type Dialect, type Draft, type LineRule, locate, openTest, tally } from './dialect.ts';

const WORDS = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  todo: 'skipped',
  pending: 'skipped',
} as const;

const NODE_COUNTS = {
  pass: 'passed',
  fail: 'failed',
  cancelled: 'failed',
  skipped: 'skipped',
  todo: 'skipped',
} as const;

function nodeCount(draft: Draft, word: string, number: string, at: number): void {
  draft.seen = at;
  const key = Object.hasOwn(NODE_COUNTS, word) ? NODE_COUNTS[word as keyof typeof NODE_COUNTS] : null;
  addTests(draft, key ? { [key]: Number(number) } : {}, at);
}

/** A frame of a JavaScript stack, with and without a function. */
const FRAMES: readonly LineRule[] = [
  [
    /^\s+at .*\((?:file:\/\/)?([^():]+):(\d+):\d+\)/,
    (draft, [, file = '', line = '']) => locate(draft, file, line),
  ],
  [
    /^\s+at (?:async )?(?:file:\/\/)?([^\s():]+):(\d+):\d+/,
    (draft, [, file = '', line = '']) => locate(draft, file, line),
  ],
];

/** Node's own runner with its default reporter. */
export const nodeSpec: Dialect = {
  name: 'node:test',
  rules: [
    [
      /^ℹ (tests|pass|fail|cancelled|skipped|todo) (\d+)$/,
      (draft, [, word = '', number = ''], at) => nodeCount(draft, word, number, at),
    ],
    [
      /^test at ([^:]+):(\d+):\d+$/,
      (draft, [, file = '', line = '']) => {
        openTest(draft, '', file);
        locate(draft, file, line);
      },
    ],
    [
      /^✖ (.+) \([\d.]+ms\)/,
      (draft, [, name = '']) => {
        if (draft.open?.name === '') draft.open.name = name;
      },
    ],
  ],
};

/** The Test Anything Protocol, with the extra lines Node writes. */
export const tap: Dialect = {
  name: 'tap',
  rules: [
    [
      /^TAP version \d+$/,
      (draft, _, at) => {
        draft.seen = at;
      },
    ],
    [
      /^1\.\.\d+/,
      (draft, _, at) => {
        draft.seen = at;
      },
    ],
    [
      /^# (tests|pass|fail|cancelled|skipped|todo) (\d+)$/,
      (draft, [, word = '', number = ''], at) => {
        if (!draft.memory.has('summary')) draft.tests = null;
        draft.memory.set('summary', 'yes');
        nodeCount(draft, word, number, at);
      },
    ],
    [/^( *)(not ok|ok)\b *\d*(?: -)? *(.*)$/, (draft, match, at) => takeTapLine(draft, match, at)],
    [/^ +location: '([^':]+):(\d+):\d+'/, (draft, [, file = '', line = '']) => locate(draft, file, line)],
    [
      /^ +failureType: 'subtestsFailed'/,
      (draft) => {
        draft.items.splice(draft.items.lastIndexOf(draft.open as never) >>> 0, 1);
        draft.open = null;
      },
    ],
    // A text of several lines begins below its key, where no rule takes it.
    [/^ +(?:error|message): [|>][-+]?$/, () => undefined],
    [
      /^ +(?:error|message): ['"]?(.+?)['"]?$/,
      (draft, [, text = '']) => {
        if (draft.open?.message === '') draft.open.message = text;
      },
    ],
    [/^ *(?:---|\.\.\.|#|[\w-]+:)/, () => undefined],
  ],
};

function takeTapLine(draft: Draft, match: readonly string[], at: number): void {
  const [, indent = '', word, rest = ''] = match;
  const hash = rest.indexOf(' #');
  const name = (hash === -1 ? rest : rest.slice(0, hash)).trim();
  const excused = hash !== -1 && /^ # *(?:skip|todo)/i.test(rest.slice(hash));
  const failed = word === 'not ok' && !excused;
  draft.open = null;
  if (failed) openTest(draft, name);
  if (indent !== '' || draft.memory.has('summary')) return;
  const { seen } = draft;
  addTests(draft, failed ? { failed: 1 } : excused ? { skipped: 1 } : { passed: 1 }, at);
  draft.seen = seen;
}

/** Vitest. A failed suite is an item too: its tests never ran. */
export const vitest: Dialect = {
  name: 'vitest',
  rules: [
    [
      /^ *Test Files {2}/,
      (draft, _, at) => {
        draft.seen = at;
      },
    ],
    [/^ *Tests {2}(.+) \(\d+\)$/, (draft, [, text = ''], at) => addTests(draft, tally(text, WORDS), at)],
    [
      /^ FAIL {2}(?:\|[^|]*\| )?(.+)$/,
      (draft, [, text = '']) => {
        const [first = '', ...names] = text.split(' > ');
        const [file = ''] = first.split(' [ ');
        openTest(draft, names.length > 0 ? names.join(' > ') : '(suite)', file.trim());
      },
    ],
    [/^ ❯ (?:[^\s:]+ )?([^\s:]+):(\d+):\d+$/, (draft, [, file = '', line = '']) => locate(draft, file, line)],
    [
      /^⎯/,
      (draft) => {
        draft.open = null;
      },
    ],
  ],
};

/** Jest. */
export const jest: Dialect = {
  name: 'jest',
  rules: [
    [/^Tests: +(.+), \d+ total$/, (draft, [, text = ''], at) => addTests(draft, tally(text, WORDS), at)],
    [
      /^Test Suites: /,
      (draft, _, at) => {
        draft.seen = at;
      },
    ],
    [
      /^(?:FAIL|PASS) (.+)$/,
      (draft, [, text = '']) => {
        draft.file =
          text
            .replace(/ \([\d.]+ m?s\)$/, '')
            .split(' ')
            .at(-1) ?? null;
        draft.open = null;
      },
    ],
    [
      /^ {2}● (.+)$/,
      (draft, [, name = '']) => {
        draft.open = null;
        if (name !== 'Console') openTest(draft, name, draft.file);
      },
    ],
    ...FRAMES,
  ],
};

/** Mocha's default reporter. The numbered list after the counts has the failures. */
export const mocha: Dialect = {
  name: 'mocha',
  rules: [
    [/^ +(\d+) passing\b/, (draft, [, number], at) => addTests(draft, { passed: Number(number) }, at)],
    [/^ +(\d+) pending$/, (draft, [, number], at) => addTests(draft, { skipped: Number(number) }, at)],
    [/^ +(\d+) failing$/, (draft, [, number], at) => addTests(draft, { failed: Number(number) }, at)],
    [
      /^ {2}\d+\) (.+)$/,
      (draft, [, title = '']) => {
        if (!draft.tests) return;
        openTest(draft, title.replace(/:$/, ''));
        draft.memory.set('title', title.endsWith(':') ? 'whole' : 'open');
      },
    ],
    ...FRAMES,
    [/^ {7,}(.+)$/, (draft, [, part = '']) => takeMochaLine(draft, part)],
  ],
};

/** Deeper lines go on with the title until one ends it with a colon; the first line after that is the message. */
function takeMochaLine(draft: Draft, part: string): void {
  const { open, memory } = draft;
  if (!open) return;
  if (memory.get('title') !== 'open') {
    if (open.message === '') open.message = part.trim();
    return;
  }
  open.name += ` > ${part.trim().replace(/:$/, '')}`;
  if (part.endsWith(':')) memory.set('title', 'whole');
}

/** AVA's default reporter. The marks name what failed; the blocks behind the rule tell about each in turn. */
export const ava: Dialect = {
  name: 'ava',
  rules: [
    [
      /^ {2}(\d+) tests? (passed|failed|skipped|todo)$/,
      (draft, [line = ''], at) => addTests(draft, tally(line.replace(/ tests? /, ' '), WORDS), at),
    ],
    [
      /^ {2}(\d+) uncaught exceptions?$/,
      (draft, [, failed], at) => addTests(draft, { failed: Number(failed) }, at),
    ],
    [/^ {2}✔ /, ({ memory }) => void memory.set('✔', String(Number(memory.get('✔') ?? 0) + 1))],
    [/^ {2}✘ \[fail\]: (.+)$/, ({ memory }, [, mark = '']) => void memory.set(mark, mark)],
    [/^ {2}─+$/, ({ memory }) => void memory.set('', 'blocks')],
    [/^ {2}([^\s:]+):(\d+)$/, (draft, [, file = '', line = '']) => locate(draft, file, line)],
    [/^ +(?:\d+:|› )/, () => undefined],
    ...FRAMES,
    [/^ {2}(\S.*)$/, (draft, [, text = '']) => takeAvaLine(draft, text)],
  ],
  finish: ({ tests, memory }) => {
    // It counts what passed only where nothing failed.
    if (!tests || tests.failed === 0) return;
    tests.passed = Number(memory.get('✔') ?? 0);
    tests.total = tests.passed + tests.failed + tests.skipped;
  },
};

/** A mark is the test's name, some with the reason after it. */
function takeAvaLine(draft: Draft, text: string): void {
  const { memory, open } = draft;
  if (!memory.has('')) return;
  const mark = [...memory.keys()].find((key) => key === text || key.startsWith(`${text} `));
  if (mark !== undefined && mark !== '') {
    memory.delete(mark);
    openTest(draft, text);
  } else if (open?.message === '') open.message = text;
}
