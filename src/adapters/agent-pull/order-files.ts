import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Instant } from '../../contract/ids.ts';
import type { HandIn } from '../../contract/order.ts';
import type { AgentCall } from '../../ports/agent.ts';
import type { WorkOrder } from '../../ports/orders.ts';

/**
 * What happened to an order, one file each: `1.json`, `2.json`, ... Each is made whole and only if no other has its
 * number, so whoever decides on what it read either comes first or reads again. `handed_in` and `withdrawn` are last.
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

/** The folder of an order that is out; its name is the key of the call. */
export function folderOf(orders: string, key: string): string {
  return path.join(orders, key.replaceAll('/', '_'));
}

/** Null when there is no such order here. */
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

/** Decides on an order as it stands and writes that down; null where there is no order or nothing is to be done. */
export async function decide(folder: string, next: (found: Found) => Entry | null): Promise<Entry | null> {
  for (;;) {
    const found = await readOrder(folder);
    const entry = found && next(found);
    if (!found || !entry) return null;
    if (await append(folder, found.entries.length + 1, entry)) return entry;
  }
}

/** Puts an order out, whole. */
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

/** Takes an order in: from here on it stands with the other files of its attempt. Safe to call twice. */
export async function takeIn(folder: string, call: AgentCall): Promise<void> {
  if (!existsSync(folder)) return;
  await mkdir(call.dir, { recursive: true, mode: 0o700 });
  await rm(keptIn(call), { recursive: true, force: true });
  await rename(folder, keptIn(call));
}

/** Where the order of an attempt stands once it is over. */
export function keptIn(call: AgentCall): string {
  return path.join(call.dir, 'order');
}

function entryFile(folder: string, n: number): string {
  return path.join(folder, `${n}.json`);
}

/** False when another entry has that number, or the order was taken in meanwhile. */
async function append(folder: string, n: number, entry: Entry): Promise<boolean> {
  const passing = path.join(folder, `${randomUUID()}.new`);
  try {
    await writeSynced(passing, JSON.stringify(entry));
    await link(passing, entryFile(folder, n));
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST') || isCode(error, 'ENOENT')) return false;
    throw error;
  } finally {
    await rm(passing, { force: true });
  }
}

/** A worker that was told "taken" does not come back: its result is on the disk first. */
async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readJson<T>(file: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
