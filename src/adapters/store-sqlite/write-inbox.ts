import type { InboxItem } from '../../ports/store.ts';
import type { Connection } from './connection.ts';

const INBOX = 'insert into inbox (id, run, at, signal) values (?, ?, ?, ?) on conflict (id) do nothing';

/** Stores a signal once. A repeat changes nothing. */
export function writeInbox(c: Connection, { id, run, at, signal }: InboxItem): void {
  c.run(INBOX, id, run, at, JSON.stringify(signal));
}
