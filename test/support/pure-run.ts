import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer } from '../../src/contract/answer.ts';
import type { Msg } from '../../src/contract/brief.ts';
import type { Hash } from '../../src/contract/ids.ts';
import type { Move, MoveRecord } from '../../src/contract/move.ts';
import type { CallOutcome, Outcome, Signal } from '../../src/contract/outcome.ts';
import type { Policy } from '../../src/contract/run.ts';
import type { EffectStep, SlotRef, Step } from '../../src/contract/step.ts';
import { isRejection, type Rejection } from '../../src/engine/rejection.ts';
import type { BaseState, StartFacts, Workflow } from '../../src/engine/workflow.ts';
import { translator } from './texts.ts';

type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> : never;
export type PureOutcome = WithoutTime<Outcome>;
export type PureSignal = WithoutTime<Signal>;

/**
 * A run without a runtime: the workflow's own functions folded over a list of inputs. Every move is checked on the
 * way: the state fits its schema, phases follow the table, `next` answers twice the same, gates and roles are in
 * their tables, every result the state refers to is named by a record, and every message can be said in both languages.
 */
export interface PureRun {
  readonly def: Workflow;
  readonly state: BaseState & Record<string, unknown>;
  readonly step: Step;
  /** The effect that was running when a signal ended the run. */
  readonly running?: Step;
  readonly records: readonly MoveRecord[];
  /** How many records there were after each state. */
  readonly markers: readonly number[];
  /** Every state the run has been in, oldest first. */
  readonly states: readonly (BaseState & Record<string, unknown>)[];
  readonly steps: readonly Step[];
  /** Steps without anything to do are passed over, as the engine does. Their states and steps are listed. */
  readonly passes?: true;
}

export const policy: Policy = {
  namespace: 'baton',
  agent: 'rehearsal',
  script: null,
  in_place: false,
  tree: 'checkout',
  unattended: false,
  budget: { money_usd: 5, tokens: null, worker_minutes: 60, attempts: null },
};

/** What the runtime would have gathered; no git unless said. */
export function startFacts(changes: Partial<StartFacts> = {}): StartFacts {
  return {
    now: '2026-11-15T10:00:00.000Z',
    run: 'sp-3aa',
    short_id: '3aa',
    uuid: '11111111-1111-8111-8111-111111111111',
    folder: 'photos',
    git: null,
    policy,
    reference: null,
    unbound: [],
    approved_spec: null,
    live: [],
    measured: [],
    ...changes,
  };
}

/** Texts by their address, so that a slot can be read as a worker would get it. */
const TEXTS = new Map<Hash, string>();

export function hashOf(text: string): Hash {
  const hash: Hash = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  TEXTS.set(hash, text);
  return hash;
}

/** What a worker of the present step is handed, slot by slot. */
export function slotsOf(run: PureRun, role: string): Record<string, string> {
  const calls = run.step.kind === 'work' ? run.step.calls : [];
  const call = calls.find((one) => one.role === role);
  if (!call) throw new Error(`no ${role} is at work`);
  return Object.fromEntries(Object.entries(call.slots).map(([name, ref]) => [name, slotText(run, ref)]));
}

function slotText(run: PureRun, ref: SlotRef): string {
  if ('text' in ref) return ref.text;
  if ('json' in ref) return JSON.stringify(ref.json);
  if ('brief' in ref) return JSON.stringify(ref.brief);
  if ('records' in ref) return JSON.stringify(entries(run, ref.records));
  const text = TEXTS.get(ref.artefact);
  if (text === undefined) throw new Error(`no text of ${ref.artefact}`);
  return text;
}

/** Starts a run that must not be refused. */
export function startPure(def: Workflow, input: unknown, facts: StartFacts = startFacts()): PureRun {
  const move = def.start(input, facts);
  if (isRejection(move)) throw new Error(`start refused: ${move.rejection} ${JSON.stringify(move.message)}`);
  const state = checked(def, move.state);
  const step = stepOf(def, state);
  sayAll([step, move.records]);
  const { records } = move;
  return { def, state, step, records, markers: [records.length], states: [state], steps: [step] };
}

