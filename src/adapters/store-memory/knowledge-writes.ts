import type { StoredRecord } from '../../contract/change.ts';
import type { Instant, RunId } from '../../contract/ids.ts';
import type { KnowledgeEntry, KnowledgeStatus, StoredKnowledge } from '../../contract/knowledge.ts';
import { InvariantError } from '../../engine/errors.ts';
import { drafter, freeTitle, mayBecome, successorEntry, supersededItem } from '../../engine/knowledge.ts';
import type { Superseded } from '../../ports/knowledge.ts';
import type { Store } from '../../ports/store.ts';
import { copy, type Tables, transaction, type Writer, writeInbox } from './tables.ts';

type KnowledgeWrites = Pick<Store, 'recordKnowledge' | 'supersede' | 'linkKnowledge' | 'changeSetting'>;

export function createKnowledgeWrites(t: Tables, wrote: <T>(result: T) => T): KnowledgeWrites {
  return {
    recordKnowledge: async (entry, by, at) => {
      const taken = withTitle(t, entry.title, '');
      if (taken) return { kind: 'title_taken', by: taken };
      const stored = transaction((writer) => insert(t, { ...entry, id: nextId(t) }, { by, at }, writer));
      return wrote({ kind: 'recorded', entry: copy(stored) });
    },
    supersede: async (ask) => wrote(transaction((writer) => supersede(t, ask, writer))),
    linkKnowledge: async (id, ticket) => wrote(transaction((writer) => link(t, id, ticket, writer))),
    changeSetting: async (change) => {
      const from = t.settings.get(change.name) ?? null;
      if (from === change.to) return null;
      return transaction((writer) => {
        writer.set(t.settings, change.name, change.to);
        writer.append(t.settingChanges, change.name, { ...change, from });
        return wrote({ ...change, from });
      });
    },
  };
}

/** What a move says of the ledger. The rules are those of the SQLite store; one suite holds both to them. */
export function writeKnowledge(t: Tables, stored: StoredRecord, by: string, writer: Writer): void {
  const { run, at, record } = stored;
  if (record.kind === 'knowledge') writeEntry(t, record.entry, { by, at }, writer);
  if (record.kind === 'knowledge_status') writeStatus(t, record, { run, at }, writer);
  if (record.kind === 'knowledge_link' && !link(t, record.id, run, writer))
    throw new InvariantError(`${run} rests on ${record.id}, which does not exist`);
}

interface Told {
  readonly by: string;
  readonly at: Instant;
}

function writeEntry(t: Tables, entry: KnowledgeEntry, told: Told, writer: Writer): void {
  const title = freeTitle(entry, (wanted) => withTitle(t, wanted, entry.id) !== undefined);
  const found = t.decisions.get(entry.id);
  if (!found) insert(t, { ...entry, title }, told, writer);
  else if (found.status === 'Accepted')
    throw new InvariantError(`${entry.id} is ${found.status} and cannot be drafted anew`);
  else if (found.status === 'Asserted')
    writer.set(t.decisions, entry.id, { ...found, ...entry, title, updated_at: told.at });
}

function writeStatus(
  t: Tables,
  { id, status }: { id: string; status: KnowledgeStatus },
  { run, at }: { run: RunId; at: Instant },
  writer: Writer,
): void {
  const entry = t.decisions.get(id);
  if (!entry) throw new InvariantError(`${run} makes ${id} ${status}, which does not exist`);
  if (!mayBecome(entry.status, status)) return;
  writer.set(t.decisions, id, { ...entry, status, updated_at: at });
  if (status !== 'Superseded') return;
  for (const ticket of liveTickets(t, id, run)) writeInbox(t, supersededItem(entry, ticket, at), writer);
}

function supersede(t: Tables, ask: Parameters<Store['supersede']>[0], writer: Writer): Superseded {
  const { id, successor, by, at } = ask;
  const found = t.decisions.get(id);
  if (!found) return { kind: 'unknown' };
  if (found.status === 'Superseded') return { kind: 'superseded_before', by: found.superseded_by };
  const taken = successor ? withTitle(t, successor.title, '') : undefined;
  if (taken) return { kind: 'title_taken', by: taken };
  const next = successor ? insert(t, successorEntry(nextId(t), successor), { by, at }, writer) : null;
  if (next) for (const ticket of t.links.get(id) ?? []) link(t, next.id, ticket, writer);
  const entry: StoredKnowledge = {
    ...found,
    status: 'Superseded',
    superseded_by: next?.id ?? null,
    updated_at: at,
  };
  writer.set(t.decisions, id, entry);
  const told = liveTickets(t, id, null, drafter(found));
  for (const ticket of told) writeInbox(t, supersededItem(entry, ticket, at), writer);
  return copy({ kind: 'superseded', entry, successor: next, told });
}

function liveTickets(t: Tables, id: string, except: RunId | null, by: string | null = null): RunId[] {
  const linked = t.links.get(id) ?? [];
  return [...t.runs.values()].flatMap((run) =>
    (linked.includes(run.id) || run.id === by) && run.status !== 'ended' && run.id !== except ? [run.id] : [],
  );
}

function link(t: Tables, id: string, ticket: RunId, writer: Writer): boolean {
  if (!t.decisions.has(id) || !t.runs.has(ticket)) return false;
  if (!t.links.get(id)?.includes(ticket)) writer.append(t.links, id, ticket);
  return true;
}

function insert(t: Tables, entry: KnowledgeEntry, { by, at }: Told, writer: Writer): StoredKnowledge {
  const stored = { ...entry, superseded_by: null, recorded_by: by, recorded_at: at, updated_at: at };
  writer.set(t.decisions, entry.id, stored);
  return stored;
}

function withTitle(t: Tables, title: string, except: string): string | undefined {
  return [...t.decisions.values()].find((entry) => entry.title === title && entry.id !== except)?.id;
}

function nextId(t: Tables): string {
  const numbers = [...t.decisions.keys()].flatMap((id) => /^D-(\d+)$/.exec(id)?.[1] ?? []);
  return `D-${Math.max(0, ...numbers.map(Number)) + 1}`;
}
