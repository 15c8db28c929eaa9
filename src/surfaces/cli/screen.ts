import type { CliDeps } from './deps.ts';
import { cut, wrap } from './width.ts';

/** Colour means something and never stands alone: yellow waits for you, red failed, green is proven. */
export type Tone = 'waits' | 'failed' | 'proven' | 'strong' | 'faint';

const CODES: Readonly<Record<Tone, readonly [number, number]>> = {
  waits: [33, 39],
  failed: [31, 39],
  proven: [32, 39],
  strong: [1, 22],
  faint: [2, 22],
};

/** The one way the command line writes. With `json` only `json` lines reach standard output. */
export interface Screen {
  readonly columns: number;
  readonly json: boolean;
  /** Escape codes work here: prompts and live lines may be drawn. */
  readonly terminal: boolean;
  paint(tone: Tone, text: string): string;
  /** One line as it is, or nothing when `json`. */
  line(text?: string): void;
  /** Text wrapped to the width; further lines hang under `hang`. */
  text(text: string, hang?: string): void;
  /** The line that is replaced while work goes on; null takes it away. Nothing where escape codes do not work. */
  live(text: string | null): void;
  /** What went wrong, on standard error: the thing first, then what is allowed and the fix. */
  error(lines: readonly string[]): void;
  printJson(value: unknown): void;
}

export interface ScreenFlags {
  readonly json: boolean;
  readonly color: boolean;
}

/** Never wider than this: long lines are hard to read, and every screen is made for 80 columns. */
const WIDEST = 110;

export function createScreen(deps: CliDeps, flags: ScreenFlags): Screen {
  const { stdout, stderr, env } = deps;
  const terminal = stdout.isTTY && env.TERM !== 'dumb';
  const colour = terminal && flags.color && !env.NO_COLOR;
  const columns = () => Math.max(20, Math.min(stdout.columns || 80, WIDEST));
  let shown: string | null = null;

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
    line: (text = '') => put(text),
    text: (text, hang = '') => put(wrap(text, columns(), hang).join('\n')),
    live(text) {
      if (!terminal || flags.json) return;
      const next = text === null ? null : cut(text, columns() - 1);
      if (next === shown) return;
      stdout.write(`${erase()}${next ?? ''}`);
      shown = next;
    },
    error(lines) {
      if (shown !== null) stdout.write(erase());
      shown = null;
      stderr.write(`${lines.flatMap((line) => wrap(line, columns(), '  ')).join('\n')}\n`);
    },
    printJson: (value) => stdout.write(`${JSON.stringify(value)}\n`),
  };
}
