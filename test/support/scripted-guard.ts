import type { Caller } from '../../src/engine/operation.ts';
import { isRejection, type Rejection } from '../../src/engine/rejection.ts';
import type { Api } from '../../src/runtime/api.ts';
import { permit } from '../../src/runtime/operations/permit.ts';
import { ROWS, type Row } from '../../src/runtime/operations/rows.ts';

/** Decisions about a run. Other commands only need a caller that is not a worker. */
export const NEEDS_PERSON = new Set(['reopen', 'restart', 'abandon', 'wipe']);

/** The name that is recorded for the caller. */
export async function nameOf(caller: Caller, proven: boolean): Promise<string> {
  const person = proven ? await caller.person(null) : null;
  return person && !isRejection(person) ? person.person : caller.name;
}

type Operation = (input: never) => Promise<unknown>;

/** The table's own rule about callers, before operations that play a script. */
export function guarded<T extends object>(
  operations: T,
  caller: Caller,
  calls: unknown[][],
): T & Pick<Api, 'may'> {
  const check = async (name: string, input: unknown): Promise<Rejection | null> => {
    const row = ROWS[name as keyof typeof ROWS] as Row<unknown, unknown> | undefined;
    if (!row) return null;
    const { needs } = row;
    const decides = name === 'command' && NEEDS_PERSON.has((input as { command: string }).command);
    const level = name === 'command' ? (decides ? 'person' : 'not_a_worker') : needs;
    const needed = typeof level === 'function' ? await level(input, {} as never) : level;
    const subject = (await row.subject?.(input, {} as never)) ?? {};
    const store = { load: async () => undefined, list: async () => [], records: async () => [] };
    const allowed = await permit({ store } as never, caller, { needs: needed, subject, command: name });
    if (!isRejection(allowed)) return null;
    if (allowed.message.args?.call_id) calls.push(['noteWorker', name, subject]);
    return allowed;
  };
  const entries = Object.entries(operations).map(([name, run]) => [
    name,
    async (input: never) => (name in ROWS && (await check(name, input))) || (run as Operation)(input),
  ]);
  const may: Api['may'] = async (name, input) => (await check(name, input)) ?? { ok: true };
  const plain = { ...operations, ...Object.fromEntries(entries.filter(([name]) => String(name) in ROWS)) };
  return { ...plain, may };
}
