/**
 * A transition writes half as many pages. Child tables name their run by its number: gates are found by that number
 * times 2^24 and their place in the run, without an index; events stand in the order they were written, because rows
 * of a kilobyte put into the middle of a tree would move their neighbours each time. The effects of the present step
 * stand in the row of the run; what came of earlier ones is in the log, their failed attempts in a table of their own.
 * The row also counts what settled turns have cost.
 */
export const fewerPages = `
create table runs_2 (
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
  wait_at text,
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
insert into runs_2 (key, id, workflow, version, parent, parent_key, created_at, revision, seq, epoch, turn, status, phase,
  subject, title, lang, holder_host, holder_pid, holder_start, held_at, ended, wait_run, wait_at, gate, updated_at,
  counters, trouble, halt, step, policy, state, effects)
select rowid, id, workflow, version, parent, parent_key, created_at, revision, seq, epoch, turn, status, phase,
  subject, title, lang, holder_host, holder_pid, holder_start, held_at, ended, wait_run, wait_at, gate, updated_at,
  counters, trouble, halt, step, policy, state,
  (select iif(count(*) = 0, null, json_group_array(json_object('id', run || '/' || turn || '/' || n, 'run', run,
    'turn', turn, 'n', n, 'kind', kind, 'role', role, 'nth', nth, 'spec', json(spec), 'attempts', json('[]'),
    'result', json(result), 'started_at', started_at, 'done_at', done_at)))
    from (select * from effects e where e.run = runs.id and e.turn = runs.turn order by e.n))
from runs order by rowid;

create table attempts (
  run integer not null references runs (key),
  turn integer not null,
  n integer not null,
  attempt integer not null,
  data text not null,
  primary key (run, turn, n, attempt)
) strict, without rowid;
insert into attempts (run, turn, n, attempt, data)
select r.key, e.turn, e.n, json_extract(a.value, '$.attempt'), a.value
from effects e join runs_2 r on r.id = e.run, json_each(e.attempts) a;

create table events_2 (
  n integer primary key,
  run integer not null,
  seq integer not null check (seq > 0),
  type text not null,
  turn integer not null,
  at text not null,
  "by" text not null,
  data text not null
) strict;
insert into events_2 (run, seq, type, turn, at, "by", data)
select r.key, e.seq, e.type, e.turn, e.at, e."by", e.data
from events e join runs_2 r on r.id = e.run order by e.rowid;

create table gates_2 (
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
insert into gates_2 (key, id, run, turn, name, class, iteration, status, digest, opened_at, closed_at, body)
select r.key * 16777216 + cast(substr(g.id, length(r.id) + 3) as integer),
  g.id, g.run, g.turn, g.name, g.class, g.iteration, g.status, g.digest, g.opened_at, g.closed_at, g.body
from runs_2 r join gates g on g.run = r.id order by 1;

create table drafts_2 (
  gate integer primary key references gates (key),
  draft text not null
) strict;
insert into drafts_2 (gate, draft) select g.key, d.draft from drafts d join gates_2 g on g.id = d.gate;

create table answers_2 (
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
insert into answers_2 (gate, iteration, receipt, option, text, digest, at, "by", fields)
select g.key, a.iteration, a.receipt, a.option, a.text, a.digest, a.at, a."by", a.fields
from answers a join gates_2 g on g.id = a.gate;

create table drives_2 (
  run integer not null references runs (key),
  epoch integer not null,
  id text not null,
  mode text not null,
  opened_by text not null,
  opened_at text not null,
  primary key (run, epoch)
) strict, without rowid;
insert into drives_2 (run, epoch, id, mode, opened_by, opened_at)
select r.key, d.n, d.id, d.mode, d.opened_by, d.opened_at from drives d join runs_2 r on r.id = d.run;

drop table answers;
drop table drafts;
drop table gates;
drop table drives;
drop table effects;
drop table events;
drop table runs;
alter table runs_2 rename to runs;
alter table events_2 rename to events;
alter table gates_2 rename to gates;
alter table drafts_2 rename to drafts;
alter table answers_2 rename to answers;
alter table drives_2 rename to drives;
create unique index events_log on events (run, seq);
create unique index runs_subject on runs (subject) where ended = 0 and subject is not null;
create index runs_live on runs (created_at) where ended = 0;
create index runs_waiting_for on runs (wait_run) where wait_run is not null;
create index runs_timed on runs (wait_at) where wait_at is not null;
`;
