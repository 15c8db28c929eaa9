import type { Usage } from '../../ports/agent.ts';
import type { Closing, Reader, Spoken } from './program.ts';
import { tellingLine } from './short-line.ts';

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

/** The reader of our own workers' streams. Of a program that only left an exit code the last words tell why. */
export function createRecordReader(): Reader {
  let bare: Closing | null = null;
  return {
    read: (line) => {
      const record = parseRecord(line);
      if (record === null) return [];
      const spoken = toSpoken(record);
      if (spoken.type === 'closing' && /\bexit (code )?\d/.test(spoken.detail)) bare = spoken;
      return [spoken];
    },
    afterwards: (stderr) => {
      const words = tellingLine(stderr);
      return bare === null || words === '' ? [] : [{ ...bare, detail: `${bare.detail}: ${words}` }];
    },
  };
}

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
