import type { Answer } from '../contract/answer.ts';
import type { Change, Drive, Effect, InboxItem, StoredRecord } from '../contract/change.ts';
import type { EventType, RunEvent } from '../contract/event.ts';
import type { Gate } from '../contract/gate.ts';
import type { Hash, Instant, RunId } from '../contract/ids.ts';
import type { Move, MoveRecord } from '../contract/move.ts';
import type { Outcome, Signal } from '../contract/outcome.ts';
import type { CurrentStep, Holder, Policy, Run, RunCore, Trouble } from '../contract/run.ts';
import type { Step } from '../contract/step.ts';
import { canonicalJson } from './canonical-json.ts';
import { type EnterContext, type Entered, enterStep } from './enter-step.ts';
import { InvariantError } from './errors.ts';
import { diff, NO_PATCH } from './fold.ts';
import { isRejection, type Rejection, reject } from './rejection.ts';
import { TROUBLE_WAYS, troubleGate, troubleGates } from './trouble.ts';
import type { BaseState, Workflow } from './workflow.ts';

/** What the pure layers cannot have by themselves. `lease` is who holds the run after this commit. */
export interface TransitionContext {
  readonly now: Instant;
  readonly by: string;
  readonly hash: (text: string) => Hash;
  readonly lease: {
    readonly holder: Holder | null;
    readonly epoch: number;
    /** Stay holder at a gate or wait: this process shows it and goes on. */
    readonly at_rest: boolean;
    readonly drive: Drive | null;
  };
}

/** The run as loaded, and the gate it waits at, if any. */
export interface At {
  readonly run: Run;
  readonly gate: Gate | null;
}

/** Everything that can come in to a run that exists. */
export type Input =
  | { readonly kind: 'outcome'; readonly outcome: Outcome; readonly results: ReadonlyMap<number, unknown> }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'signal'; readonly signal: Signal; readonly inbox: string | null }
  | { readonly kind: 'resume' }
  | { readonly kind: 'halt'; readonly halt: NonNullable<Run['halt']> }
  | {
      readonly kind: 'trouble';
      readonly trouble: Omit<Trouble, 'gate'>;
      readonly args: Readonly<Record<string, string | number>>;
    }
  | { readonly kind: 'migrate'; readonly state: BaseState; readonly version: number };

/** What a transition is made of before it is written down as one change. */
interface Parts {
  readonly type: EventType;
  readonly input: unknown;
  readonly state?: BaseState;
  readonly records?: readonly MoveRecord[];
  readonly entered?: Entered;
  readonly turn?: number;
  readonly engine?: Partial<RunCore>;
  readonly gate?: Gate | null;
  readonly closes?: 'answered' | 'withdrawn';
  readonly answer?: Answer;
  readonly inbox_done?: string | null;
  readonly settled?: ReadonlyMap<number, unknown>;
}

/**
 * One input, one change: settle or receive, then next. Pure; nothing is written here. A Rejection means that the
 * input does not fit the run as it stands. Throws InvariantError where only a bug of ours can lead.
 */
export function transition(def: Workflow, at: At, input: Input, ctx: TransitionContext): Change | Rejection {
  switch (input.kind) {
    case 'outcome':
      return fromOutcome(def, at, input, ctx);
    case 'answer':
      return fromAnswer(def, at, input.answer, ctx);
    case 'signal':
      return fromSignal(def, at, input, ctx);
    case 'resume':
      return toChange(def, at, { type: 'run_resumed', input: null, engine: { halt: null } }, ctx);
    case 'halt': {
      const told = { why: input.halt.why, kind: input.halt.kind };
      return toChange(def, at, { type: 'run_halted', input: told, engine: { halt: input.halt } }, ctx);
    }
    case 'trouble':
      return openTrouble(def, at, input, ctx);
    case 'migrate': {
      const move = { state: input.state, records: [] };
      const told = { from: at.run.version, to: input.version };
      const parts = { type: 'run_migrated' as const, input: told, engine: { version: input.version } };
      return toChange(def, at, { ...parts, ...reevaluate(def, at, move, ctx) }, ctx);
    }
  }
}