/** One outcome of the present step. */
export function settlePure(run: PureRun, outcome: PureOutcome, at = timeAfter(run)): PureRun {
  const step = run.running ?? run.step;
  const move = refuseNothing(run.def.settle(run.state, step, { ...outcome, at } as Outcome));
  expect(unkept(outcome, move)).toEqual([]);
  return moved(run, move);
}

/** Results the state refers to and no record names: their texts would never reach the disk. */
function unkept(outcome: PureOutcome, { state, records }: Move<BaseState>): Hash[] {
  const calls = outcome.kind === 'worked' ? outcome.calls : [];
  const named = records.flatMap((record) => (record.kind === 'artefact' ? [record.hash] : []));
  const text = JSON.stringify(state);
  return calls.flatMap((call) =>
    call.kind === 'ok' && text.includes(call.artefact) && !named.includes(call.artefact)
      ? [call.artefact]
      : [],
  );
}

/** One signal that must be taken. If it ends the run, a running effect can still end late. */
export function signalPure(run: PureRun, signal: PureSignal, at = timeAfter(run)): PureRun {
  const move = refuseNothing(run.def.receive(run.state, { ...signal, at } as Signal));
  const after = moved(run, move);
  return after.step.kind === 'end' && isEffect(run.step) ? { ...after, running: run.step } : after;
}

/** What a signal is refused with. */
export function refusedSignal(run: PureRun, signal: PureSignal, at = timeAfter(run)): Rejection {
  const move = run.def.receive(run.state, { ...signal, at } as Signal);
  if (!isRejection(move)) throw new Error('the signal was taken');
  return move;
}

export function command(name: string): PureSignal {
  return { type: 'command', command: name, by: 'ada', args: {} };
}

/** An answer to the present gate, checked against the options it offers. */
export function answerOf(
  run: PureRun,
  option: string,
  more: { text?: string | null; fields?: Record<string, string | null> } = {},
): PureOutcome {
  if (run.step.kind !== 'gate') throw new Error(`no gate but '${run.step.kind}' is open`);
  expect(offered(run)).toContain(option);
  const answer: Answer = {
    receipt: 'an-1',
    gate: 'sp-3aa.g1',
    run: 'sp-3aa',
    iteration: 1,
    option,
    text: more.text ?? null,
    fields: more.fields ?? {},
    digest: hashOf('shown'),
    by: { person: 'Ada <ada@example.org>', surface: 'test', proof: 'composition' },
    at: timeAfter(run),
  };
  return { kind: 'answered', answer };
}

export function answerPure(run: PureRun, option: string, more: Parameters<typeof answerOf>[2] = {}): PureRun {
  return settlePure(run, answerOf(run, option, more));
}

/** A worker's valid result: it has passed schema and check of its role, as the runtime would see to. */
export function okCall(run: PureRun, result: unknown, n = 0): CallOutcome {
  const call = run.step.kind === 'work' ? run.step.calls[n] : undefined;
  const role = run.def.roles[call?.role ?? ''];
  if (!call || !role) throw new Error('no worker is at work');
  const value = role.result.parse(result);
  expect(role.check?.(value as never, run.state, call) ?? []).toEqual([]);
  return { kind: 'ok', result: value, artefact: hashOf(JSON.stringify(value)), line: null };
}

/** A worker that gave up after its tries; a parse failure keeps what came. */
export function badCall(kind: 'dispatch_failed' | 'parse_failed', text = 'garbage'): CallOutcome {
  return { kind, detail: 'nothing', text: kind === 'parse_failed' ? hashOf(text) : null, attempts: 3 };
}

export function workPure(run: PureRun, result: unknown): PureRun {
  return settlePure(run, { kind: 'worked', calls: [okCall(run, result)] });
}

