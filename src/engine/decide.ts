import type { Answer } from '../contract/answer.ts';
import type { GateDefinition, GateSpec, OptionSpec } from '../contract/gate.ts';
import type { Instant } from '../contract/ids.ts';
import type { Move } from '../contract/move.ts';
import type { CallOutcome, CheckResult, Failure, Outcome } from '../contract/outcome.ts';
import type { Check, RunOutcome, SlotRef, Step, Tier, Wait, WorkerCall } from '../contract/step.ts';
import {
  type Found,
  QUERIES,
  type QueryInput,
  type QueryName,
  WRITES,
  type WriteInput,
  type WriteName,
  type Written,
} from '../contract/world.ts';
import { InvariantError } from './errors.ts';
import { isRejection, type Rejection, reject } from './rejection.ts';
import type { BaseState } from './workflow.ts';

/**
 * A step together with its continuation. A workflow is one function from its state to a decision. `settle` recomputes
 * the decision for the stored state and calls the continuation with the result.
 */
export interface Decision<T> {
  readonly step: Step;
  readonly settle: (outcome: Outcome) => T | Rejection | Unhandled;
}

/** A failure that the step does not handle. It goes to `failed` of the workflow. */
interface Unhandled {
  readonly unhandled: Failure;
}

/** The builders do not know the phase. `fromDecide` fills it in. */
const UNKNOWN_PHASE = '';

type OnFailed<T> = (failure: Failure, at: Instant) => T;

/** Reads the world. An unreadable result counts as a failure. */
export function query<T, Q extends QueryName>(
  what: Q,
  input: QueryInput<Q>,
  found: (found: Found<Q>, at: Instant) => T,
  failed?: OnFailed<T>,
): Decision<T> {
  return {
    step: { kind: 'query', during: UNKNOWN_PHASE, what: { what, input } },
    settle: (outcome) => {
      if (outcome.kind === 'failed') return fail(outcome.failure, outcome.at, failed);
      if (outcome.kind !== 'queried') throw unexpected(`query ${what}`, outcome);
      const parsed = QUERIES[what].safeParse(outcome.found);
      if (parsed.success) return found(parsed.data as Found<Q>, outcome.at);
      return fail(unreadable(`query ${what}`, parsed.error), outcome.at, failed);
    },
  };
}

/**
 * Performs one outside write. `assumed`: its result is unknown, and a person confirmed that it happened. An unreadable
 * result counts as a failure.
 */
export function write<T, W extends WriteName>(
  op: W,
  input: WriteInput<W>,
  written: (result: Written<W> | 'assumed', at: Instant) => T,
  failed?: OnFailed<T>,
): Decision<T> {
  const { kind } = WRITES[op];
  return {
    step: { kind, during: UNKNOWN_PHASE, op: { op, input } },
    settle: (outcome) => {
      if (outcome.kind === 'failed') return fail(outcome.failure, outcome.at, failed);
      if (outcome.kind !== 'written') throw unexpected(op, outcome);
      const result = readWritten(op, outcome.result);
      return isUnhandled(result)
        ? fail(result.unhandled, outcome.at, failed)
        : written(result as Written<W> | 'assumed', outcome.at);
    },
  };
}

function readWritten(op: WriteName, result: unknown): unknown {
  if (typeof result === 'object' && result !== null && 'assumed' in result) return 'assumed';
  const parsed = WRITES[op].result.safeParse(result);
  return parsed.success ? parsed.data : { unhandled: unreadable(op, parsed.error) };
}

function unreadable(
  what: string,
  error: { readonly issues: readonly { readonly message: string }[] },
): Failure {
  const detail = `the result of '${what}' is unreadable: ${error.issues[0]?.message}`;
  return { code: 'unreadable_result', retry: 'permanent', detail };
}

function fail<T>(failure: Failure, at: Instant, failed: OnFailed<T> | undefined): T | Unhandled {
  return failed ? failed(failure, at) : { unhandled: failure };
}

/** A worker call and the schema of its result. */
export interface Call<R> {
  readonly call: WorkerCall;
  readonly result: Reader<R>;
}

/** A schema, or an object that creates one when there is a result to parse. */
export interface Reader<R> {
  readonly parse: (value: unknown) => R;
}

