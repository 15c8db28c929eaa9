import type { Usage } from '../../ports/agent.ts';

/**
 * The input of one worker process, as plain data in a file. The worker loads nothing else, so it starts fast. The
 * script's entry is chosen and its delays are converted before.
 */
export interface Part {
  readonly result_file: string;
  readonly line: string | null;
  readonly delay_ms: number;
  readonly edits: readonly { readonly path: string; readonly content: string | null }[];
  readonly runs: string | null;
  readonly leaves_process: string | null;
  readonly denied: readonly string[];
  readonly huge: number;
  readonly usage_steps: readonly { readonly delay_ms: number; readonly usage: Usage }[];
  readonly usage: Usage;
  readonly says:
    | { readonly kind: 'result'; readonly channel: 'stream' | 'file' | 'text'; readonly value: unknown }
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'nothing' };
  readonly ends:
    | { readonly kind: 'exit'; readonly code: number }
    | { readonly kind: 'hang' | 'crash' }
    /** Seconds from now, or a time. Null: the provider did not name one. */
    | { readonly kind: 'limited'; readonly until: number | string | null };
}
