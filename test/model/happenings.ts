import type { Answer, AnsweredBy } from '../../src/contract/answer.ts';
import type { Gate } from '../../src/contract/gate.ts';
import type { CallOutcome, Outcome, Signal } from '../../src/contract/outcome.ts';
import type { Trouble } from '../../src/contract/run.ts';
import type { EffectKind, EffectStep, WorkerCall } from '../../src/contract/step.ts';
import { refuseAnswer } from '../../src/engine/answers.ts';
import type { Input } from '../../src/engine/input.ts';
import type { Rejection } from '../../src/engine/rejection.ts';
import type { BaseState } from '../../src/engine/workflow.ts';
import type { At } from '../../src/engine/write-change.ts';
import { hashOf } from '../support/pure-run.ts';
import type { Delivered, Named, World } from './world.ts';

/** Everything happens at one time: no workflow decides by the clock, and states that differ in times alone are one. */
export const NOW = '2026-11-15T12:00:00.000Z';

const ADA: AnsweredBy = { person: 'Ada <ada@example.org>', surface: 'test', proof: 'composition' };

/** One thing that can come to a run. `person` and `outside` are somebody's doing; the others come by themselves. */
export interface Happening {
  readonly name: string;
  readonly by: 'person' | 'world' | 'run' | 'outside' | 'drive';
  readonly input: Input | Rejection;
  readonly gives_up?: true;
}

export function stateOf(at: At): BaseState {
  return at.run.state as unknown as BaseState;
}

/** Everything that can happen to a run as it stands; the same list for the same state. */
export function happenings(world: World, at: At): Happening[] {
  const { run, gate } = at;
  const standing = [...commands(world, at), ...signals(world, at)];
  if (run.status === 'ended') return standing;
  if (gate) return [...answers(world, gate), ...delegated(world, at, gate), ...standing];
  if (run.halt) return standing;
  return [...outcomes(world, at), ...standing];
}

function answers(world: World, gate: Gate): Happening[] {
  return Object.entries(gate.options).flatMap(([option, { text, fields }]) => {
    const texts = text === 'required' ? (world.texts[`${gate.name} ${option}`] ?? []) : [null];
    const forms = fields ? [filled(gate), left(gate)] : [{}];
    return texts.flatMap((one, n) =>
      forms.map((form, m) => {
        const name = `answer ${gate.name} ${option}${n + m > 0 ? ` (${n + m + 1})` : ''}`;
        return { name, by: 'person', input: answer(gate, { option, text: one, fields: form }, ADA) } as const;
      }),
    );
  });
}

function filled(gate: Gate): Record<string, string> {
  return Object.fromEntries(gate.fields.map(({ id }) => [id, `An answer to ${id}.`]));
}

/** What need not be answered is left open. */
function left(gate: Gate): Record<string, string> {
  const needed = gate.fields.filter(({ required }) => required).map(({ id }) => id);
  return Object.fromEntries(Object.entries(filled(gate)).filter(([id]) => needed.includes(id)));
}

type GivenAnswer = Pick<Answer, 'option' | 'text' | 'fields'>;

/** As the runtime takes it: what does not fit the gate exactly as it stands never reaches the run. */
function answer(gate: Gate, said: GivenAnswer, by: AnsweredBy): Input | Rejection {
  const { id, run, digest, iteration } = gate;
  const refused = refuseAnswer(gate, { ...said, digest, typed: gate.typed });
  if (refused) return refused;
  return {
    kind: 'answer',
    answer: { receipt: 'an-1', gate: id, run, iteration, ...said, digest, by, at: NOW },
  };
}

/** What a drive does at an open gate that may be delegated (CON-35): pauses, answers for the person, or asks a judge. */
function delegated(world: World, at: At, gate: Gate): Happening[] {
  const { def, drives = [] } = world;
  if (gate.class !== 'forward' || at.run.halt) return [];
  return drives.flatMap(({ mode, trust }): Happening[] => {
    const said = def.delegate?.(stateOf(at), { mode, trust, content: JSON.stringify(gate.brief) });
    const name = `drive ${mode.kind} ${trust} ${gate.name}`;
    if (said?.kind === 'accept') {
      const by = { agent: mode.kind, drive: 'dr-1' };
      return [{ name, by: 'drive', input: answer(gate, { option: 'accept', text: null, fields: {} }, by) }];
    }
    return said?.kind === 'judge' ? [{ name, by: 'drive', input: signal({ type: 'judge', at: NOW }) }] : [];
  });
}

