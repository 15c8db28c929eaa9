import type { Answer } from '../../contract/answer.ts';
import type { RunEvent } from '../../contract/event.ts';
import type { Gate } from '../../contract/gate.ts';
import type { EffectId, GateId, RunId } from '../../contract/ids.ts';
import type { Run } from '../../contract/run.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Effect, FailedAttempt, InboxItem, RunSummary, StoredRecord } from '../../ports/store.ts';
import { placeOf } from './run-keys.ts';

/** Columns as they come out of a table: JSON still as text. */
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
export type EventRow = Omit<RunEvent, 'run' | 'input' | 'patch' | 'row'> & { readonly data: string };
export type RecordRow = Columns<StoredRecord, 'record'>;
export type AttemptRow = { readonly n: number; readonly data: string };
export type GateRow = Omit<Gate, GateBodyKey> & { readonly body: string };
export type AnswerRow = Omit<Columns<Answer, 'fields' | 'by'>, 'run' | 'gate'> & { readonly gate: number };
export type InboxRow = Columns<InboxItem, 'signal'>;

type GateBodyKey = 'title' | 'brief' | 'options' | 'fields' | 'artefacts' | 'typed';

export function toRun(row: RunRow): Run {
  const { holder_host, holder_pid, holder_start, ...rest } = row;
  return {
    ...rest,
    counters: JSON.parse(row.counters),
    step: JSON.parse(row.step),
    policy: JSON.parse(row.policy),
    state: JSON.parse(row.state),
    trouble: parse(row.trouble),
    halt: parse(row.halt),
    holder: toHolder(row),
  };
}

export function toSummary(row: SummaryRow): RunSummary {
  const { holder_host, holder_pid, holder_start, ...rest } = row;
  return {
    ...rest,
    step: JSON.parse(row.step),
    trouble: parse(row.trouble),
    halt: parse(row.halt),
    holder: toHolder(row),
  };
}

function toHolder(row: HolderColumns): Run['holder'] {
  const { holder_host: host, holder_pid: pid, holder_start: start } = row;
  return host === null || pid === null || start === null ? null : { host, pid, start };
}

export function eventData(event: RunEvent): string {
  const { input = null, patch, row } = event;
  return JSON.stringify({ input, patch, row });
}

export function toEvent({ data, ...row }: EventRow, run: RunId): RunEvent {
  return { run, ...row, ...JSON.parse(data) };
}

export function toRecord(row: RecordRow): StoredRecord {
  return { ...row, record: JSON.parse(row.record) };
}

/** What the row of a run says of its present step: the calls, checks, look or op on record before they are done. */
export function effectsText(effects: readonly Effect[]): string | null {
  return effects.length === 0 ? null : JSON.stringify(effects);
}

export function toAttempt({ data }: AttemptRow): FailedAttempt {
  return JSON.parse(data);
}

/** Takes an effect id apart; a run id may hold anything but stands before the last two slashes. */
export function effectKey(id: EffectId): { run: RunId; turn: number; n: number } {
  const [, run, turn, n] = /^(.+)\/(\d+)\/(\d+)$/.exec(id) ?? [];
  if (!run) throw new InvariantError(`'${id}' is no effect id`);
  return { run, turn: Number(turn), n: Number(n) };
}

export function gateBody(gate: Gate): string {
  const { title, brief, options, fields, artefacts, typed } = gate;
  return JSON.stringify({ title, brief, options, fields, artefacts, typed } satisfies Pick<
    Gate,
    GateBodyKey
  >);
}

export function toGate({ body, ...row }: GateRow): Gate {
  return { ...row, ...(JSON.parse(body) as Pick<Gate, GateBodyKey>) };
}

export function toAnswer(row: AnswerRow, run: RunId): Answer {
  const gate: GateId = `${run}.g${placeOf(row.gate)}`;
  return { ...row, run, gate, fields: JSON.parse(row.fields), by: JSON.parse(row.by) };
}

export function toInboxItem(row: InboxRow): InboxItem {
  return { ...row, signal: JSON.parse(row.signal) };
}

/** JSON for a column that may be empty. */
export function text(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function parse(json: string | null) {
  return json === null ? null : JSON.parse(json);
}

/** The gate a person can answer: trouble stands in front of the step. An ended run has none. */
export function openGateOf(run: Run): GateId | null {
  if (run.status === 'ended') return null;
  if (run.trouble) return run.trouble.gate;
  return run.step.kind === 'gate' ? run.step.gate : null;
}
