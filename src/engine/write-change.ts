import type { Answer } from '../contract/answer.ts';
import type { Change, DriveChange, Effect, InboxItem, StoredRecord } from '../contract/change.ts';
import type { EventType, RunEvent } from '../contract/event.ts';
import type { Gate } from '../contract/gate.ts';
import type { Hash, Instant } from '../contract/ids.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { Signal } from '../contract/outcome.ts';
import type { CurrentStep, Holder, Run, RunCore } from '../contract/run.ts';
import { cleanText } from './clean-text.ts';
import type { EnterContext, Entered } from './enter-step.ts';
import { InvariantError } from './errors.ts';
import { diff, NO_PATCH } from './fold.ts';
import { unsandboxedBecause } from './unsandboxed.ts';
import { waitsForChildren } from './waits-for-children.ts';
import type { BaseState, Workflow } from './workflow.ts';

/** Inputs that the pure layers cannot compute. `lease` names the holder of the run after this commit. */
export interface TransitionContext {
  readonly now: Instant;
  readonly by: string;
  readonly hash: (text: string) => Hash;
  readonly lease: {
    readonly holder: Holder | null;
    readonly epoch: number;
    /**
     * Keep the lease while idle: this process shows the gate and continues. `gate`: it must still decide about a gate.
     */
    readonly while_idle: boolean | 'gate';
    readonly drive: DriveChange | null;
    /**
     * The committer does not run the step. Its effects are recorded as not started, so a crash cannot have done them.
     */
    readonly performs?: false;
  };
}

/** The loaded run, and the gate it waits at, if any. */
export interface At {
  readonly run: Run;
  readonly gate: Gate | null;
}

/** The parts of a transition, before they are combined into one change. */
export interface Parts {
  readonly type: EventType;
  readonly input: object | null;
  readonly state?: BaseState;
  /** Phases without anything to do that the move passed over, before the phase of `state`. */
  readonly passed?: readonly string[];
  readonly records?: readonly MoveRecord[];
  readonly entered?: Entered;
  readonly turn?: number;
  readonly engine?: Partial<RunCore>;
  readonly gate?: Gate | null;
  readonly closes?: 'answered' | 'withdrawn';
  readonly answer?: Answer;
  readonly inbox_done?: string | null;
  /** Further events between the input and the next step. */
  readonly notes?: readonly Note[];
}

interface Note {
  readonly type: EventType;
  readonly input: unknown;
}

export function enterContext(def: Workflow, at: At, turn: number, ctx: TransitionContext): EnterContext {
  const { run } = at;
  return {
    run: run.id,
    turn,
    counters: run.counters,
    gates: def.gates,
    hash: ctx.hash,
    now: ctx.now,
    unsandboxed: unsandboxedBecause(run.policy),
    again: null,
  };
}

/** Phases change only along the workflow's table, also those that were passed over. */
function assertLegal(def: Workflow, phases: readonly string[]): void {
  phases.reduce((from, to) => {
    if (from !== to && !def.phases[from]?.to.includes(to))
      throw new InvariantError(`${def.name}: ${from} -> ${to} is not in the phase table`);
    return to;
  });
}

/** Combines the parts into a change: the next row, the events with their patches, records, effects, gate and inbox. */
export function toChange(def: Workflow, at: At, parts: Parts, ctx: TransitionContext): Change {
  const { run } = at;
  const { entered } = parts;
  const records = parts.records ?? [];
  const next = nextCore(def, run, parts);
  const events = writeEvents(run, next, parts, ctx);
  const holder = holderAfter(next, ctx);
  return {
    run: {
      ...next,
      revision: run.revision + 1,
      seq: run.seq + events.length,
      epoch: ctx.lease.epoch,
      holder,
      updated_at: ctx.now,
    },
    guard: { revision: run.revision, epoch: run.epoch },
    events,
    records: storeRecords(run, records, ctx.now),
    opened: startEffects(entered?.effects ?? [], isPerformed(next, holder, ctx)),
    gate_opened: entered?.gate ?? parts.gate ?? null,
    gate_closed: parts.closes && at.gate ? { id: at.gate.id, status: parts.closes, at: ctx.now } : null,
    answer: parts.answer ?? null,
    inbox_added: outgoing(run, records, ctx),
    inbox_done: parts.inbox_done ?? null,
    drive: ctx.lease.drive ?? driveAfter(def, next, parts),
  };
}

function nextCore(def: Workflow, run: Run, parts: Parts): RunCore {
  const { entered } = parts;
  const state = parts.state ?? (run.state as unknown as BaseState);
  assertLegal(def, [run.phase, ...(parts.passed ?? []), state.phase]);
  const claim = parts.records?.findLast((record) => record.kind === 'claim');
  const step = entered
    ? { turn: parts.turn ?? run.turn + 1, step: entered.step, counters: entered.counters }
    : { turn: run.turn, step: run.step, counters: run.counters };
  const core: RunCore = {
    id: run.id,
    workflow: run.workflow,
    version: run.version,
    parent: run.parent,
    parent_key: run.parent_key,
    title: parts.state ? cleanText(def.title(state)) : run.title,
    lang: state.user_lang,
    policy: run.policy,
    created_at: run.created_at,
    subject: claim?.subject ?? run.subject,
    status: run.status,
    phase: state.phase,
    turn: step.turn,
    step: step.step,
    counters: step.counters,
    trouble: run.trouble,
    halt: run.halt,
    state: state as unknown as RunCore['state'],
    ...parts.engine,
  };
  return { ...core, status: statusOf(core, entered) };
}

