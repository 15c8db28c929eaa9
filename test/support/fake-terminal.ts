import { PassThrough, Writable } from 'node:stream';
import type { Person } from '../../src/contract/answer.ts';
import type { Rejection } from '../../src/engine/rejection.ts';
import type { Api } from '../../src/runtime/api.ts';
import type { CliDeps, Refusal } from '../../src/surfaces/cli/deps.ts';
import { runCli } from '../../src/surfaces/cli/run-cli.ts';
import { TICKET_OPERATIONS } from '../../src/workflows/conduct/operations.ts';
import { translator, wordsFor } from './texts.ts';

export interface TerminalOptions {
  readonly tty?: boolean;
  readonly columns?: number;
  readonly api?: Api | Refusal;
  readonly person?: Person | Rejection;
  readonly refused?: Rejection;
  /** Whether the person was shown the gate before; true unless said. */
  readonly seen?: boolean;
  readonly env?: CliDeps['env'];
  readonly files?: Readonly<Record<string, string>>;
  readonly more?: Partial<CliDeps>;
}

/** A terminal made of streams: what is typed goes in, everything written can be waited for. */
export interface FakeTerminal {
  readonly deps: CliDeps;
  readonly out: () => string;
  readonly err: () => string;
  /** How often the store was asked for, and whether it might have been created. */
  readonly opened: { create: boolean }[];
  readonly written: string[];
  type(text: string): void;
  /** Ctrl-C as a signal, as it comes while no prompt is open. */
  interrupt(): void;
  /** Resolves when the text has been written since the last `until`. */
  until(text: string): Promise<void>;
  run(...argv: string[]): Promise<number>;
}

const ADA: Person = { person: 'Ada', surface: 'cli', proof: 'terminal' };

export function createTerminal(options: TerminalOptions = {}): FakeTerminal {
  const { tty = false, columns = 80 } = options;
  const input = Object.assign(new PassThrough(), { isTTY: tty, setRawMode: () => input });
  const waiting = new Set<() => void>();
  const opened: { create: boolean }[] = [];
  const written: string[] = [];
  const handlers = new Set<() => void>();
  let shown = '';
  let errors = '';
  let seen = 0;
  const show = (text: string) => {
    shown += text;
    for (const check of waiting) check();
  };
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      show(chunk);
      done();
    },
  });
  const output = Object.assign(sink, { isTTY: tty, columns });
  const deps: CliDeps = {
    version: '9.8.7',
    folder: '/somewhere/photos',
    env: { USER: 'ada', ...options.env },
    user: 'ada-of-the-system',
    stdin: { isTTY: tty, stream: () => input },
    stdout: { isTTY: tty, columns, write: show, stream: () => output },
    stderr: {
      write: (text) => {
        errors += text;
      },
    },
    now: () => Date.parse('2026-11-15T13:00:00.000Z'),
    openApi: async (asked) => {
      opened.push({ create: asked.create });
      const api = options.api ?? { refusal: 'no_store' };
      return 'refusal' in api
        ? api
        : { ...api.as(asked.caller), close: api.close, translator: api.translator };
    },
    refuseWorker: async () => options.refused ?? null,
    person: async (about) => {
      await about;
      return options.person ?? ADA;
    },
    codes: async () => null,
    seen: {
      has: async () => options.seen ?? true,
      add: async () => undefined,
      forget: async () => undefined,
    },
    warnings: async () => [],
    writePersonConfig: async () => ({ result: 'exists', path: '~/.config/baton/config.yaml' }),
    words: async () => wordsFor,
    translator: async (lang) => translator(lang),
    personConfig: async () => '~/.config/baton/config.yaml',
    operations: async () => Object.keys(TICKET_OPERATIONS),
    agents: async () => [],
    validateScript: async (text) =>
      text.startsWith('script: 1')
        ? { ok: true, script_text: text }
        : { ok: false, errors: ['line 1: no script'] },
    fromRoot: async (path) => path,
    readFile: async (path) => options.files?.[path] ?? null,
    writeConfig: async (text) => {
      written.push(text);
      return { ok: written.length === 1, path: 'baton.yaml' };
    },
    onInterrupt: (handler) => {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    storeTrace: async () => '/state/trace.txt',
    repair: async () => null,
    traces: async () => null,
    ...options.more,
  };
  return {
    deps,
    opened,
    written,
    out: () => shown,
    err: () => errors,
    type: (text) => void input.write(text),
    interrupt: () => {
      for (const handler of handlers) handler();
    },
    until: (text) =>
      new Promise((resolve) => {
        const check = () => {
          const at = shown.indexOf(text, seen);
          if (at < 0) return;
          seen = at + text.length;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    run: (...argv) => runCli(argv, deps),
  };
}
