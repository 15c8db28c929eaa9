import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface PromptIo {
  readonly input: Readable;
  readonly output: Writable;
  /** Escape codes work: arrows, editing and redrawing are possible. */
  readonly capable: boolean;
}

/** `stopped`: Ctrl-C, Ctrl-D, a closed terminal or the signal. `text` is the input typed until then. */
export type LineResult =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'stopped'; readonly text: string; readonly by: 'person' | 'signal' };

export interface LineOptions {
  readonly prompt: string;
  readonly initial?: string | undefined;
  readonly signal: AbortSignal;
  /** Called for every named key, after the line editor has processed it. */
  readonly onKey?: (name: string, editor: Interface) => void;
  /**
   * Called with the text on the line when it has changed, at most
   * twice a second. A killed process loses no more than that.
   */
  readonly onTyping?: ((text: string) => void) | undefined;
}

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
const TYPING_MS = 500;
/** Shows a line break while a text of several lines is edited in one line. */
const BREAK = '↵';

/**
 * Reads one answer with Node's own line editor, so that the real cursor, wide characters
 * and input methods work. Only a typed Enter finishes: line breaks of a pasted text stay in
 * it. Typed text is never lost: `stopped` returns it too, even if the terminal is gone.
 * Without line editing, an empty line means the initial text, and a typed line replaces it.
 */
export function promptLine(io: PromptIo, options: LineOptions): Promise<LineResult> {
  const { input, output, capable } = io;
  const { signal } = options;
  const initial = options.initial ?? '';
  if (signal.aborted) return Promise.resolve({ kind: 'stopped', text: initial, by: 'signal' });
  outliveErrors(input);
  if (isGone(input)) return Promise.resolve({ kind: 'stopped', text: initial, by: 'person' });
  const editor = createInterface({ input, output, terminal: capable, historySize: 0, escapeCodeTimeout: 50 });
  const paste = followPaste(editor);

  return new Promise((resolve) => {
    const finish = (result: LineResult) => {
      // Removes only our own listeners: the editor's own `close` listener detaches it from the input.
      for (const name of ['line', 'SIGINT'] as const) editor.removeAllListeners(name);
      clearInterval(typing);
      editor.off('close', onClose);
      input.off('close', onClose);
      input.off('keypress', onKeypress);
      signal.removeEventListener('abort', onAbort);
      editor.close();
      // Writing to a closed terminal fails, and the failure would come before the text is stored.
      const gone = result.kind === 'stopped' && isGone(input);
      if (capable && !gone) output.write(PASTE_OFF);
      if (result.kind === 'stopped' && !gone) output.write('\n');
      resolve(result);
    };
    const typed = () => paste.whole(editor.line) || (capable ? '' : initial);
    const stop = (by: 'person' | 'signal') => finish({ kind: 'stopped', text: typed(), by });
    const typing = watchTyping(typed, options);
    const onAbort = () => stop('signal');
    const onClose = () => stop('person');
    const onKeypress = (_char: string | undefined, key: { readonly name?: string } | undefined) => {
      if (!key?.name) return;
      paste.key(key.name);
      options.onKey?.(key.name, editor);
    };
    editor.on('line', (line) => {
      if (paste.took(line)) return;
      const text = paste.whole(line) || (capable ? '' : initial);
      // If the input has ended, the text on the line was not sent with Enter.
      finish(isGone(input) ? { kind: 'stopped', text, by: 'person' } : { kind: 'line', text });
    });
    editor.on('SIGINT', () => stop('person'));
    editor.on('close', onClose);
    // This listener stays after the end: a closed terminal reports more than one failure.
    editor.on('error', onClose);
    input.on('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
    input.on('keypress', onKeypress);
    if (capable) output.write(PASTE_ON);
    editor.setPrompt(options.prompt);
    editor.prompt();
    if (capable && initial !== '') editor.write(initial.replaceAll('\n', BREAK));
  });
}

const OUTLIVED = new WeakSet<Readable>();

/** If a terminal closes between two prompts, the next prompt notices it. Until then the error must not be fatal. */
export function outliveErrors(input: Readable): void {
  if (OUTLIVED.has(input)) return;
  OUTLIVED.add(input);
  input.on('error', () => undefined);
}

function isGone(input: Readable): boolean {
  return input.readableEnded || input.destroyed || input.errored !== null;
}

/** Polls the line and reports it only if it has changed. */
function watchTyping(typed: () => string, options: LineOptions): NodeJS.Timeout | undefined {
  const { onTyping } = options;
  if (!onTyping) return undefined;
  let last = (options.initial ?? '').trim();
  return setInterval(() => {
    const now = typed();
    if (now === last) return;
    last = now;
    onTyping(now);
  }, TYPING_MS);
}

/** Collects the lines of a paste and, when it ends, puts them back as one editable line. */
function followPaste(editor: Interface) {
  let pasting = false;
  let lines: string[] = [];
  return {
    key(name: string): void {
      if (name === 'paste-start') pasting = true;
      if (name !== 'paste-end') return;
      pasting = false;
      if (lines.length === 0) return;
      const text = [...lines, editor.line].join(BREAK);
      lines = [];
      editor.write(null, { ctrl: true, name: 'e' });
      editor.write(null, { ctrl: true, name: 'u' });
      editor.prompt();
      editor.write(text);
    },
    took(line: string): boolean {
      if (pasting) lines.push(line);
      return pasting;
    },
    whole: (last: string): string => [...lines, last].join('\n').replaceAll(BREAK, '\n').trim(),
  };
}