function signal(value: Signal): Input {
  return { kind: 'signal', signal: value, inbox: value.type === 'command' ? null : 'in-1' };
}

/** Commands as the API takes them: `resume` lifts a halt, unless the workflow itself waits for it. */
function commands(world: World, at: At): Happening[] {
  const { run } = at;
  const waits = run.step.kind === 'wait' && run.step.until.kind === 'command' ? run.step.until.commands : [];
  const named = [...new Set([...waits, ...world.commands(stateOf(at), stops(at))])].map(
    (command): Happening => {
      const given = signal({ type: 'command', command, by: 'ada', args: {}, at: NOW });
      const giving = world.giving_up.includes(command) ? ({ gives_up: true } as const) : {};
      return { name: `command ${command}`, by: 'person', input: given, ...giving };
    },
  );
  if (!run.halt || waits.includes('resume')) return named;
  return [{ name: 'resume', by: 'person', input: { kind: 'resume' } }, ...named];
}

function stops({ run, gate }: At): boolean {
  return gate !== null || run.halt !== null || run.step.kind === 'wait' || run.step.kind === 'end';
}

function signals(world: World, at: At): Happening[] {
  const anywhere = [
    {
      name: 'message',
      by: 'run',
      value: { type: 'message', from: 'x-1', name: 'nudge', data: null, at: NOW },
    },
  ] as const;
  return [...world.signals(stateOf(at)), ...anywhere].map(({ name, by, value }) => ({
    name,
    by,
    input: signal(value),
  }));
}

function outcomes(world: World, at: At): Happening[] {
  const { step } = at.run;
  if (step.kind === 'gate' || step.kind === 'end') return [];
  if (step.kind === 'wait') {
    return step.until.kind === 'time' ? [settled({ name: 'woken', value: { kind: 'woken', at: NOW } })] : [];
  }
  const state = stateOf(at);
  const all = ENDS[step.kind](world, state, step as never);
  const ends = world.fails?.(state) === false ? all.filter(({ value }) => !isFailure(value)) : all;
  const asked = world.troubled?.(state) ?? true;
  return [...ends.map(settled), ...(asked ? troubles(step) : [])];
}

function isFailure(outcome: Outcome): boolean {
  return (
    outcome.kind === 'failed' ||
    (outcome.kind === 'worked' && outcome.calls.some(({ kind }) => kind !== 'ok'))
  );
}

function settled({ name, value }: Named<Outcome>): Happening {
  return { name, by: 'world', input: { kind: 'outcome', outcome: value, results: new Map() } };
}

type Ends<K extends EffectKind> = (
  world: World,
  state: BaseState,
  step: Extract<EffectStep, { kind: K }>,
) => Named<Outcome>[];

const ENDS: { readonly [K in EffectKind]: Ends<K> } = {
  work: (world, state, { calls }) =>
    calls.length === 0
      ? [{ name: 'on', value: { kind: 'worked', calls: [], at: NOW } }]
      : worked(world, state, calls),
  check: (world, state, { checks }) => {
    const found = checks.length === 0 ? [{ name: 'none', value: [] }] : (world.checks?.(state, checks) ?? []);
    return found.map(({ name, value }) => ({
      name: `checks: ${name}`,
      value: { kind: 'checked', checks: value, at: NOW },
    }));
  },
  query: (world, state, { what }) => {
    const found = world.looks[what.what]?.(state, what) ?? [];
    return [
      ...found.map(({ name, value }) => ({
        name: `query ${what.what}: ${name}`,
        value: { kind: 'queried', found: value, at: NOW } as const,
      })),
      ...failed(found, `query ${what.what}`),
    ];
  },
  workspace: written,
  tracker: written,
  deploy: written,
};

