import { visibleJson, visibleProse } from '../../engine/visible-text.ts';
import type { CliDeps } from './deps.ts';
import { cut, wrap } from './width.ts';

/** Each colour has a meaning and is never the only sign: yellow waits for you, red failed, green is proven. */
export type Tone = 'waits' | 'failed' | 'proven' | 'strong' | 'faint';

const CODES: Readonly<Record<Tone, readonly [number, number]>> = {
  waits: [33, 39],
  failed: [31, 39],
  proven: [32, 39],
  strong: [1, 22],
  faint: [2, 22],
};

/** The codes that `paint` writes. No other escape code of a text reaches the terminal. */
const PAINTED = new RegExp(`(\u001b\\[(?:${[...new Set(Object.values(CODES).flat())].join('|')})m)`);

/**
 * The only output of the command line. With `json`, only JSON lines reach standard output. Control characters and
 * invisible characters are shown by their code, wherever the text came from.
 */
export interface Screen {
  readonly columns: number;
  readonly json: boolean;
  /** Escape codes work here: prompts and live lines may be drawn. */
  readonly terminal: boolean;
  paint(tone: Tone, text: string): string;
  /** Prints one line without wrapping. Prints nothing with `json`. */
  line(text?: string): void;
  /**
   * Prints a document without wrapping: through `visible` on a
   * terminal, otherwise byte for byte for a file or a program.
   */
  document(text: string, visible: (text: string) => string): void;
  /** Prints text wrapped to the width. Further lines are indented by `hang`. */
  text(text: string, hang?: string): void;
  /** Replaces the live line while work continues. Null removes it. Does nothing if escape codes do not work. */
  live(text: string | null): void;
  /** Prints an error on standard error: the thing first, then the allowed values and the fix. */
  error(lines: readonly string[]): void;
  printJson(value: unknown): void;
}

export interface ScreenFlags {
  readonly json: boolean;
  readonly color: boolean;
}

/** The widest screen used: long lines are hard to read, and every screen is made for 80 columns. */
const WIDEST = 110;

export function createScreen(deps: CliDeps, flags: ScreenFlags): Screen {
  const { stdout, stderr, env } = deps;
  const terminal = stdout.isTTY && env.TERM !== 'dumb';
  const colour = terminal && flags.color && !env.NO_COLOR;
  const columns = () => Math.max(20, Math.min(stdout.columns || 80, WIDEST));
  let shown: string | null = null;

  const visible = (text: string) =>
    colour
      ? text
          .split(PAINTED)
          .map((part, i) => (i % 2 === 0 ? visibleProse(part) : part))
          .join('')
      : visibleProse(text);
  const erase = () => (shown === null ? '' : '\r\u001b[2K');
  const put = (text: string) => {
    if (flags.json) return;
    stdout.write(`${erase()}${text}\n${shown ?? ''}`);
  };
  return {
    get columns() {
      return columns();
    },
    json: flags.json,
    terminal: terminal && !flags.json,
    paint: (tone, text) => (colour ? `\u001b[${CODES[tone][0]}m${text}\u001b[${CODES[tone][1]}m` : text),
    line: (text = '') => put(visible(text)),
    document: (text, show) => put(stdout.isTTY ? show(text) : text),
    text: (text, hang = '') => put(wrap(visible(text), columns(), hang).join('\n')),
    live(text) {
      if (!terminal || flags.json) return;
      const next = text === null ? null : cut(visible(text), columns() - 1);
      if (next === shown) return;
      stdout.write(`${erase()}${next ?? ''}`);
      shown = next;
    },
    error(lines) {
      if (shown !== null) stdout.write(erase());
      shown = null;
      stderr.write(`${lines.flatMap((line) => wrap(visible(line), columns(), '  ')).join('\n')}\n`);
    },
    printJson: (value) => stdout.write(`${visibleJson(JSON.stringify(value))}\n`),
  };
}