export function ask<R>(
  role: string,
  result: Reader<R>,
  slots: Readonly<Record<string, SlotRef>>,
  tier: Tier = 'inherit',
): Call<R> {
  return { call: { role, slots, tier }, result };
}

/** How one call ended: with its parsed result, or without one. */
export type Ended<R> = { readonly role: string } & (EndedOk<R> | EndedFailed);
export type EndedOk<R> = Omit<Extract<CallOutcome, { kind: 'ok' }>, 'result'> & { readonly result: R };
export type EndedFailed = Exclude<CallOutcome, { kind: 'ok' }>;
type EndedOf<C extends readonly Call<unknown>[]> = {
  readonly [N in keyof C]: C[N] extends Call<infer R> ? Ended<R> : never;
};

/** Calls workers in parallel. The continuation gets the end of each call, in the order of the calls. */
export function work<T, const C extends readonly Call<unknown>[]>(
  calls: C,
  ended: (ended: EndedOf<C>, at: Instant) => T,
): Decision<T> {
  return {
    step: { kind: 'work', during: UNKNOWN_PHASE, calls: calls.map(({ call }) => call) },
    settle: (outcome) => {
      if (outcome.kind !== 'worked' || outcome.calls.length !== calls.length)
        throw unexpected('work', outcome);
      const ends = calls.map(({ call: { role }, result }, n): Ended<unknown> => {
        const end = outcome.calls[n] as CallOutcome;
        return end.kind === 'ok' ? { ...end, role, result: result.parse(end.result) } : { ...end, role };
      });
      return ended(ends as EndedOf<C>, outcome.at);
    },
  };
}

/** Nothing to do in this phase. The engine passes over it in the same transition. */
export function pass<T>(onward: (at: Instant) => T): Decision<T> {
  return {
    step: { kind: 'work', during: UNKNOWN_PHASE, calls: [] },
    settle: ({ at }) => onward(at),
  };
}

/** Runs checks one after another. */
export function check<T>(
  checks: readonly Check[],
  checked: (results: readonly CheckResult[], at: Instant) => T,
): Decision<T> {
  return {
    step: { kind: 'check', during: UNKNOWN_PHASE, checks },
    settle: (outcome) => {
      if (outcome.kind === 'failed') return { unhandled: outcome.failure };
      if (outcome.kind !== 'checked') throw unexpected('check', outcome);
      return checked(outcome.checks, outcome.at);
    },
  };
}

/** An option with required text always has one. */
type AnswerTo<O extends OptionSpec> = O['text'] extends 'required'
  ? Answer & { readonly text: string }
  : Answer;
/** One continuation for each option. An option that holds the gate has none, because the run does not move. */
export type OnAnswers<D extends GateDefinition, T> = {
  readonly [K in keyof D['options'] as D['options'][K]['effect_on_run'] extends 'hold' ? never : K]: (
    answer: AnswerTo<D['options'][K]>,
  ) => T | Rejection;
};

/** Asks a person. A missing continuation for an option does not compile. */
export function gate<T, D extends GateDefinition>(
  _definition: D,
  spec: GateSpec,
  on: OnAnswers<D, T>,
): Decision<T> {
  const ways = on as Readonly<Record<string, (answer: Answer) => T | Rejection>>;
  return {
    step: { kind: 'gate', gate: spec },
    settle: (outcome) => {
      if (outcome.kind !== 'answered') throw unexpected(`gate ${spec.name}`, outcome);
      const { option, gate } = outcome.answer;
      const onAnswer = Object.hasOwn(ways, option) ? ways[option] : undefined;
      const allowed = Object.keys(ways).join(', ');
      return onAnswer ? onAnswer(outcome.answer) : reject('no_such_option', { gate, option, allowed });
    },
  };
}

/** Waits for a signal, which `receive` handles, or for a time. Only a wait for a time has a continuation. */
export function wait<T>(until: Wait, woken?: (at: Instant) => T): Decision<T> {
  return {
    step: { kind: 'wait', until },
    settle: (outcome) => {
      if (outcome.kind !== 'woken' || !woken) throw unexpected(`wait ${until.kind}`, outcome);
      return woken(outcome.at);
    },
  };
}

