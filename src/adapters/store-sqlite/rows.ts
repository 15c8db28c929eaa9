import type { Answer } from '../../contract/answer.ts';
import type { RunEvent } from '../../contract/event.ts';
import type { Gate } from '../../contract/gate.ts';
import type { EffectId, GateId, RunId } from '../../contract/ids.ts';
import type { StoredKnowledge } from '../../contract/knowledge.ts';
import type { Run } from '../../contract/run.ts';
import { AdapterError, failure, InvariantError } from '../../engine/errors.ts';
import { NO_PATCH } from '../../engine/fold.ts';
import type {
  Effect,
  FailedAttempt,
  InboxItem,
  RunStateRow,
  RunSummary,
  StoredRecord,
} from '../../ports/store.ts';
import type { Connection } from './connection.ts';

/**
 * Locations per run in a table keyed by run and location. This is enough for its gates, and keys stay exact for 2^29
 * runs.
 */
const SPAN = 2 ** 24;

/** The key of a row. Rows of one run are adjacent. */
export function locationKey(run: number, location: number): number {
  if (location < 0 || location >= SPAN)
    throw new InvariantError(`place ${location} of run ${run} is not countable`);
  return run * SPAN + location;
}

/** The location within its run. */
function locationOf(key: number): number {
  return key % SPAN;
}

/** `sp-3aa.g1` is the first gate of `sp-3aa`. Null if the text is not a gate id. */
export function gateLocation(id: GateId): { readonly run: RunId; readonly location: number } | null {
  const dot = id.lastIndexOf('.g');
  const location = Number(id.slice(dot + 2));
  return dot > 0 && Number.isInteger(location) && location >= 0 && location < SPAN
    ? { run: id.slice(0, dot), location }
    : null;
}

/** The number of a gate within the file. Undefined if the run does not exist. */
export function gateKey(c: Connection, id: GateId): number | undefined {
  const at = gateLocation(id);
  const run = at ? c.keyOf(at.run) : undefined;
  return at && run !== undefined ? locationKey(run, at.location) : undefined;
}

/** Columns as a table returns them: JSON is still text. */
type Columns<T, Json extends keyof T> = Omit<T, Json> & { readonly [K in Json]: string };

type HolderColumns = {
  readonly holder_host: string | null;
  readonly holder_pid: number | null;
  readonly holder_start: string | null;
};
type Troubles = { readonly trouble: string | null; readonly halt: string | null };

export type RunRow = Omit<
  Columns<Run, 'policy' | 'step' | 'counters' | 'state'>,
  'trouble' | 'halt' | 'holder'
> &
  HolderColumns &
  Troubles;
export type SummaryRow = Omit<Columns<RunSummary, 'step'>, 'trouble' | 'halt' | 'holder'> &
  HolderColumns &
  Troubles;
export type StateRow = Columns<RunStateRow, 'state'>;
export type EventRow = Omit<RunEvent, 'run' | 'input' | 'patch' | 'row'> & { readonly data: string };
export type RecordRow = Columns<StoredRecord, 'record'>;
export type AttemptRow = { readonly n: number; readonly data: string };
export type GateRow = Omit<Gate, GateBodyKey> & { readonly body: string };
export type AnswerRow = Omit<Columns<Answer, 'fields' | 'by'>, 'run' | 'gate'> & { readonly gate: number };
export type InboxRow = Columns<InboxItem, 'signal'>;

type GateBodyKey = 'title' | 'brief' | 'options' | 'fields' | 'artefacts' | 'typed' | 'edition';

export function toRun(row: RunRow): Run {
  // Field by field: a copy of the row without some of its columns takes three times as long.
  return {
    id: row.id,
    workflow: row.workflow,
    version: row.version,
    parent: row.parent,
    parent_key: row.parent_key,
    title: row.title,
    lang: row.lang,
    policy: read(row.policy, row.id, 'policy'),
    created_at: row.created_at,
    subject: row.subject,
    status: row.status,
    phase: row.phase,
    turn: row.turn,
    step: read(row.step, row.id, 'step'),
    counters: read(row.counters, row.id, 'counters'),
    trouble: row.trouble === null ? null : read(row.trouble, row.id, 'trouble'),
    halt: row.halt === null ? null : read(row.halt, row.id, 'halt'),
    state: read(row.state, row.id, 'state'),
    revision: row.revision,
    seq: row.seq,
    epoch: row.epoch,
    holder: toHolder(row),
    updated_at: row.updated_at,
  };
}

/** An unreadable row is listed as halted: one damaged run must not hide the others. */
export function toSummary(row: SummaryRow): RunSummary {
  const { holder_host, holder_pid, holder_start, ...rest } = row;
  const holder = toHolder(row);
  try {
    return {
      ...rest,
      step: read(row.step, row.id, 'step'),
      trouble: row.trouble === null ? null : read(row.trouble, row.id, 'trouble'),
      halt: row.halt === null ? null : read(row.halt, row.id, 'halt'),
      holder,
    };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    const why = { msg: 'engine.halt.damaged', args: { problem: error.failure.detail } };
    const step = { kind: 'wait', until: { kind: 'command', commands: [], why } } as const;
    const halt = { kind: 'damaged', why, by: 'store' } as const;
    return { ...rest, status: 'halted', step, trouble: null, halt, holder };
  }
}

