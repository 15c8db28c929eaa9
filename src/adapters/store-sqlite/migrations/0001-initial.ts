/**
 * The first schema. Large JSON texts stand last in a row, so that listings do not read them. Tables with wide rows
 * keep their rowid: rows are appended to the last page instead of splitting pages in the middle, and a row of some
 * kilobytes stays on one page. Narrow ones have only their key. What a transition writes stands in as few indexes as
 * possible (`ended` beside `status`, no index of open gates): it writes 8 pages on average, 12 before that.
 */
export const initial = `
create table meta (
  key text not null primary key,
  value text not null
) strict, without rowid;

create table runs (
  id text not null primary key,
  workflow text not null,
  version integer not null,
  parent text,
  parent_key text,
  created_at text not null,
  revision integer not null,
  seq integer not null,
  epoch integer not null,
  turn integer not null,
  status text not null check (status in ('working', 'waiting', 'sleeping', 'halted', 'ended')),
  phase text not null,
  subject text,
  title text not null,
  lang text not null,
  holder_host text,
  holder_pid integer,
  holder_start text,
  held_at text,
  ended integer not null default 0,
  wait_run text,
  wait_at text,
  gate text,
  updated_at text not null,
  counters text not null,
  trouble text,
  halt text,
  step text not null,
  policy text not null,
  state text not null
) strict;
create unique index runs_subject on runs (subject) where ended = 0 and subject is not null;
create index runs_live on runs (created_at) where ended = 0;
create index runs_waiting_for on runs (wait_run) where wait_run is not null;
create index runs_timed on runs (wait_at) where wait_at is not null;

create table events (
  run text not null references runs (id),
  seq integer not null check (seq > 0),
  type text not null,
  turn integer not null,
  at text not null,
  "by" text not null,
  data text not null,
  primary key (run, seq)
) strict;

create table records (
  run text not null references runs (id),
  seq integer not null,
  n integer not null,
  kind text not null,
  name text,
  at text not null,
  record text not null,
  primary key (run, seq, n)
) strict;

create table decisions (
  run text not null references runs (id),
  seq integer not null,
  n integer not null,
  name text not null,
  by_rule text,
  at text not null,
  data text not null,
  primary key (run, seq, n)
) strict, without rowid;

create table decision_links (
  run text not null,
  seq integer not null,
  n integer not null,
  kind text not null,
  to_run text not null,
  to_seq integer not null,
  to_n integer not null,
  primary key (run, seq, n, kind, to_run, to_seq, to_n),
  foreign key (run, seq, n) references decisions (run, seq, n),
  foreign key (to_run, to_seq, to_n) references decisions (run, seq, n)
) strict, without rowid;

create table effects (
  run text not null references runs (id),
  turn integer not null,
  n integer not null,
  kind text not null,
  role text,
  nth integer,
  started_at text,
  done_at text,
  attempts text not null,
  spec text not null,
  result text,
  primary key (run, turn, n)
) strict;

create table gates (
  id text not null primary key,
  run text not null references runs (id),
  turn integer not null,
  name text not null,
  class text not null,
  iteration integer not null,
  status text not null check (status in ('open', 'answered', 'withdrawn')),
  digest text not null,
  opened_at text not null,
  closed_at text,
  body text not null
) strict;

create table drafts (
  gate text not null primary key references gates (id),
  draft text not null
) strict, without rowid;

create table answers (
  gate text not null references gates (id),
  iteration integer not null,
  run text not null references runs (id),
  receipt text not null,
  option text not null,
  text text,
  digest text not null,
  at text not null,
  "by" text not null,
  fields text not null,
  primary key (run, gate, iteration)
) strict, without rowid;

create table inbox (
  n integer primary key,
  id text not null unique,
  run text not null references runs (id),
  at text not null,
  done integer not null default 0,
  signal text not null
) strict;
create index inbox_pending on inbox (run) where done = 0;

create table drives (
  run text not null references runs (id),
  n integer not null,
  id text not null,
  mode text not null,
  opened_by text not null,
  opened_at text not null,
  primary key (run, n)
) strict, without rowid;

create table beats (
  run text not null primary key references runs (id),
  at text not null
) strict, without rowid;

create table spend (
  run text not null references runs (id),
  effect text not null,
  attempt integer not null,
  money_usd real not null,
  money_unknown integer not null,
  tokens integer not null,
  seconds real not null,
  primary key (run, effect, attempt)
) strict, without rowid;

create table telemetry (
  n integer primary key,
  run text references runs (id),
  name text not null,
  at text not null,
  data text not null
) strict;
`;
