import type { InboxItem } from '../../ports/store.ts';
import type { Connection } from './connection.ts';

const INBOX = 'insert into inbox (id, run, at, signal) values (?, ?, ?, ?) on conflict (id) do nothing';

/** A signal is stored once, whoever tells it again. */
export function writeInbox(c: Connection, { id, run, at, signal }: InboxItem): void {
  c.run(INBOX, id, run, at, JSON.stringify(signal));
}