/** Null for an unreadable row: the list of all runs shows it. */
export function toStateRow(row: StateRow): RunStateRow | null {
  try {
    return { ...row, state: read(row.state, row.id, 'state') };
  } catch (error) {
    if (error instanceof AdapterError) return null;
    throw error;
  }
}

/** Parses the JSON of a column. The error names the column. */
function read<T>(json: string, of: string, what: string): T {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw failure('store_corrupt', `${of}: ${what} cannot be read`, { cause });
  }
}

function toHolder(row: HolderColumns): Run['holder'] {
  const { holder_host: host, holder_pid: pid, holder_start: start } = row;
  return host === null || pid === null || start === null ? null : { host, pid, start };
}

/** The events of one commit as one row, under the number of the last. `more` holds all events after the first. */
export function eventsData([first, ...others]: readonly [RunEvent, ...RunEvent[]]): string {
  const { input = null, patch, row } = first;
  if (others.length === 0) return JSON.stringify({ input, patch, row });
  const more = others.map((event) => ({
    type: event.type,
    turn: event.turn,
    input: event.input,
    // The later events of a commit usually have the same time and author, and they do not patch anything.
    ...(event.at !== first.at && { at: event.at }),
    ...(event.by !== first.by && { by: event.by }),
    ...(event.patch !== NO_PATCH && { patch: event.patch }),
    ...(event.row !== NO_PATCH && { row: event.row }),
  }));
  return JSON.stringify({ input, patch, row, more });
}

type EventData = Pick<RunEvent, 'input' | 'patch' | 'row'> & { readonly more?: readonly Partial<RunEvent>[] };

export function toEvents({ data, ...row }: EventRow, run: RunId): RunEvent[] {
  const { more = [], ...own } = read<EventData>(data, run, `event ${row.seq}`);
  const first = { run, ...row, seq: row.seq - more.length, ...own };
  const common = { run, at: row.at, by: row.by, patch: NO_PATCH, row: NO_PATCH };
  return [first, ...more.map((event, n) => ({ ...common, ...event, seq: first.seq + 1 + n }) as RunEvent)];
}

export function toRecord(row: RecordRow): StoredRecord {
  return { ...row, record: read(row.record, row.run, `record ${row.seq}.${row.n}`) };
}

/** The `effects` column of a run: the calls, checks, query or op of the current step, recorded before they are done. */
export function effectsText(effects: readonly Effect[]): string | null {
  return effects.length === 0 ? null : JSON.stringify(effects);
}

export function toAttempt({ data }: AttemptRow): FailedAttempt {
  return JSON.parse(data);
}

/** Splits an effect id at its last two slashes. The run id before them may contain any character. */
export function effectKey(id: EffectId): { run: RunId; turn: number; n: number } {
  const [, run, turn, n] = /^(.+)\/(\d+)\/(\d+)$/.exec(id) ?? [];
  if (!run) throw new InvariantError(`'${id}' is no effect id`);
  return { run, turn: Number(turn), n: Number(n) };
}

export function gateBody(gate: Gate): string {
  const { title, brief, options, fields, artefacts, typed, edition } = gate;
  const more = edition === undefined ? {} : { edition };
  return JSON.stringify({ title, brief, options, fields, artefacts, typed, ...more } satisfies Pick<
    Gate,
    GateBodyKey
  >);
}

export function toGate(row: GateRow): Gate {
  const body = read<Pick<Gate, GateBodyKey>>(row.body, row.id, 'gate');
  // Field by field: see `toRun`.
  return {
    id: row.id,
    run: row.run,
    turn: row.turn,
    name: row.name,
    class: row.class,
    title: body.title,
    iteration: row.iteration,
    status: row.status,
    digest: row.digest,
    brief: body.brief,
    options: body.options,
    fields: body.fields,
    artefacts: body.artefacts,
    typed: body.typed,
    ...(body.edition !== undefined && { edition: body.edition }),
    opened_at: row.opened_at,
    closed_at: row.closed_at,
  };
}

export function toAnswer(row: AnswerRow, run: RunId): Answer {
  const gate: GateId = `${run}.g${locationOf(row.gate)}`;
  return { ...row, run, gate, fields: JSON.parse(row.fields), by: JSON.parse(row.by) };
}

export function toInboxItem(row: InboxRow): InboxItem {
  return { ...row, signal: JSON.parse(row.signal) };
}

/** JSON for a column that may be empty. */
export function text(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/**
 * The gate a person can answer. The gate of a trouble comes before the gate of the step. An ended run has no open gate.
 */
export function openGateOf(run: Run): GateId | null {
  if (run.status === 'ended') return null;
  if (run.trouble) return run.trouble.gate;
  return run.step.kind === 'gate' ? run.step.gate : null;
}

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