function written(
  world: World,
  state: BaseState,
  { op }: Extract<EffectStep, { op: unknown }>,
): Named<Outcome>[] {
  const found = world.writes[op.op]?.(state, op) ?? [];
  return [
    ...found.map(({ name, value }) => ({
      name: `${op.op}: ${name}`,
      value: { kind: 'written', result: value, at: NOW } as const,
    })),
    ...failed(found, op.op),
  ];
}

/** Only where the world knows the thing at all: a step it cannot answer must be seen to have no end. */
function failed(found: readonly unknown[], what: string): Named<Outcome>[] {
  if (found.length === 0) return [];
  const failure = { code: 'io_failed', retry: 'permanent', detail: 'x' } as const;
  return [{ name: `${what} failed`, value: { kind: 'failed', failure, at: NOW } }];
}

/** All calls alike, in every way one can end; and in a group the first alone failing beside each kind of good ones. */
function worked(world: World, state: BaseState, calls: readonly WorkerCall[]): Named<Outcome>[] {
  const good = calls.map((call) =>
    world.results(state, call).map((one) => delivered(world, state, call, one)),
  );
  const roles = [...new Set(calls.map(({ role }) => role))].join('+');
  const ends: Named<CallOutcome[]>[] = [];
  for (let n = 0; n < Math.max(...good.map((list) => list.length)); n += 1) {
    const list = good.map((ways) => ways[Math.min(n, ways.length - 1)] as Named<CallOutcome>);
    const alike = list.map(({ value }) => value);
    ends.push({ name: list[0]?.name ?? '', value: alike });
    if (calls.length > 1) {
      ends.push({ name: `${list[1]?.name} but one`, value: [BAD.parse_failed, ...alike.slice(1)] });
    }
  }
  for (const [name, call] of Object.entries(BAD)) ends.push({ name, value: calls.map(() => call) });
  return ends.map(({ name, value }) => ({
    name: `${roles}: ${name}`,
    value: { kind: 'worked', calls: value, at: NOW },
  }));
}

const BAD = {
  dispatch_failed: { kind: 'dispatch_failed', detail: 'nothing came', text: null, attempts: 3 },
  parse_failed: { kind: 'parse_failed', detail: 'not readable', text: hashOf('garbage'), attempts: 3 },
} as const satisfies Record<string, CallOutcome>;

/** A result as the runtime would let it through: it passed schema and check of its role, or the world is wrong. */
function delivered(
  world: World,
  state: BaseState,
  call: WorkerCall,
  { name, value }: Named<Delivered>,
): Named<CallOutcome> {
  const role = world.def.roles[call.role];
  if (!role) return { name, value: BAD.dispatch_failed };
  const result = role.result.parse(value.result);
  const faults = role.check?.(result as never, state, call) ?? [];
  if (faults.length > 0) throw new Error(`the world's ${call.role} is not valid: ${faults.join(' ')}`);
  const artefact = value.artefact ?? hashOf(`${call.role} ${name}`);
  const denied = value.denied ? { denied: value.denied } : {};
  return { name, value: { kind: 'ok', result, artefact, line: null, ...denied } };
}

/**
 * The engine's own question before a step, one kind for each way out of it. Budget, disk and processes left behind have
 * exactly the two options of `infrastructure`.
 */
const TROUBLE: Readonly<Record<EffectKind, Trouble['kind']>> = {
  work: 'tree_changed',
  check: 'infrastructure',
  query: 'infrastructure',
  workspace: 'infrastructure',
  tracker: 'unknown_effect',
  deploy: 'unknown_effect',
};

function troubles(step: EffectStep): Happening[] {
  if (step.kind === 'work' && step.calls.length === 0) return [];
  const kind = TROUBLE[step.kind];
  const args = { what: step.kind, tries: 1, problem: 'x', free: 0 };
  const input: Input = { kind: 'trouble', trouble: { kind, effect: 0, attempts: 1 }, args };
  return [{ name: `trouble ${kind}`, by: 'world', input }];
}