/** Ends the run. */
export function end(outcome: RunOutcome): Decision<never> {
  return {
    step: { kind: 'end', outcome },
    settle: (late) => {
      throw unexpected('end', late);
    },
  };
}

/** Uses a shared part of the kit, which decides in its own terms. `on` turns its result into a move. */
export function follow<A extends object, B>(
  { step, settle }: Decision<A>,
  on: (result: A, at: Instant) => B,
): Decision<B> {
  return {
    step,
    settle: (outcome) => {
      const result = settle(outcome);
      return isRejection(result) || isUnhandled(result) ? result : on(result, outcome.at);
    },
  };
}

function isUnhandled(value: unknown): value is Unhandled {
  return typeof value === 'object' && value !== null && 'unhandled' in value;
}

function unexpected(what: string, { kind }: Outcome): InvariantError {
  return new InvariantError(`'${what}' ended with '${kind}'`);
}

/** Identifies a step by what it does, without its input. Two steps with the same key have the same continuation. */
function stepKey(step: Step): string {
  switch (step.kind) {
    case 'gate':
      return `gate ${step.gate.name}`;
    case 'work':
      return `work ${step.during} ${step.calls.map(({ role }) => role).join('+')}`;
    case 'check':
      return `check ${step.during} ${step.checks.map(({ name }) => name).join('+')}`;
    case 'query':
      return `query ${step.what.what}`;
    case 'wait':
      return `wait ${step.until.kind}`;
    case 'end':
      return 'end';
    default:
      return `${step.kind} ${step.op.op}`;
  }
}

/** What a finished write means after the run has left its step. A write without an entry does not move the run. */
type Late<S> = {
  readonly [W in WriteName]?: (state: S, result: Written<W> | 'assumed', at: Instant) => Move<S>;
};

interface Decided<S> {
  /** Total and pure. Called again while the step runs, it returns the same step. */
  readonly decide: (state: S) => Decision<Move<S>>;
  /** A step failed and has no continuation for that. `what` is the step in words: `query setup`, `commit`. */
  readonly failed: (state: S, what: string, failure: Failure, at: Instant) => Move<S>;
  readonly late?: Late<S>;
}

/** `next` and `settle` of a workflow that decides. */
export function fromDecide<S extends BaseState>({
  decide,
  failed,
  late = {},
}: Decided<S>): {
  readonly next: (state: S) => Step;
  readonly settle: (state: S, step: Step, outcome: Outcome) => Move<S> | Rejection;
} {
  const next = (state: S) => inPhase(decide(state).step, state.phase);
  return {
    next,
    settle: (state, stored, outcome) => {
      const decision = decide(state);
      const step = inPhase(decision.step, state.phase);
      if (stepKey(step) !== stepKey(stored)) return settleLate(late, state, stored, outcome);
      const move = decision.settle(outcome);
      return isUnhandled(move) ? failed(state, nameOf(step), move.unhandled, outcome.at) : move;
    },
  };
}

function inPhase(step: Step, phase: string): Step {
  return 'during' in step ? { ...step, during: phase } : step;
}

/**
 * The run left the step while it ran, or a newer version decides otherwise. Results of reads, workers and checks are
 * dropped: the new step repeats them if it needs them. A write cannot be undone, so it is recorded.
 */
function settleLate<S>(late: Late<S>, state: S, stored: Step, outcome: Outcome): Move<S> {
  if (!('op' in stored)) return { state, records: [] };
  const { op } = stored.op;
  const result = outcome.kind === 'written' ? outcome.result : outcome.kind === 'failed' && outcome.failure;
  const record = { kind: 'entry', name: 'late', data: { op, result } } as const;
  const onLate = late[op as WriteName] as ((state: S, result: unknown, at: Instant) => Move<S>) | undefined;
  const written = outcome.kind === 'written' ? readWritten(op as WriteName, outcome.result) : null;
  if (!onLate || written === null || isUnhandled(written)) return { state, records: [record] };
  const move = onLate(state, written, outcome.at);
  return { ...move, records: [record, ...move.records] };
}

function nameOf(step: Step): string {
  if (step.kind === 'query') return `query ${step.what.what}`;
  return 'op' in step ? step.op.op : step.kind;
}