export function failPure(
  run: PureRun,
  kind: 'dispatch_failed' | 'parse_failed' = 'dispatch_failed',
): PureRun {
  return settlePure(run, { kind: 'worked', calls: [badCall(kind)] });
}

/** A step without calls settles by itself. */
export function passPure(run: PureRun): PureRun {
  expect(run.step).toMatchObject({ kind: 'work', calls: [] });
  return settlePure(run, { kind: 'worked', calls: [] });
}

export function offered(run: PureRun): readonly string[] {
  if (run.step.kind !== 'gate') return [];
  const { gate } = run.step;
  return gate.offers ?? Object.keys(run.def.gates[gate.name]?.options ?? {});
}

export function entries(run: PureRun, name: string): unknown[] {
  return run.records.flatMap((record) =>
    record.kind === 'entry' && record.name === name ? [record.data] : [],
  );
}

export function notices(run: PureRun, lang: 'en' | 'ko', level?: 'info' | 'warning'): string[] {
  const t = translator(lang);
  return run.records.flatMap((record) =>
    record.kind === 'notice' && (level === undefined || record.level === level) ? [t(record.text)] : [],
  );
}

/** A minute later than the last move, so that histories have an order. */
function timeAfter(run: PureRun): string {
  const minutes = run.states.length;
  return `2026-11-15T${String(10 + Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00.000Z`;
}

function moved(
  run: PureRun,
  move: { state: BaseState; records: readonly MoveRecord[]; interrupt?: true },
): PureRun {
  const state = checked(run.def, move.state);
  legal(run.def, run.state.phase, state.phase);
  const step = stepOf(run.def, state);
  sayAll([step, move.records, run.def.status(state)]);
  const after: PureRun = {
    ...run,
    state,
    step,
    records: [...run.records, ...move.records],
    markers: [...run.markers, run.records.length + move.records.length],
    states: [...run.states, state],
    steps: [...run.steps, step],
  };
  return run.passes ? passOver(after) : after;
}

/** Settles steps without calls until there is something to do. */
function passOver(run: PureRun): PureRun {
  const empty = run.step.kind === 'work' && run.step.calls.length === 0;
  return empty ? settlePure(run, { kind: 'worked', calls: [] }) : run;
}

function checked(def: Workflow, state: BaseState): BaseState & Record<string, unknown> {
  const parsed = def.state.parse(state);
  expect(parsed).toEqual(state);
  expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  return state as BaseState & Record<string, unknown>;
}

function legal(def: Workflow, from: string, to: string): void {
  if (from !== to) expect(def.phases[from]?.to).toContain(to);
}

function stepOf(def: Workflow, state: BaseState): Step {
  const step = def.next(state);
  expect(def.next(state)).toEqual(step);
  if (step.kind === 'gate') {
    const definition = def.gates[step.gate.name];
    expect(definition).toBeDefined();
    for (const option of step.gate.offers ?? []) expect(definition?.options).toHaveProperty(option);
  }
  if (isEffect(step)) expect(Object.keys(def.phases)).toContain(step.during);
  if (step.kind === 'work') {
    for (const call of step.calls) {
      const names = def.roles[call.role]?.slots.map((slot) => slot.name);
      expect(names).toEqual(expect.arrayContaining(Object.keys(call.slots)));
    }
  }
  return step;
}

function isEffect(step: Step): step is EffectStep {
  return step.kind !== 'gate' && step.kind !== 'wait' && step.kind !== 'end';
}

/** Says every catalogue text inside a value in both languages; a missing id or argument throws. */
function sayAll(value: unknown): void {
  for (const lang of ['en', 'ko'] as const) {
    const t = translator(lang);
    for (const msg of messagesIn(value)) expect(t(msg)).not.toBe('');
  }
}

function messagesIn(value: unknown): Msg[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('msg' in value && typeof value.msg === 'string') return [value as Msg];
  return Object.values(value).flatMap(messagesIn);
}

function refuseNothing<T extends object>(move: T | Rejection): T {
  if (isRejection(move)) throw new Error(`refused: ${move.rejection}`);
  return move;
}
