import { DatabaseSync } from 'node:sqlite';
import { type Contender, NODES, PAYLOAD } from './job.ts';

const SCHEMA = `
pragma journal_mode = wal; pragma synchronous = full;
create table runs (id text primary key, state text not null, pos integer not null, rev integer not null,
  data text not null, at integer not null);
create table events (run text not null, seq integer not null, type text not null, data text not null,
  at integer not null, primary key (run, seq)) without rowid;
create index runs_state on runs (state);`;

/**
 * The least a program can do for the same job: one row and one event per transition, ten commits at full sync, no
 * leases, no checks, no effects on record. The ceiling, not a product.
 */
export function openBare(file: string): Contender {
  const db = new DatabaseSync(file, { timeout: 5000 });
  db.exec(SCHEMA);
  const insert = db.prepare('insert into runs values (?, ?, 0, 0, ?, ?)');
  const update = db.prepare(
    'update runs set state = ?, pos = ?, rev = rev + 1, data = ?, at = ? where id = ? and rev = ?',
  );
  const event = db.prepare('insert into events values (?, ?, ?, ?, ?)');
  const load = db.prepare('select pos, rev from runs where id = ?');
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');

  const create = (id: string) => {
    const now = Date.now();
    begin.run();
    insert.run(id, 'running', '{}', now);
    event.run(id, 0, 'run_created', '{}', now);
    commit.run();
  };
  const move = (id: string, rev: number, to: { pos: number; type: string; data: unknown }) => {
    const now = Date.now();
    const node = NODES[to.pos];
    const state = node === undefined ? 'ended' : node.startsWith('g') ? 'waiting' : 'running';
    const data = JSON.stringify(to.data);
    begin.run();
    if (update.run(state, to.pos, data, now, id, rev).changes !== 1) throw new Error('stale');
    event.run(id, rev + 1, to.type, data, now);
    commit.run();
  };
  const drive = (id: string) => {
    let { pos, rev } = load.get(id) as { pos: number; rev: number };
    for (let node = NODES[pos]; node?.startsWith('s'); node = NODES[pos]) {
      pos += 1;
      move(id, rev, { pos, type: 'step_settled', data: { step: node, out: PAYLOAD } });
      rev += 1;
    }
  };
  const answer = (id: string, gate: string) => {
    const { pos, rev } = load.get(id) as { pos: number; rev: number };
    if (NODES[pos] !== gate) throw new Error(`${id} is not at ${gate}`);
    move(id, rev, { pos: pos + 1, type: 'gate_answered', data: { gate, option: 'go' } });
    drive(id);
  };
  return {
    one: async (id) => {
      create(id);
      drive(id);
      answer(id, 'g1');
      answer(id, 'g2');
    },
    close: async () => db.close(),
  };
}
