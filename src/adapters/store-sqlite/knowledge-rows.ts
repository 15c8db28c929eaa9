import type { StoredKnowledge } from '../../contract/knowledge.ts';
import type { Connection } from './connection.ts';

export type EntryRow = Omit<StoredKnowledge, 'domains'> & { readonly domains: string };

export const ENTRY = `select d.id, d.type, d.status, d.title, d.body, d.domains, d.source_type, d.source_activity,
  d.source_task_id, d.review_by, d.superseded_by, d.recorded_by, d.recorded_at, d.updated_at from decisions d`;

export function readEntry(c: Connection, id: string): StoredKnowledge | undefined {
  const row = c.one<EntryRow>(`${ENTRY} where d.id = ?`, id);
  return row && toEntry(row);
}

export function toEntry(row: EntryRow): StoredKnowledge {
  return { ...row, domains: JSON.parse(row.domains) };
}

export function readSetting(c: Connection, name: string): string | null {
  return c.one<{ value: string }>('select value from settings where name = ?', name)?.value ?? null;
}
