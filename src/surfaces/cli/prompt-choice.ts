import { clearScreenDown, cursorTo, type Interface, moveCursor } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Choice, type Chosen, type Leanings, parseTyped } from './parse-choice.ts';
import { outliveErrors, type PromptIo, promptLine } from './prompt-line.ts';

export interface ChoiceOptions {
  readonly choices: readonly Choice[];
  /** The key of the option that bare text selects here. */
  readonly bareText: string | null;
  /** The options that a casual yes or no probably means. */
  readonly meant: Leanings;
  /** The index of the choice that is marked first. */
  readonly start: number;
  /** Draws the list with the n-th choice marked. Every line fits the terminal. */
  readonly draw: (selected: number | null) => readonly string[];
  /** The text that explains why the input did not answer. */
  readonly refuse: (typed: string, near: string | null) => string;
  /** Called from time to time with the text on the line, while it changes. */
  readonly onTyping?: (text: string) => void;
  readonly signal: AbortSignal;
}

export type ChoiceResult =
  | Exclude<Chosen, { kind: 'refused' }>
  /** `text` is the text that was on the line. */
  | { readonly kind: 'stopped'; readonly by: 'person' | 'signal'; readonly text: string };

/**
 * Arrows mark a choice, and Enter on an empty line takes the marked one. Typed text answers only in its exact forms, so
 * a typo followed by Enter never answers. Keys pressed before the list was on the screen do not count. Without escape
 * codes no choice is marked, and an empty line does not answer.
 */
export async function promptChoice(io: PromptIo, options: ChoiceOptions): Promise<ChoiceResult> {
  if (io.capable && (await dropTypeAhead(io.input)) === 'interrupted') {
    return { kind: 'stopped', by: 'person', text: '' };
  }
  let selected = options.start;
  for (;;) {
    const lines = options.draw(io.capable ? selected : null);
    io.output.write(`${lines.join('\n')}\n`);
    const result = await promptLine(io, {
      prompt: '› ',
      signal: options.signal,
      onTyping: options.onTyping,
      onKey: (name, editor) => {
        const step = STEPS[name];
        if (!io.capable || step === undefined || editor.line !== '') return;
        selected = (selected + step + options.choices.length) % options.choices.length;
        redraw(io, editor, options.draw(selected));
      },
    });
    if (result.kind === 'stopped') return result;
    const chosen = take(result.text, io.capable ? selected : null, options);
    if (chosen.kind !== 'refused') return chosen;
    io.output.write(`${options.refuse(result.text, chosen.near)}\n`);
  }
}

const STEPS: Readonly<Record<string, number>> = { up: -1, down: 1 };

function take(typed: string, selected: number | null, options: ChoiceOptions): Chosen {
  const under = selected === null ? undefined : options.choices[selected];
  if (typed === '' && under) return { kind: 'choice', key: under.key };
  return parseTyped(typed, options.choices, options.bareText, options.meant);
}

/** Called only while the line is empty, because then the cursor is exactly one row below the list. */
function redraw({ output }: PromptIo, editor: Interface, lines: readonly string[]): void {
  moveCursor(output, 0, -lines.length);
  cursorTo(output, 0);
  clearScreenDown(output);
  output.write(`${lines.join('\n')}\n`);
  editor.prompt();
}

const QUIET_MS = 30;

/** A decision must be about what is on the screen, so input that the terminal buffered before is discarded. */
export function dropTypeAhead(input: Readable): Promise<'dropped' | 'interrupted'> {
  const raw = (input as Readable & { setRawMode?: (on: boolean) => void }).setRawMode?.bind(input);
  return new Promise((resolve) => {
    let timer = setTimeout(() => done('dropped'), QUIET_MS);
    const done = (result: 'dropped' | 'interrupted') => {
      clearTimeout(timer);
      input.off('data', onData);
      input.pause();
      raw?.(false);
      resolve(result);
    };
    const onData = (chunk: Buffer | string) => {
      if (chunk.includes('\u0003')) return done('interrupted');
      clearTimeout(timer);
      timer = setTimeout(() => done('dropped'), QUIET_MS);
    };
    outliveErrors(input);
    raw?.(true);
    input.on('data', onData);
    input.resume();
  });
}
