import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJson } from '../../engine/parse-json.ts';
import type { AgentCall, Usage } from '../../ports/agent.ts';
import { NETWORK } from './command-line.ts';
import type { AgentKind } from './kind.ts';
import { errorLine } from './lines.ts';
import type { Closing, Reader, Spoken } from './program.ts';

/** One line of the stream of our own workers. A worker that ends by itself writes `closing` last. */
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

/** The reader of our own workers' streams. If a program left only an exit code, its last words give the reason. */
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
      const words = errorLine(stderr);
      return bare === null || words === '' ? [] : [{ ...bare, detail: `${bare.detail}: ${words}` }];
    },
  };
}

/** The part of a kind that is the same for every program that the person names. */
export const ANY_PROGRAM = {
  command: null,
  // An unknown program is not started to find out its version.
  version: [],
  env: NETWORK,
  // The folders of its program are in src/adapters/agents.ts.
  folders: () => [],
  models: {},
  signedIn: () => null,
  reader: createRecordReader,
} as const satisfies Partial<AgentKind>;

/** Starts a worker of ours. It reads its part from a file and the task from stdin. */
export async function workerLine(
  worker: readonly string[],
  call: AgentCall,
  part: unknown,
  env: Record<string, string>,
) {
  const file = path.join(call.dir, 'part.json');
  await writeFile(file, JSON.stringify(part));
  return { argv: [...worker, file], env, stdin: call.prompt };
}

/** Null for a line that is not a record, for example if the worker was killed while writing it. */
function parseRecord(line: string): StreamRecord | null {
  const record = parseJson(line) as StreamRecord | null | undefined;
  return record && TYPES.has(record.type) ? record : null;
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
