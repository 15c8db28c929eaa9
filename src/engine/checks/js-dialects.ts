import {
  addTests,
  type Dialect,
  type Draft,
  type LineRule,
  locate,
  openTest,
  PASS_ON,
  tally,
} from './dialect.ts';
import { endTest, openTitle, type TestEnd } from './test-names.ts';

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

/** A stack frame in JavaScript, with or without a function name. */
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
    // Below this line the failed tests are listed again.
    [/^✖ failing tests:$/, ({ memory }) => void memory.set('again', 'yes')],
    [
      /^( *)([✔✖﹣⚠]) (.+) \([\d.]+ms\)(?: # (.*))?$/u,
      (draft, [, indent = '', sign = '', name = '', remark]) => {
        if (draft.open?.name === '') draft.open.name = name;
        if (draft.memory.has('again')) return;
        const end = sign === '﹣' || remark ? 'skipped' : sign === '✖' ? 'failed' : 'passed';
        endTest(draft.list, indent.length, name, end);
      },
    ],
    [
      /^( *)▶ (.+)$/,
      ({ memory, list }, [, indent = '', name = '']) => {
        if (!memory.has('again')) openTitle(list, indent.length, name.replace(/ \([\d.]+ms\)$/, ''));
      },
    ],
  ],
};

/** The Test Anything Protocol, with Node's extra lines. */
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
    [
      /^( *)# Subtest: (.+)$/,
      ({ list }, [, indent = '', name = '']) => openTitle(list, indent.length, name.trim()),
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
    // A multi-line text starts below its key. The lines there match no rule.
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
  endTest(draft.list, indent.length, name, failed ? 'failed' : excused ? 'skipped' : 'passed');
  if (indent !== '' || draft.memory.has('summary')) return;
  const { seen } = draft;
  addTests(draft, failed ? { failed: 1 } : excused ? { skipped: 1 } : { passed: 1 }, at);
  draft.seen = seen;
}

const SIGNS: Readonly<Record<string, TestEnd>> = {
  '✓': 'passed',
  '✔': 'passed',
  '×': 'failed',
  '✕': 'failed',
  '✗': 'failed',
  '↓': 'skipped',
  '□': 'skipped',
  '○': 'skipped',
  '✎': 'skipped',
  '-': 'skipped',
};

/** Vitest. A failed suite is an item too, because its tests never ran. Only the reporter `verbose` names every test. */
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
    [
      /^ +([✓×✗↓□]) (?:\|[^|]*\| )?([^\s>]+ > .+?)(?: \d+ ?m?s)?(?: \[[^[\]]*\])?$/u,
      ({ list }, [, sign = '', name = '']) => endTest(list, 0, name, SIGNS[sign] ?? 'passed'),
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
        openTitle(draft.list, 0, draft.file ?? '');
      },
    ],
    [
      /^( {2,})([✓✕○✎]) (?:skipped |todo )?(.+?)(?: \([\d.]+ m?s\))?$/u,
      (draft, [, indent = '', sign = '', name = '']) => {
        if (draft.open) return PASS_ON;
        return endTest(draft.list, indent.length, name, SIGNS[sign] ?? 'passed');
      },
    ],
    [
      /^( {2,})([^\s●].*)$/u,
      (draft, [, indent = '', title = '']) => {
        if (draft.open || !draft.file) return PASS_ON;
        return openTitle(draft.list, indent.length, title);
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
      /^( {2,})(✔|✓|-|\d+\)) (.+?)(?: \(\d+ms\))?$/u,
      (draft, [, indent = '', sign = '', name = '']) => {
        if (draft.tests) return PASS_ON;
        return endTest(draft.list, indent.length, name, SIGNS[sign] ?? 'failed');
      },
    ],
    [
      /^( {2,})(\S.*)$/,
      (draft, [, indent = '', title = '']) => {
        if (draft.tests) return PASS_ON;
        return openTitle(draft.list, indent.length, title);
      },
    ],
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

/** Deeper lines continue the title until one ends with a colon. The next line is the message. */
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

/**
 * AVA's default reporter. The `✘` lines name the failures. The blocks below the line of dashes describe each in turn.
 */
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
    [
      /^ {2}✔ (.+?)(?: \([\d.]+m?s\))?$/,
      ({ memory, list }, [, name = '']) => {
        memory.set('✔', String(Number(memory.get('✔') ?? 0) + 1));
        endTest(list, 0, name, 'passed');
      },
    ],
    [/^ {2}- \[(?:skip|todo)\] (.+)$/, ({ list }, [, name = '']) => endTest(list, 0, name, 'skipped')],
    [
      /^ {2}✘ \[fail\]: (.+)$/,
      ({ memory, list }, [, symbol = '']) => {
        memory.set(symbol, symbol);
        endTest(list, 0, symbol, 'failed');
      },
    ],
    [/^ {2}─+$/, ({ memory }) => void memory.set('', 'blocks')],
    [/^ {2}([^\s:]+):(\d+)$/, (draft, [, file = '', line = '']) => locate(draft, file, line)],
    [/^ +(?:\d+:|› )/, () => undefined],
    ...FRAMES,
    [/^ {2}(\S.*)$/, (draft, [, text = '']) => takeAvaLine(draft, text)],
  ],
  finish: ({ tests, memory }) => {
    // AVA prints the number of passed tests only if no test failed.
    if (!tests || tests.failed === 0) return;
    tests.passed = Number(memory.get('✔') ?? 0);
    tests.total = tests.passed + tests.failed + tests.skipped;
  },
};

/** A stored `✘` line is the test's name, sometimes with the reason after it. */
function takeAvaLine(draft: Draft, text: string): void {
  const { memory, open } = draft;
  if (!memory.has('')) return;
  const symbol = [...memory.keys()].find((key) => key === text || key.startsWith(`${text} `));
  if (symbol !== undefined && symbol !== '') {
    memory.delete(symbol);
    openTest(draft, text);
  } else if (open?.message === '') open.message = text;
}