function isPerformed(next: RunCore, holder: Holder | null, { lease }: TransitionContext): boolean {
  return holder !== null && next.halt === null && lease.performs !== false;
}

/**
 * A working run keeps its holder, and so does a run that waits for children. An idle run keeps it only if
 * `while_idle` says so.
 */
function holderAfter(next: RunCore, { lease }: TransitionContext): Holder | null {
  const idle = lease.while_idle === 'gate' ? next.status === 'waiting' : lease.while_idle;
  const works = next.status === 'working' || waitsForChildren(next);
  const stays = works || (idle && next.status !== 'ended');
  return stays ? lease.holder : null;
}

/**
 * The effect of the move on the drive. A stop closes it. In a workflow with delegated gates, an ended run and a run
 * that waits for a command close it too. An answer ends the watch at its gate.
 */
function driveAfter({ delegate }: Workflow, next: RunCore, parts: Parts): DriveChange | null {
  if (parts.engine?.halt?.kind === 'stopped') return { kind: 'closed' };
  if (!delegate) return null;
  const left = parts.entered && (next.step.kind === 'end' || isCommandWait(next.step));
  if (left) return { kind: 'closed' };
  return parts.closes === 'answered' ? { kind: 'resumed' } : null;
}

function isCommandWait(step: CurrentStep): boolean {
  return step.kind === 'wait' && step.until.kind === 'command';
}

/** An effect without a performer is recorded as planned. A crash before it starts cannot have done it. */
function startEffects(effects: readonly Effect[], performed: boolean): readonly Effect[] {
  return performed ? effects : effects.map((effect) => ({ ...effect, started_at: null }));
}

function statusOf(core: RunCore, entered: Entered | undefined): RunCore['status'] {
  if (core.step.kind === 'end') return 'ended';
  if (core.halt) return 'halted';
  if (core.trouble) return 'waiting';
  return entered?.status ?? idleStatus(core.step);
}

function idleStatus(step: CurrentStep): RunCore['status'] {
  if (step.kind === 'gate') return 'waiting';
  if (step.kind === 'wait') return isCommandWait(step) ? 'halted' : 'sleeping';
  return step.kind === 'end' ? 'ended' : 'working';
}

/** The part of the row that the log can rebuild: all but lease, revision and time of the last write. */
export function coreOf(run: Run): RunCore {
  const { revision, seq, epoch, holder, updated_at, ...core } = run;
  return core;
}

/** The first event carries all patches, so that every prefix of the log is a valid run. The others only inform. */
function writeEvents(run: Run, next: RunCore, parts: Parts, ctx: TransitionContext): RunEvent[] {
  const created = parts.type === 'run_created';
  const base = { run: run.id, at: ctx.now, by: ctx.by };
  const first: RunEvent = {
    ...base,
    seq: run.seq + 1,
    type: parts.type,
    turn: run.turn,
    input: parts.passed?.length ? { ...parts.input, passed: parts.passed } : parts.input,
    patch: run.state === next.state ? NO_PATCH : diff(run.state, next.state),
    row: { set: changedFields(created ? {} : run, next), unset: [] },
  };
  const step = reportStep(parts);
  const told = [...(parts.notes ?? []), ...(step ? [step] : [])];
  const only = { ...base, turn: next.turn, patch: NO_PATCH, row: NO_PATCH };
  return [first, ...told.map((one, n) => ({ ...only, ...one, seq: run.seq + 2 + n }))];
}

/** Changed fields of the row, except the state. A row has all fields, so none is ever unset. */
function changedFields(before: Partial<RunCore>, after: RunCore): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const field of Object.keys(after) as (keyof RunCore)[]) {
    if (field !== 'state' && after[field] !== before[field]) set[field] = after[field];
  }
  return set;
}

function reportStep(parts: Parts): Note | null {
  const gate = parts.entered?.gate ?? parts.gate;
  if (gate) {
    const { id, name, iteration, digest } = gate;
    return { type: 'gate_opened', input: { gate: id, name, iteration, digest } };
  }
  const step = parts.entered?.step;
  if (!step) return null;
  if (step.kind === 'end') return { type: 'run_ended', input: step.outcome };
  if (step.kind === 'wait')
    return { type: step.until.kind === 'command' ? 'run_halted' : 'run_slept', input: step.until };
  return {
    type: 'step_started',
    input: { kind: step.kind, effects: parts.entered?.effects.map((e) => e.role ?? e.kind) },
  };
}

function storeRecords(run: Run, records: readonly MoveRecord[], at: Instant): StoredRecord[] {
  return records.map((record, n) => ({ run: run.id, seq: run.seq + 1, n, record, at }));
}

/** Puts messages and commands for other runs into their inboxes in the same transaction. */
function outgoing(run: Run, records: readonly MoveRecord[], ctx: TransitionContext): InboxItem[] {
  return records.flatMap((record, n): InboxItem[] => {
    const id = `${run.id}/${run.seq + 1}/${n}`;
    const at = ctx.now;
    if (record.kind === 'message') {
      const signal: Signal = { type: 'message', from: run.id, name: record.name, data: record.data, at };
      return [{ id, run: record.to, signal, at }];
    }
    if (record.kind === 'command') {
      const signal: Signal = { type: 'command', command: record.command, by: ctx.by, args: {}, at };
      return [{ id, run: record.to, signal, at }];
    }
    return [];
  });
}
