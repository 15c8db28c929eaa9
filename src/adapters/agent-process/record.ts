import type { Usage } from '../../ports/agent.ts';
import type { Closing, Reader, Spoken } from './program.ts';

/** One line of the stream of a worker of our own. `closing` is the last thing one that ended by itself writes. */
export type StreamRecord =
  | { readonly type: 'progress'; readonly line: string }
  | { readonly type: 'denied'; readonly what: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'result'; readonly value: unknown }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'closing'; readonly exit: number }
  | Closing;

const TYPES = new Set(['progress', 'denied', 'text', 'result', 'usage', 'session', 'closing']);

/** The reader of our own workers' streams. */
export const recordReader: Reader = {
  read: (line) => {
    const record = parseRecord(line);
    return record === null ? [] : [toSpoken(record)];
  },
};

/** Null for a line that is no record: a worker was killed in the middle of one. */
function parseRecord(line: string): StreamRecord | null {
  try {
    const record = JSON.parse(line) as StreamRecord | null;
    return record !== null && TYPES.has(record.type) ? record : null;
  } catch {
    return null;
  }
}

function toSpoken(record: StreamRecord): Spoken {
  if (record.type !== 'closing' || !('exit' in record)) return record;
  const { exit } = record;
  return {
    type: 'closing',
    outcome: exit === 0 ? 'finished' : 'failed',
    detail: exit === 0 ? '' : `exit ${exit}`,
  };
}
