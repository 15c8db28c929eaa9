import { addProblem, type Dialect, type Draft, type DraftItem, type LineRule } from './dialect.ts';

const levelOf = (word: string): DraftItem['level'] => (/error/i.test(word) ? 'error' : 'warning');

function count(draft: Draft, errors: string | undefined, warnings: string | undefined, at: number): void {
  draft.seen = at;
  draft.problems ??= { errors: 0, warnings: 0 };
  draft.problems.errors += Number(errors ?? 0);
  draft.problems.warnings += Number(warnings ?? 0);
}

/**
 * A line that is a complete problem and identifies the tool. Groups: file, line, level, rule, text. A rule may be
 * empty.
 */
function oneLine(pattern: RegExp, level: (word: string) => DraftItem['level'] = levelOf): LineRule {
  return [
    pattern,
    (draft, [, file = '', line = '', word = '', rule = '', text = ''], at) => {
      draft.seen = at;
      addProblem(draft, level(word), { file: file === '' ? null : file, line }, `${rule} ${text}`.trim());
    },
  ];
}

/** ESLint's default formatter: one line with the file, then one line per problem. */
export const eslint: Dialect = {
  name: 'eslint',
  rules: [
    [/^✖ \d+ problems? \((\d+) errors?, (\d+) warnings?\)/, (draft, [, e, w], at) => count(draft, e, w, at)],
    [/^(\/?[^\s:][^:]*\.[A-Za-z0-9]+)$/, (draft, [, file = '']) => void Object.assign(draft, { file })],
    [
      /^ +(\d+):\d+ +(error|warning) +(.+)$/,
      (draft, [, line = '', level = '', rest = '']) => {
        addProblem(draft, levelOf(level), { file: draft.file, line }, ruleFirst(rest));
      },
    ],
  ],
};

/** A problem's text and, after a gap, its rule. Returns the rule first, as this project names problems. */
function ruleFirst(rest: string): string {
  const gap = rest.lastIndexOf('  ');
  return gap === -1 ? rest : `${rest.slice(gap).trim()} ${rest.slice(0, gap).trim()}`;
}

/**
 * ESLint's pretty formatter, which XO uses: the file with the location of its first problem, then one line per problem.
 */
export const eslintPretty: Dialect = {
  name: 'xo',
  rules: [
    [/^ {2}([^\s:][^:]*):\d+:\d+$/, (draft, [, file = '']) => void Object.assign(draft, { file })],
    [
      /^ {2}([✖⚠]) +(\d+):\d+ +(.+)$/,
      (draft, [, symbol = '', line = '', rest = ''], at) => {
        draft.seen = at;
        addProblem(draft, symbol === '✖' ? 'error' : 'warning', { file: draft.file, line }, ruleFirst(rest));
      },
    ],
  ],
};

/** Biome: a heading with location and rule, then the message after a symbol. */
export const biome: Dialect = {
  name: 'biome',
  rules: [
    [
      /^Found (\d+) (error|warning)s?\.$/,
      (draft, [, number, word], at) => {
        // Other tools print the same line. Biome prints `Checked ...` before it.
        if (draft.problems)
          count(draft, word === 'error' ? number : '0', word === 'error' ? '0' : number, at);
      },
    ],
    [/^Checked \d+ files? in /, (draft, _, at) => count(draft, '0', '0', at)],
    [
      /^([^\s:]+)(?::(\d+):\d+)? ([a-z]\w*(?:\/[\w/]+)?)(?: +[A-Z]+)* +━+$/,
      ({ memory }, [, file = '', line = '', rule = '']) => {
        memory.set('file', file).set('line', line).set('rule', rule);
      },
    ],
    [
      /^ {2}([×✖!⚠]) (.+)$/,
      (draft, [, symbol = '', text = '']) => {
        const { memory } = draft;
        const [file, line = '', rule = ''] = [memory.get('file'), memory.get('line'), memory.get('rule')];
        if (file === undefined) return;
        memory.clear();
        const level = symbol === '×' || symbol === '✖' ? 'error' : 'warning';
        addProblem(draft, level, { file, line }, `${rule} ${text}`);
      },
    ],
  ],
};

/** Ruff: the code is after the location, or before it in the formats with a source excerpt. */
export const ruff: Dialect = {
  name: 'ruff',
  rules: [
    oneLine(/^([^\s:]+):(\d+):\d+:( )([A-Z]+\d+) (?:\[\*\] )?(.+)$/, () => 'error'),
    [
      /^([A-Z]+\d+|invalid-syntax:) (?:\[\*\] )?(.+)$/,
      (draft, [, rule = '', text = '']) => void draft.memory.set('problem', `${rule} ${text}`),
    ],
    [/^ *--> ([^\s:]+):(\d+):\d+/, (draft, match, at) => takeLocation(draft, match, at)],
    [/^All checks passed!$/, (draft, _, at) => count(draft, '0', '0', at)],
  ],
};

