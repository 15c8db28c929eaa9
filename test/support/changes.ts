import type { Answer } from '../../src/contract/answer.ts';
import type { RunEvent } from '../../src/contract/event.ts';
import type { Gate } from '../../src/contract/gate.ts';
import type { Hash } from '../../src/contract/ids.ts';
import type { NewKnowledge } from '../../src/contract/knowledge.ts';
import type { MoveRecord } from '../../src/contract/move.ts';
import type { Run } from '../../src/contract/run.ts';
import { brief } from '../../src/engine/whole-brief.ts';
import type { Change, Drive, Effect } from '../../src/ports/store.ts';

/** Rows for tests of stores: whole and valid, each with the one thing a test is about put over it. */

export const T0 = '2026-01-01T00:00:00.000Z';
export const HOLDER = { host: 'here', pid: 11, start: '100' };
export const DIGEST: Hash = `sha256:${'a'.repeat(64)}`;
export const OTHER_DIGEST: Hash = `sha256:${'b'.repeat(64)}`;

export function aRun(id: string, over: Partial<Run> = {}): Run {
  return {
    id,
    workflow: 'spec',
    version: 1,
    parent: null,
    parent_key: null,
    title: `Title of ${id}`,
    lang: 'en',
    policy: {
      namespace: 'baton',
      agent: 'rehearsal',
      script: null,
      in_place: false,
      tree: 'checkout',
      unattended: false,
      budget: { money_usd: 5, tokens: null, worker_minutes: 60, attempts: null },
    },
    created_at: T0,
    subject: null,
    status: 'working',
    phase: 'one',
    turn: 1,
    step: { kind: 'query', during: 'one', what: { what: 'listing', input: {} } },
    counters: { gates: 0 },
    trouble: null,
    halt: null,
    state: { phase: 'one', user_lang: 'en', note: 'größer — 한국어' },
    revision: 1,
    seq: 1,
    epoch: 0,
    holder: null,
    updated_at: T0,
    ...over,
  };
}

export function anEvent(run: string, seq: number, over: Partial<RunEvent> = {}): RunEvent {
  const patch = { set: { phase: 'one' }, unset: ['old'] };
  const row = { set: { status: 'working' }, unset: [] };
  return {
    run,
    seq,
    type: 'step_settled',
    turn: 1,
    at: T0,
    by: 'engine',
    input: { seq },
    patch,
    row,
    ...over,
  };
}

const NOTHING = {
  records: [],
  opened: [],
  gate_opened: null,
  gate_closed: null,
  answer: null,
  inbox_added: [],
  inbox_done: null,
  drive: null,
} as const;

/** The change that makes a run, with its first event. */
export function creating(id: string, over: Partial<Run> = {}, more: Partial<Change> = {}): Change {
  return {
    ...NOTHING,
    run: aRun(id, over),
    guard: null,
    events: [anEvent(id, 1, { type: 'run_created' })],
    ...more,
  };
}

/** The next change of a run as loaded: one revision and one event on, which says what has moved. */
export function moving(from: Run, over: Partial<Run> = {}, more: Partial<Change> = {}): Change {
  const run = { ...from, revision: from.revision + 1, seq: from.seq + 1, ...over };
  const guard = { revision: from.revision, epoch: from.epoch };
  const { revision, seq, epoch, holder, updated_at, state, ...set } = over;
  const events = more.events ?? [anEvent(from.id, from.seq + 1)];
  const told = events.map((event, n) =>
    n === 0 ? { ...event, row: { set: { ...event.row.set, ...set }, unset: [] } } : event,
  );
  return { ...NOTHING, run, guard, ...more, events: told };
}

/** What a row looks like when its run has ended. */
export function ended(result: string): Partial<Run> {
  return { status: 'ended', phase: 'done', step: { kind: 'end', outcome: { result } } };
}

export function waitingFor(run: string): Partial<Run> {
  return { status: 'sleeping', step: { kind: 'wait', until: { kind: 'run_ended', run, why: { msg: 'w' } } } };
}

export function anEffect(run: string, turn: number, n: number, over: Partial<Effect> = {}): Effect {
  return {
    id: `${run}/${turn}/${n}`,
    run,
    turn,
    n,
    kind: 'work',
    role: 'writer',
    nth: n + 1,
    spec: { role: 'writer', slots: { task: { text: 't' } }, tier: 'inherit' },
    attempts: [],
    result: null,
    started_at: T0,
    done_at: null,
    ...over,
  };
}

export function aGate(run: string, n: number, over: Partial<Gate> = {}): Gate {
  return {
    id: `${run}.g${n}`,
    run,
    turn: 1,
    name: 'approval',
    class: 'decision',
    title: { msg: 'gate.approval' },
    iteration: 1,
    status: 'open',
    digest: DIGEST,
    brief: brief({ decide: 'Approve?' }),
    options: {
      approve: {
        text: 'none',
        effect_on_run: 'settle',
        label: { msg: 'approve' },
        description: { msg: 'approve.why' },
      },
    },
    fields: [{ id: 'q1', text: 'Which?', required: false }],
    artefacts: { spec: DIGEST },
    typed: null,
    opened_at: T0,
    closed_at: null,
    ...over,
  };
}

/** A row that waits at this gate. */
export function at(gate: Gate): Partial<Run> {
  return { status: 'waiting', step: { kind: 'gate', gate: gate.id, name: gate.name } };
}

export function anAnswer(gate: Gate, over: Partial<Answer> = {}): Answer {
  return {
    receipt: `r-${gate.id}-${gate.iteration}`,
    gate: gate.id,
    run: gate.run,
    iteration: gate.iteration,
    option: 'approve',
    text: null,
    fields: { q1: null },
    digest: gate.digest,
    by: { person: 'ann', surface: 'test', proof: 'composition' },
    at: T0,
    ...over,
  };
}

export function aNewDecision(over: Partial<NewKnowledge> = {}): NewKnowledge {
  return {
    type: 'architecture',
    status: 'Accepted',
    title: 'One SQLite file',
    body: 'Because it starts with nothing.',
    domains: ['engineering'],
    source_type: 'manual',
    source_activity: null,
    source_task_id: null,
    review_by: null,
    ...over,
  };
}

/** Records of a move as part of its change. */
export function knowing(
  run: string,
  seq: number,
  records: readonly MoveRecord[],
  when = T0,
): Pick<Change, 'records'> {
  return { records: records.map((record, n) => ({ run, seq, n, record, at: when })) };
}

export function aDrive(run: string, over: Partial<Drive> = {}): Drive {
  return {
    id: 'd1',
    run,
    mode: 'controlled',
    denied: null,
    one_shot: false,
    opened_by: 'ann',
    opened_at: T0,
    until: null,
    closed_at: null,
    ...over,
  };
}
