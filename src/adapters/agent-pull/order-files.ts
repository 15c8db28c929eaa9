import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Instant } from '../../contract/ids.ts';
import type { HandIn } from '../../contract/order.ts';
import { orElse } from '../../engine/system-error.ts';
import { createWhole } from '../../files/whole-file.ts';
import type { AgentCall } from '../../ports/agent.ts';
import type { WorkOrder } from '../../ports/orders.ts';

/**
 * What happened to an order, one file each: `1.json`, `2.json`, ... Each file is created whole, and only if its number
 * is free. So a process that decides on what it read is either the first or reads again. `handed_in` and `withdrawn`
 * are last.
 */
export type Entry =
  | {
      readonly type: 'leased';
      readonly worker: string;
      readonly token_hash: string;
      readonly until: Instant;
    }
  | { readonly type: 'given_back' }
  | { readonly type: 'handed_in'; readonly given: HandIn }
  | { readonly type: 'withdrawn' };

interface StoredOrder extends WorkOrder {
  readonly key: string;
  readonly created_at: Instant;
}

export interface Found {
  readonly order: StoredOrder;
  readonly entries: readonly Entry[];
}

/** The folder of an open order. Its name is the key of the call, with `_` in place of `/`. */
export function folderOf(orders: string, key: string): string {
  return path.join(orders, key.replaceAll('/', '_'));
}

/** Reads an order; null if it is not in this folder. */
export async function readOrder(folder: string): Promise<Found | null> {
  const order = await readJson<StoredOrder>(path.join(folder, 'order.json'));
  if (order === null) return null;
  const entries: Entry[] = [];
  for (;;) {
    const entry = await readJson<Entry>(entryFile(folder, entries.length + 1));
    if (entry === null) return { order, entries };
    entries.push(entry);
  }
}

export function isOver({ entries }: Found): boolean {
  const last = entries.at(-1)?.type;
  return last === 'handed_in' || last === 'withdrawn';
}

/** Decides on the current state of an order and stores the decision. Null if there is no order or no decision. */
export async function decide(folder: string, next: (found: Found) => Entry | null): Promise<Entry | null> {
  for (;;) {
    const found = await readOrder(folder);
    const entry = found && next(found);
    if (!found || !entry) return null;
    if (await append(folder, found.entries.length + 1, entry)) return entry;
  }
}

/** Publishes an order, completely or not at all. */
export async function putOut(folder: string, call: AgentCall, now: Instant): Promise<void> {
  const { key, role, attempt, prompt, cwd, profile, schema } = call;
  const [run = '', turn] = key.split('/');
  const deadline = new Date(Date.parse(now) + call.deadline_ms).toISOString();
  const order: StoredOrder = {
    ...{ key, created_at: now, run, turn: Number(turn), role, attempt },
    ...{ prompt, cwd, profile, schema, deadline },
  };
  const made = path.join(call.dir, 'order.new');
  await Promise.all([made, call.result_file].map((stale) => rm(stale, { recursive: true, force: true })));
  await mkdir(made, { recursive: true, mode: 0o700 });
  await mkdir(path.dirname(folder), { recursive: true, mode: 0o700 });
  await writeFile(path.join(made, 'order.json'), JSON.stringify(order), { mode: 0o600 });
  await rename(made, folder);
}

/** Moves an order to the other files of its attempt. Safe to call twice. */
export async function takeIn(folder: string, call: AgentCall): Promise<void> {
  if (!existsSync(folder)) return;
  await mkdir(call.dir, { recursive: true, mode: 0o700 });
  await rm(storedIn(call), { recursive: true, force: true });
  await rename(folder, storedIn(call));
}

/** The folder of an attempt's order after the order is over. */
export function storedIn(call: AgentCall): string {
  return path.join(call.dir, 'order');
}

function entryFile(folder: string, n: number): string {
  return path.join(folder, `${n}.json`);
}

/**
 * False if another entry has that number, or the order was moved to its attempt meanwhile. The content is on disk when
 * this returns: a worker does not repeat a hand-in that was accepted. The folder may be moved as soon as the entry exists.
 */
async function append(folder: string, n: number, entry: Entry): Promise<boolean> {
  const part = path.join(folder, `${randomUUID()}.new`);
  const whole = { part, mode: 0o600, synced: 'content' } as const;
  const created = createWhole(entryFile(folder, n), JSON.stringify(entry), whole);
  return await created.catch(orElse(false, 'ENOENT'));
}

async function readJson<T>(file: string): Promise<T | null> {
  const text = await readFile(file, 'utf8').catch(orElse(null, 'ENOENT'));
  return text === null ? null : (JSON.parse(text) as T);
}