/** rustc and clippy: the message, then an arrow to the location. A message without an arrow is only a summary. */
export const rustc: Dialect = {
  name: 'rustc',
  rules: [
    [
      /^(error|warning)(?:\[(\w+)\])?: (.+)$/,
      (draft, [, level = '', code = '', text = '']) => {
        draft.memory.set('level', level);
        draft.memory.set('problem', `${code} ${text}`.trim());
      },
    ],
    [/^ *--> ([^\s:]+):(\d+):\d+/, (draft, match, at) => takeLocation(draft, match, at)],
  ],
};

function takeLocation(draft: Draft, match: readonly string[], at: number): void {
  const [, file = '', line = ''] = match;
  const problem = draft.memory.get('problem');
  if (problem === undefined) return;
  draft.seen = at;
  addProblem(draft, levelOf(draft.memory.get('level') ?? 'error'), { file, line }, problem);
  draft.memory.delete('problem');
}

/** Pylint: the letters E and F are errors. */
export const pylint: Dialect = {
  name: 'pylint',
  rules: [
    oneLine(/^([^\s:]+):(\d+):\d+: (?=([CRWEFI]))([CRWEFI]\d{4}): (.+)$/, (letter) =>
      letter === 'E' || letter === 'F' ? 'error' : 'warning',
    ),
    [/^Your code has been rated at /, (draft, _, at) => count(draft, '0', '0', at)],
  ],
  finish: (draft) => {
    // The summary has a rating, not a count.
    if (draft.items.length > 0) draft.problems = null;
  },
};

/** golangci-lint: every line ends with the linter's name. */
export const golangci: Dialect = {
  name: 'golangci-lint',
  rules: [
    [/^(\d+) issues[.:]$/, (draft, [, errors], at) => count(draft, errors, '0', at)],
    oneLine(/^([^\s:]+\.go):(\d+):(?:\d+:)?( )()(.+ \([a-z][\w-]*\))$/, () => 'error'),
  ],
};

/** The TypeScript compiler, with and without `--pretty`. */
export const tsc: Dialect = {
  name: 'tsc',
  rules: [
    oneLine(/^(\S.*)\((\d+),\d+\): (error|warning) (TS\d+): (.+)$/),
    oneLine(/^([^\s:]+):(\d+):\d+ - (error|warning) (TS\d+): (.+)$/),
    oneLine(/^()()(error) (TS\d+): (.+)$/),
  ],
};

/** C# and other compilers under MSBuild, which prints every problem twice. */
export const msbuild: Dialect = {
  name: 'msbuild',
  rules: [
    oneLine(/^\s*(\S.*)\((\d+),\d+\): (error|warning) ((?!TS)[A-Z]+\d+): (.+?)(?: \[[^[\]]+\])?$/),
    [/^ +(\d+) Warning\(s\)$/, (draft, [, warnings], at) => count(draft, '0', warnings, at)],
    [/^ +(\d+) Error\(s\)$/, (draft, [, errors], at) => count(draft, errors, '0', at)],
  ],
};

/** mypy. Only its summary identifies it, because other compilers print similar problem lines. */
export const mypy: Dialect = {
  name: 'mypy',
  rules: [
    [/^Found (\d+) errors? in \d+ files? \(/, (draft, [, errors], at) => count(draft, errors, '0', at)],
    [/^Success: no issues found in \d+ source/, (draft, _, at) => count(draft, '0', '0', at)],
    [
      /^([^\s:]+):(\d+):(?:\d+:)? (error|warning): (.+)$/,
      (draft, [, file = '', line = '', level = '', text = '']) =>
        addProblem(draft, levelOf(level), { file, line }, text),
    ],
  ],
};

export const pyright: Dialect = {
  name: 'pyright',
  rules: [
    [/^(\d+) errors?, (\d+) warnings?, \d+ informations?/, (draft, [, e, w], at) => count(draft, e, w, at)],
    [
      /^ +([^\s:]+):(\d+):\d+ - (error|warning): (.+)$/,
      (draft, [, file = '', line = '', level = '', text = '']) =>
        addProblem(draft, levelOf(level), { file, line }, text),
    ],
  ],
};

/** javac under Maven and Gradle, and kotlinc. */
export const javac: Dialect = {
  name: 'javac',
  rules: [
    oneLine(/^(\/?[^\s:]+\.(?:java|kt|groovy|scala)):(\d+): (error|warning):( )(.+)$/),
    [
      /^\[(ERROR|WARNING)\] ([^\s:[\]]+):\[(\d+),\d+\] (.+)$/,
      (draft, [, level = '', file = '', line = '', text = ''], at) => {
        draft.seen = at;
        addProblem(draft, levelOf(level), { file, line }, text);
      },
    ],
    [
      /^([ew]): (?:file:\/\/)?([^\s:]+):(\d+):\d+:? (.+)$/,
      (draft, [, level = '', file = '', line = '', text = ''], at) => {
        draft.seen = at;
        addProblem(draft, level === 'e' ? 'error' : 'warning', { file, line }, text);
      },
    ],
  ],
};