/** The first change of a run: the row, its first event and its first step. */
export function createRun(
  def: Workflow,
  seed: { id: RunId; move: Move<BaseState>; policy: Policy; parent: RunId | null; parent_key: string | null },
  ctx: TransitionContext,
): Change {
  const { id, move, policy, parent, parent_key } = seed;
  const base: Run = {
    id,
    workflow: def.name,
    version: def.version,
    parent,
    parent_key,
    title: def.title(move.state),
    lang: move.state.user_lang,
    policy,
    created_at: ctx.now,
    subject: null,
    status: 'working',
    phase: move.state.phase,
    turn: 0,
    step: { kind: 'end', outcome: { result: '' } },
    counters: {},
    trouble: null,
    halt: null,
    state: {},
    revision: 0,
    seq: 0,
    epoch: 0,
    holder: null,
    updated_at: ctx.now,
  };
  const at: At = { run: base, gate: null };
  const entered = enterStep(def.next(move.state), enterContext(def, at, 1, ctx));
  const parts: Parts = { type: 'run_created', input: null, state: move.state, records: move.records, entered, turn: 1 };
  return { ...toChange(def, at, parts, ctx), guard: null };
}

function fromOutcome(
  def: Workflow,
  at: At,
  input: Extract<Input, { kind: 'outcome' }>,
  ctx: TransitionContext,
): Change {
  const step = at.run.step;
  if (step.kind === 'gate' || step.kind === 'end') throw new InvariantError(`${at.run.id}: an outcome at a ${step.kind}`);
  const move = def.settle(at.run.state as unknown as BaseState, step, input.outcome);
  if (isRejection(move)) throw new InvariantError(`${at.run.id}: settle refused an outcome: ${move.rejection}`);
  const entered = enterNext(def, at, move, ctx);
  const told = { kind: input.outcome.kind, results: Object.fromEntries(input.results) };
  return toChange(
    def,
    at,
    { type: 'step_settled', input: told, state: move.state, records: move.records, entered, settled: input.results },
    ctx,
  );
}

function fromAnswer(def: Workflow, at: At, answer: Answer, ctx: TransitionContext): Change | Rejection {
  const { run, gate } = at;
  if (!gate) throw new InvariantError(`${run.id}: an answer without a gate`);
  const { receipt, option, text, fields, digest, by } = answer;
  const told = { gate: gate.id, iteration: gate.iteration, receipt, option, text, fields, digest, by };
  if (gate.options[option]?.leads === 'hold') return holdGate(def, at, answer, told, ctx);
  const answered = { input: told, closes: 'answered', answer } as const;
  if (run.trouble) return answerTrouble(def, at, answer, answered, ctx);
  const step = def.next(run.state as unknown as BaseState);
  const move = def.settle(run.state as unknown as BaseState, step, { kind: 'answered', answer, at: answer.at });
  if (isRejection(move)) return move;
  const entered = enterNext(def, at, move, ctx);
  const { state, records } = move;
  return toChange(def, at, { type: 'gate_answered', ...answered, state, records, entered, engine: { halt: null } }, ctx);
}

/** The answer is a decision on record, the gate stays open under the same digest, and the run stands still. */
function holdGate(def: Workflow, at: At, answer: Answer, told: unknown, ctx: TransitionContext): Change {
  const { receipt, option, digest, by } = answer;
  const data = { gate: answer.gate, receipt, option, digest, by };
  const halt = { kind: 'held' as const, why: { msg: 'engine.halt.held', args: { option } }, by: ctx.by };
  const records: MoveRecord[] = [{ kind: 'decision', name: 'gate_held', data }];
  return toChange(def, at, { type: 'gate_held', input: told, records, engine: { halt } }, ctx);
}

function answerTrouble(
  def: Workflow,
  at: At,
  answer: Answer,
  answered: Pick<Parts, 'input' | 'closes' | 'answer'>,
  ctx: TransitionContext,
): Change {
  const { run } = at;
  const trouble = run.trouble as Trouble;
  const type = 'trouble_answered' as const;
  const lifted = { trouble: null, halt: null };
  switch (TROUBLE_WAYS[answer.option]) {
    case 'settle_as_done': {
      const outcome: Outcome = { kind: 'written', result: { assumed: true }, at: answer.at };
      const move = def.settle(run.state as unknown as BaseState, run.step as Step, outcome);
      if (isRejection(move)) throw new InvariantError(`${run.id}: settle refused an assumed write`);
      const entered = enterNext(def, at, move, ctx);
      return toChange(def, at, { type, ...answered, ...move, entered, engine: lifted, settled: new Map() }, ctx);
    }
    case 'enter_again': {
      const turn = run.turn + 1;
      const entered = enterStep(run.step as Step, enterContext(def, at, turn, ctx));
      return toChange(def, at, { type, ...answered, entered, turn, engine: lifted, settled: new Map() }, ctx);
    }
    default: {
      const extensions = (run.counters['extensions'] ?? 0) + (trouble.kind === 'budget' ? 1 : 0);
      const engine = { ...lifted, counters: { ...run.counters, forgiven: trouble.attempts, extensions } };
      return toChange(def, at, { type, ...answered, engine }, ctx);
    }
  }
}

