/** A drive has one row, whoever holds it; its pauses and its end are written there. */
export const drives = `
alter table drives rename column epoch to n;
alter table drives add column denied text;
alter table drives add column one_shot integer not null default 0;
alter table drives add column until text;
alter table drives add column closed_at text;
`;
