/**
 * What one worker process is told to play, as plain data in a file: the worker loads nothing else, so it starts fast.
 * Whatever the score says has been chosen and measured before.
 */
export interface Part {
  readonly key: string;
  readonly result_file: string;
  readonly line: string | null;
  readonly delay_ms: number;
  readonly edits: readonly { readonly path: string; readonly content: string | null }[];
  readonly runs: string | null;
  readonly leaves_process: string | null;
  readonly denied: readonly string[];
  readonly huge: number;
  readonly usage: { readonly money_usd: number | null; readonly tokens: number | null };
  readonly says:
    | { readonly kind: 'result'; readonly channel: 'stream' | 'file' | 'text'; readonly value: unknown }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'nothing' };
  readonly ends: { readonly kind: 'exit'; readonly code: number } | { readonly kind: 'hang' | 'crash' };
}

/** One line of the worker's stream. `closing` is the last thing a worker that ended by itself writes. */
export type StreamRecord =
  | { readonly type: 'progress'; readonly line: string }
  | { readonly type: 'denied'; readonly what: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'result'; readonly value: unknown }
  | { readonly type: 'usage'; readonly usage: Part['usage'] }
  | { readonly type: 'closing'; readonly key: string; readonly exit: number };