function fromSignal(
  def: Workflow,
  at: At,
  input: Extract<Input, { kind: 'signal' }>,
  ctx: TransitionContext,
): Change | Rejection {
  const { signal, inbox } = input;
  const over = at.run.status === 'ended' ? reject('run_ended', { run: at.run.id }) : null;
  const move = over ?? def.receive(at.run.state as unknown as BaseState, signal);
  const base = { type: 'signal_received' as const, inbox_done: inbox };
  if (isRejection(move)) {
    // A person is told; a message nobody wants is taken out of the inbox with the reason on record.
    if (signal.type === 'command' && inbox === null) return move;
    return toChange(def, at, { ...base, input: { signal, refused: move.rejection } }, ctx);
  }
  const engine = signal.type === 'command' ? { halt: null } : {};
  return toChange(def, at, { ...base, input: { signal }, engine, ...reevaluate(def, at, move, ctx) }, ctx);
}

/**
 * After a signal: a gate or wait is asked again at once; running work goes on and settles against the changed state
 * unless the move interrupts it; a started outside write is never interrupted.
 */
function reevaluate(def: Workflow, at: At, move: Move<BaseState>, ctx: TransitionContext): Partial<Parts> {
  const { run, gate } = at;
  const kept = { state: move.state, records: move.records };
  const current = run.step;
  const effect = current.kind !== 'gate' && current.kind !== 'wait' && current.kind !== 'end';
  const interruptible = current.kind === 'work' || current.kind === 'check' || current.kind === 'look';
  if (effect && !(move.interrupt && interruptible)) return kept;
  const step = def.next(move.state);
  if (current.kind === 'wait' && canonicalJson(step) === canonicalJson(current)) return kept;
  const again = current.kind === 'gate' && step.kind === 'gate' && step.gate.name === current.name ? gate : null;
  const turn = run.turn + 1;
  const entered = enterStep(step, { ...enterContext(def, at, turn, ctx), again });
  if (again && entered.gate?.digest === again.digest) return kept;
  const engine = run.trouble ? { engine: { trouble: null } } : {};
  const closes = gate ? { closes: 'withdrawn' as const } : {};
  return { ...kept, entered, turn, settled: new Map(), ...engine, ...closes };
}

function openTrouble(
  def: Workflow,
  at: At,
  input: Extract<Input, { kind: 'trouble' }>,
  ctx: TransitionContext,
): Change {
  const { trouble, args } = input;
  const step: Step = { kind: 'gate', gate: troubleGate(trouble.kind, args) };
  const context = { ...enterContext(def, at, at.run.turn, ctx), gates: troubleGates };
  const entered = enterStep(step, context);
  const gate = entered.gate as Gate;
  const engine = { trouble: { ...trouble, gate: gate.id }, counters: entered.counters };
  return toChange(def, at, { type: 'trouble_opened', input: { ...trouble, args }, engine, gate }, ctx);
}

function enterNext(def: Workflow, at: At, move: Move<BaseState>, ctx: TransitionContext): Entered {
  assertLegal(def, at.run.phase, move.state.phase);
  return enterStep(def.next(move.state), enterContext(def, at, at.run.turn + 1, ctx));
}

/** Phases move only along the workflow's table. */
function assertLegal(def: Workflow, from: string, to: string): void {
  if (from === to) return;
  if (!def.phases[from]?.to.includes(to)) throw new InvariantError(`${def.name}: ${from} -> ${to} is not in the phase table`);
}

function enterContext(def: Workflow, at: At, turn: number, ctx: TransitionContext): EnterContext {
  const { run } = at;
  return { run: run.id, turn, counters: run.counters, gates: def.gates, hash: ctx.hash, now: ctx.now, again: null };
}

