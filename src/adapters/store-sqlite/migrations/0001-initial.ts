/**
 * The whole schema. It is laid out so that a transition writes few pages:
 * - Large JSON texts are the last columns of a row, so that listings do not read them.
 * - Tables with wide rows keep their rowid: new rows go to the last page and do not split pages in the middle. Narrow
 *   tables have only their key.
 * - Few columns are indexed (`ended` beside `status`, no index of open gates).
 * - Attempts, events, drives and gates name their run by its number. A gate is found by that number times 2^24 plus its
 *   position in the run, without an index.
 * - A row of `events` contains all events of one commit, under the number of the last.
 * - `runs.effects` contains the effects of the current step. Earlier ones are in the log, failed attempts in
 *   `attempts`.
 * - `runs` also counts the cost of settled turns. `spend` contains only attempts that may still be reported again.
 * - The full text of decisions is an index of their table, updated by triggers.
 */
export const initial = `
create table runs (
  key integer primary key,
  id text not null unique,
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
  gate text,
  updated_at text not null,
  money_usd real not null default 0,
  money_unknown integer not null default 0,
  tokens integer not null default 0,
  seconds real not null default 0,
  attempts integer not null default 0,
  counters text not null,
  trouble text,
  halt text,
  step text not null,
  policy text not null,
  effects text,
  state text not null
) strict;
create unique index runs_subject on runs (subject) where ended = 0 and subject is not null;
create index runs_live on runs (created_at) where ended = 0;
create index runs_waiting_for on runs (wait_run) where wait_run is not null;

create table attempts (
  run integer not null references runs (key),
  turn integer not null,
  n integer not null,
  attempt integer not null,
  data text not null,
  primary key (run, turn, n, attempt)
) strict, without rowid;

create table events (
  n integer primary key,
  run integer not null,
  seq integer not null check (seq > 0),
  type text not null,
  turn integer not null,
  at text not null,
  "by" text not null,
  data text not null
) strict;
create unique index events_log on events (run, seq);

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

create table gates (
  key integer primary key,
  id text not null,
  run text not null,
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
  gate integer primary key references gates (key),
  draft text not null
) strict;

create table answers (
  gate integer not null references gates (key),
  iteration integer not null,
  receipt text not null,
  option text not null,
  text text,
  digest text not null,
  at text not null,
  "by" text not null,
  fields text not null,
  primary key (gate, iteration)
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
  run integer not null references runs (key),
  n integer not null,
  id text not null,
  mode text not null,
  denied text,
  one_shot integer not null default 0,
  opened_by text not null,
  opened_at text not null,
  until text,
  closed_at text,
  primary key (run, n)
) strict, without rowid;

create table heartbeats (
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

create table decisions (
  key integer primary key,
  id text not null unique,
  type text not null,
  status text not null check (status in ('Asserted', 'Accepted', 'Superseded', 'Archived')),
  title text not null unique,
  domains text not null,
  source_type text not null,
  source_activity text,
  source_task_id text,
  review_by text,
  superseded_by text references decisions (id),
  recorded_by text not null,
  recorded_at text not null,
  updated_at text not null,
  body text not null
) strict;
create index decisions_replaced on decisions (superseded_by) where superseded_by is not null;

create table decision_links (
  decision integer not null references decisions (key),
  ticket text not null references runs (id),
  linked_by text not null,
  at text not null,
  primary key (decision, ticket)
) strict, without rowid;
create index decision_links_of on decision_links (ticket);

create virtual table decisions_text using fts5 (title, body, content = 'decisions', content_rowid = 'key',
  tokenize = 'unicode61 remove_diacritics 2');
create trigger decisions_added after insert on decisions begin
  insert into decisions_text (rowid, title, body) values (new.key, new.title, new.body);
end;
create trigger decisions_changed after update of title, body on decisions begin
  insert into decisions_text (decisions_text, rowid, title, body) values ('delete', old.key, old.title, old.body);
  insert into decisions_text (rowid, title, body) values (new.key, new.title, new.body);
end;
create trigger decisions_stay before delete on decisions begin
  select raise(abort, 'a decision is superseded, never removed');
end;

create table settings (
  name text not null primary key,
  value text not null,
  changed_at text not null
) strict, without rowid;

create table setting_changes (
  n integer primary key,
  name text not null,
  "from" text,
  "to" text not null,
  who text not null,
  surface text not null,
  at text not null
) strict;
create index setting_changes_of on setting_changes (name);
create trigger setting_changes_stay before delete on setting_changes begin
  select raise(abort, 'changes of settings are only ever added');
end;
create trigger setting_changes_as_they_are before update on setting_changes begin
  select raise(abort, 'changes of settings are only ever added');
end;
`;
