import type { StoredRecord } from '../../contract/change.ts';
import type { Instant, RunId } from '../../contract/ids.ts';
import type { KnowledgeEntry, KnowledgeStatus, StoredKnowledge } from '../../contract/knowledge.ts';
import { InvariantError } from '../../engine/errors.ts';
import { drafter, freeTitle, mayBecome, successorEntry, supersededItem } from '../../engine/knowledge.ts';
import type { Recorded, Superseded } from '../../ports/knowledge.ts';
import type { Store } from '../../ports/store.ts';
import type { Connection } from './connection.ts';
import { readEntry, readSetting } from './rows.ts';
import { writeInbox } from './write-inbox.ts';

export type KnowledgeWrites = Pick<
  Store,
  'recordKnowledge' | 'supersede' | 'linkKnowledge' | 'changeSetting'
>;

const INSERT = `insert into decisions (id, type, status, title, body, domains, source_type, source_activity,
  source_task_id, review_by, recorded_by, recorded_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const REDRAFT = `update decisions set type = ?, status = ?, title = ?, body = ?, domains = ?, source_type = ?,
  source_activity = ?, source_task_id = ?, review_by = ?, updated_at = ? where id = ? and status = 'Asserted'`;
const STATUS =
  'update decisions set status = ?, superseded_by = coalesce(?, superseded_by), updated_at = ? where id = ?';
const LINK = `insert into decision_links (decision, ticket, linked_by, at)
  select d.key, r.id, ?, ? from decisions d, runs r where d.id = ? and r.id = ? on conflict do nothing`;
const LINKED = `select 1 from decision_links l join decisions d on d.key = l.decision where d.id = ? and l.ticket = ?`;
const TAKE_LINKS = `insert into decision_links (decision, ticket, linked_by, at)
  select new.key, l.ticket, ?, ? from decision_links l join decisions old on old.key = l.decision, decisions new
  where old.id = ? and new.id = ?`;
const LIVE = `select r.id from runs r where r.ended = 0 and (r.id = ? or r.id in (
  select l.ticket from decision_links l join decisions d on d.key = l.decision where d.id = ?)) order by r.key`;
const WITH_TITLE = 'select id from decisions where title = ? and id <> ?';
/** Ids of ticket entries contain a dot. */
const LAST = `select coalesce(max(cast(substr(id, 3) as integer)), 0) as n from decisions
  where id glob 'D-*' and instr(id, '.') = 0`;
const SET = `insert into settings (name, value, changed_at) values (?, ?, ?)
  on conflict (name) do update set value = excluded.value, changed_at = excluded.changed_at`;
const CHANGE = 'insert into setting_changes (name, "from", "to", who, surface, at) values (?, ?, ?, ?, ?, ?)';

/** Writes by people to the ledger and the settings, each in one transaction. */
export function createKnowledgeWrites(
  c: Connection,
  write: <T>(run: string | null, work: () => T) => Promise<T>,
): KnowledgeWrites {
  return {
    recordKnowledge: (entry, by, at) => write(null, () => recordNew(c, entry, by, at)),
    supersede: (ask) => write(null, () => supersede(c, ask)),
    linkKnowledge: (id, ticket, by, at) => write(null, () => link(c, { id, ticket, by, at })),
    changeSetting: (change) =>
      write(null, () => {
        const { name, to, who, surface, at } = change;
        const from = readSetting(c, name);
        if (from === to) return null;
        c.run(SET, name, to, at);
        c.run(CHANGE, name, from, to, who, surface, at);
        return { name, from, to, who, surface, at };
      }),
  };
}

/** Writes the ledger records of a move, in the transaction of that move. `by` made the move. */
export function writeKnowledge(c: Connection, { run, at, record }: StoredRecord, by: string): void {
  if (record.kind === 'knowledge') writeEntry(c, record.entry, by, at);
  if (record.kind === 'knowledge_status') writeStatus(c, record, run, at);
  if (record.kind === 'knowledge_link' && !link(c, { id: record.id, ticket: run, by, at }))
    throw new InvariantError(`${run} rests on ${record.id}, which does not exist`);
}

function writeEntry(c: Connection, entry: KnowledgeEntry, by: string, at: Instant): void {
  const title = freeTitle(entry, (wanted) => c.one(WITH_TITLE, wanted, entry.id) !== undefined);
  if (c.run(REDRAFT, ...values({ ...entry, title }), at, entry.id) === 1) return;
  const found = readEntry(c, entry.id);
  // The draft was superseded meanwhile. It stays superseded, and the ticket is notified.
  if (found && found.status !== 'Accepted') return;
  if (found) throw new InvariantError(`${entry.id} is ${found.status} and cannot be drafted anew`);
  insert(c, { ...entry, title }, by, at);
}

/** Notifies the other tickets that depend on a superseded entry. The ticket that makes this move knows already. */
function writeStatus(
  c: Connection,
  { id, status }: { id: string; status: KnowledgeStatus },
  run: RunId,
  at: Instant,
): void {
  const entry = readEntry(c, id);
  if (!entry) throw new InvariantError(`${run} makes ${id} ${status}, which does not exist`);
  if (!mayBecome(entry.status, status)) return;
  c.run(STATUS, status, null, at, id);
  if (status === 'Superseded') tell(c, entry, at, { except: run });
}

function recordNew(c: Connection, entry: Omit<KnowledgeEntry, 'id'>, by: string, at: Instant): Recorded {
  const taken = c.one<{ id: string }>(WITH_TITLE, entry.title, '');
  if (taken) return { kind: 'title_taken', by: taken.id };
  const id = nextId(c);
  insert(c, { ...entry, id }, by, at);
  return { kind: 'recorded', entry: stored(c, id) };
}

function supersede(c: Connection, ask: Parameters<Store['supersede']>[0]): Superseded {
  const { id, successor, by, at } = ask;
  const found = readEntry(c, id);
  if (!found) return { kind: 'unknown' };
  if (found.status === 'Superseded') return { kind: 'superseded_before', by: found.superseded_by };
  const taken = successor ? c.one<{ id: string }>(WITH_TITLE, successor.title, '') : undefined;
  if (taken) return { kind: 'title_taken', by: taken.id };
  const next = successor ? successorEntry(nextId(c), successor) : null;
  if (next) {
    insert(c, next, by, at);
    c.run(TAKE_LINKS, by, at, id, next.id);
  }
  c.run(STATUS, 'Superseded', next?.id ?? null, at, id);
  const entry = stored(c, id);
  const told = tell(c, entry, at, { drafted_by: drafter(found) });
  return { kind: 'superseded', entry, successor: next ? stored(c, next.id) : null, told };
}

/** Writes a fact to the inbox of every live ticket that depends on the entry or drafted it. */
function tell(
  c: Connection,
  entry: StoredKnowledge,
  at: Instant,
  { except = null, drafted_by = null }: { except?: RunId | null; drafted_by?: string | null },
): RunId[] {
  const tickets = c.all<{ id: RunId }>(LIVE, drafted_by, entry.id).filter(({ id }) => id !== except);
  for (const { id } of tickets) writeInbox(c, supersededItem(entry, id, at));
  return tickets.map(({ id }) => id);
}

function link(c: Connection, asked: { id: string; ticket: RunId; by: string; at: Instant }): boolean {
  const { id, ticket, by, at } = asked;
  return c.run(LINK, by, at, id, ticket) === 1 || c.one(LINKED, id, ticket) !== undefined;
}

function insert(c: Connection, entry: KnowledgeEntry, by: string, at: Instant): void {
  c.run(INSERT, entry.id, ...values(entry), by, at, at);
}

/** In the order of `INSERT` and `REDRAFT`. */
function values(entry: KnowledgeEntry) {
  const { type, status, title, body, domains, source_type, source_activity, source_task_id, review_by } =
    entry;
  const text = [type, status, title, body, JSON.stringify(domains)] as const;
  return [...text, source_type, source_activity, source_task_id, review_by] as const;
}

function nextId(c: Connection): string {
  return `D-${(c.one<{ n: number }>(LAST)?.n ?? 0) + 1}`;
}

function stored(c: Connection, id: string): StoredKnowledge {
  const entry = readEntry(c, id);
  if (!entry) throw new InvariantError(`${id} was not stored`);
  return entry;
}