/** Writes the parts down: the next row, the events with their patches, records, effects, gate and inbox. */
function toChange(def: Workflow, at: At, parts: Parts, ctx: TransitionContext): Change {
  const { run } = at;
  const { entered } = parts;
  const records = parts.records ?? [];
  const state = parts.state ?? (run.state as unknown as BaseState);
  if (parts.type !== 'run_created') assertLegal(def, run.phase, state.phase);
  const core: RunCore = {
    ...coreOf(run),
    turn: entered ? (parts.turn ?? run.turn + 1) : run.turn,
    step: entered ? entered.step : run.step,
    counters: entered ? entered.counters : run.counters,
    ...parts.engine,
    phase: state.phase,
    lang: state.user_lang,
    title: parts.state ? def.title(state) : run.title,
    subject: records.findLast((record) => record.kind === 'claim')?.subject ?? run.subject,
    state: state as unknown as RunCore['state'],
    status: run.status,
  };
  const status = statusOf(core, entered);
  const next: RunCore = { ...core, status };
  const events = writeEvents(run, next, parts, ctx);
  const held = ctx.lease.holder && (status === 'working' || (ctx.lease.at_rest && status !== 'ended'));
  const gate = entered?.gate ?? parts.gate ?? null;
  return {
    run: {
      ...next,
      revision: run.revision + 1,
      seq: run.seq + events.length,
      epoch: ctx.lease.epoch,
      holder: held ? ctx.lease.holder : null,
      updated_at: ctx.now,
    },
    guard: { revision: run.revision, epoch: run.epoch },
    events,
    records: storeRecords(run, records, ctx.now),
    opened: startEffects(entered?.effects ?? [], Boolean(held) && !core.halt),
    settled: parts.settled ? { turn: run.turn, results: parts.settled } : null,
    gate_opened: gate,
    gate_closed: parts.closes && at.gate ? { id: at.gate.id, status: parts.closes, at: ctx.now } : null,
    answer: parts.answer ?? null,
    inbox_added: outgoing(run, records, ctx),
    inbox_done: parts.inbox_done ?? null,
    drive_opened: ctx.lease.drive,
  };
}

/** An effect nobody performs yet is on record as planned: a crash before it starts cannot have done it. */
function startEffects(effects: readonly Effect[], performed: boolean): readonly Effect[] {
  return performed ? effects : effects.map((effect) => ({ ...effect, started_at: null }));
}

function statusOf(core: RunCore, entered: Entered | undefined): RunCore['status'] {
  if (core.step.kind === 'end') return 'ended';
  if (core.halt) return 'halted';
  if (core.trouble) return 'waiting';
  return entered?.status ?? restStatus(core.step);
}

function restStatus(step: CurrentStep): RunCore['status'] {
  if (step.kind === 'gate') return 'waiting';
  if (step.kind === 'wait') return step.until.kind === 'command' ? 'halted' : 'sleeping';
  return step.kind === 'end' ? 'ended' : 'working';
}

/** What the log rebuilds: the row without lease, revision and time of the last write. */
export function coreOf(run: Run): RunCore {
  const { revision, seq, epoch, holder, updated_at, ...core } = run;
  return core;
}

/** The first event carries all patches, so that every prefix of the log is a valid run; the rest only tell. */
function writeEvents(run: Run, next: RunCore, parts: Parts, ctx: TransitionContext): RunEvent[] {
  const created = parts.type === 'run_created';
  const { state: before, ...rowBefore } = coreOf(run);
  const { state: after, ...rowAfter } = next;
  const base = { run: run.id, at: ctx.now, by: ctx.by };
  const first: RunEvent = {
    ...base,
    seq: run.seq + 1,
    type: parts.type,
    turn: run.turn,
    input: parts.input,
    patch: before === after ? NO_PATCH : diff(before, after),
    row: diff(created ? {} : rowBefore, rowAfter),
  };
  const told = tellStep(parts);
  if (!told) return [first];
  return [first, { ...base, ...told, seq: run.seq + 2, turn: next.turn, patch: NO_PATCH, row: NO_PATCH }];
}

function tellStep(parts: Parts): { type: EventType; input: unknown } | null {
  const gate = parts.entered?.gate ?? parts.gate;
  if (gate) {
    const { id, name, iteration, digest } = gate;
    return { type: 'gate_opened', input: { gate: id, name, iteration, digest } };
  }
  const step = parts.entered?.step;
  if (!step) return null;
  if (step.kind === 'end') return { type: 'run_ended', input: step.outcome };
  if (step.kind === 'wait') return { type: step.until.kind === 'command' ? 'run_halted' : 'run_slept', input: step.until };
  return { type: 'step_started', input: { kind: step.kind, effects: parts.entered?.effects.map((e) => e.role ?? e.kind) } };
}

function storeRecords(run: Run, records: readonly MoveRecord[], at: Instant): StoredRecord[] {
  return records.map((record, n) => ({ run: run.id, seq: run.seq + 1, n, record, at }));
}

/** Messages and commands for other runs go into their inboxes in this same transaction. */
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
