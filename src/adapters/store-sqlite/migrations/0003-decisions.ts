/**
 * The ledger of decisions with its full text, and the settings of the workspace. The table of version 1 goes: every row
 * of it stands in `records` as well, and nothing ever read it. The full text is of the same rows, kept in step by
 * triggers. Changes of settings can be added and never altered or removed.
 */
export const decisions = `
drop table decision_links;
drop table decisions;

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
