import type { Answer } from '../../contract/answer.ts';
import type { RunEvent } from '../../contract/event.ts';
import type { Draft, Gate } from '../../contract/gate.ts';
import type { EffectId, GateId, Instant, RunId } from '../../contract/ids.ts';
import type { StoredKnowledge } from '../../contract/knowledge.ts';
import type { Run } from '../../contract/run.ts';
import type { SettingChange } from '../../contract/setting.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Drive, Effect, InboxItem, SpendTotal, StoredRecord } from '../../ports/store.ts';

type StoredItem = InboxItem & { readonly done: boolean };
type Telemetry = {
  readonly run: RunId | null;
  readonly name: string;
  readonly data: unknown;
  readonly at: Instant;
};

/** Rows by key. Rows are values: one is replaced, never changed, so that undoing is putting the old one back. */
export interface Tables {
  readonly runs: Map<RunId, Run>;
  readonly events: Map<RunId, readonly RunEvent[]>;
  readonly records: Map<RunId, readonly StoredRecord[]>;
  readonly effects: Map<EffectId, Effect>;
  readonly gates: Map<GateId, Gate>;
  readonly drafts: Map<GateId, Draft>;
  /** Key: gate and iteration. */
  readonly answers: Map<string, Answer>;
  readonly inbox: Map<string, StoredItem>;
  readonly drives: Map<RunId, readonly Drive[]>;
  readonly beats: Map<RunId, Instant>;
  /** Key: effect and attempt. */
  readonly spend: Map<string, Omit<SpendTotal, 'attempts'> & { readonly run: RunId }>;
  readonly telemetry: Map<number, Telemetry>;
  readonly decisions: Map<string, StoredKnowledge>;
  /** Tickets that rest on a decision. */
  readonly links: Map<string, readonly RunId[]>;
  readonly settings: Map<string, string>;
  readonly settingChanges: Map<string, readonly SettingChange[]>;
  /** Writes so far, by all stores on these tables. */
  writes: number;
}

/** What several memory stores share, as several processes share one file. */
export function createTables(): Tables {
  return {
    runs: new Map(),
    events: new Map(),
    records: new Map(),
    effects: new Map(),
    gates: new Map(),
    drafts: new Map(),
    answers: new Map(),
    inbox: new Map(),
    drives: new Map(),
    beats: new Map(),
    spend: new Map(),
    telemetry: new Map(),
    decisions: new Map(),
    links: new Map(),
    settings: new Map(),
    settingChanges: new Map(),
    writes: 0,
  };
}

/** Writes that can be taken back until they are kept. */
export interface Writer {
  set<K, V>(table: Map<K, V>, key: K, value: V): void;
  remove<K, V>(table: Map<K, V>, key: K): void;
  append<K, V>(table: Map<K, readonly V[]>, key: K, value: V): void;
}

/** All of `work` or nothing: it throws, or answers what `keep` refuses, and every write of it is taken back. */
export function transaction<T>(work: (writer: Writer) => T, keep: (result: T) => boolean = () => true): T {
  const undo: (() => void)[] = [];
  const replace = <K, V>(table: Map<K, V>, key: K, change: () => void): void => {
    const before = table.get(key);
    undo.push(before === undefined ? () => table.delete(key) : () => table.set(key, before));
    change();
  };
  const writer: Writer = {
    set: (table, key, value) => replace(table, key, () => table.set(key, copy(value))),
    remove: (table, key) => replace(table, key, () => table.delete(key)),
    append: (table, key, value) =>
      replace(table, key, () => table.set(key, [...(table.get(key) ?? []), copy(value)])),
  };
  let kept = false;
  try {
    const result = work(writer);
    kept = keep(result);
    return result;
  } finally {
    if (!kept) for (const step of undo.reverse()) step();
  }
}

/** What is stored is what JSON keeps of a value; nobody holds a reference into a table. */
export function copy<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

/** A signal is stored once, whoever tells it again. */
export function writeInbox(tables: Tables, item: InboxItem, writer: Writer): void {
  if (!tables.runs.has(item.run))
    throw new InvariantError(`${item.id} is for ${item.run}, which does not exist`);
  if (!tables.inbox.has(item.id)) writer.set(tables.inbox, item.id, { ...item, done: false });
}
