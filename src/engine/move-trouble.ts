import type { Answer } from '../contract/answer.ts';
import type { Change } from '../contract/change.ts';
import type { Gate, GateDefinition, GateSpec, OptionSpec } from '../contract/gate.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { Run, Trouble } from '../contract/run.ts';
import type { Step } from '../contract/step.ts';
import { answering, enterNext, stateOf } from './enter-next.ts';
import { enterStep } from './enter-step.ts';
import { InvariantError } from './errors.ts';
import type { Input } from './input.ts';
import { isRejection } from './rejection.ts';
import { brief } from './whole-brief.ts';
import type { Workflow } from './workflow.ts';
import { type At, enterContext, type TransitionContext, toChange } from './write-change.ts';

/** Opens a trouble gate: the engine asks a person before the step continues. The step stays the same. */
export function openTrouble(
  def: Workflow,
  at: At,
  input: Extract<Input, { kind: 'trouble' }>,
  ctx: TransitionContext,
): Change {
  const { trouble, args, records = [] } = input;
  const step: Step = { kind: 'gate', gate: troubleGate(trouble.kind, args) };
  const context = { ...enterContext(def, at, at.run.turn, ctx), gates: troubleGates };
  const entered = enterStep(step, context);
  const gate = entered.gate as Gate;
  const engine = { trouble: { ...trouble, gate: gate.id }, counters: entered.counters };
  const told = { ...trouble, args };
  return toChange(def, at, { type: 'trouble_opened', input: told, records, engine, gate }, ctx);
}

/** Applies the person's answer: the step counts as done, is entered again, or continues. */
export function answerTrouble(def: Workflow, at: At, answer: Answer, ctx: TransitionContext): Change {
  const { run } = at;
  const trouble = run.trouble as Trouble;
  const answered = { type: 'trouble_answered' as const, ...answering(answer) };
  const lifted = { trouble: null, halt: null };
  switch (TROUBLE_WAYS[answer.option]) {
    case 'settle_as_done': {
      const outcome: Outcome = { kind: 'written', result: { assumed: true }, at: answer.at };
      const move = def.settle(stateOf(run), run.step as Step, outcome);
      if (isRejection(move)) throw new InvariantError(`${run.id}: settle refused an assumed write`);
      return toChange(def, at, { ...answered, ...enterNext(def, at, move, ctx), engine: lifted }, ctx);
    }
    case 'enter_again': {
      const turn = run.turn + 1;
      const entered = enterStep(run.step as Step, enterContext(def, at, turn, ctx));
      return toChange(def, at, { ...answered, entered, turn, engine: lifted }, ctx);
    }
    default: {
      const engine = { ...lifted, counters: countersAfter(run, trouble) };
      return toChange(def, at, { ...answered, engine }, ctx);
    }
  }
}

/**
 * The counters after the answer. A changed tree is accepted, and a budget is granted once more. For other kinds, the
 * failed attempts no longer count.
 */
function countersAfter({ counters }: Run, { kind, attempts }: Trouble): Run['counters'] {
  const once = (name: string) => (counters[name] ?? 0) + 1;
  switch (kind) {
    case 'tree_changed':
      return { ...counters, tree_accepted: once('tree_accepted') };
    case 'budget':
      return { ...counters, extensions: once('extensions') };
    default:
      return { ...counters, forgiven: attempts };
  }
}

/**
 * Switches the run to other agents. An open question whether to retry the old agent is then moot, so its gate is
 * withdrawn and the step continues.
 */
export function changeAgent(
  def: Workflow,
  at: At,
  { agents, forgiven }: Extract<Input, { kind: 'agent' }>,
  ctx: TransitionContext,
): Change {
  const { run } = at;
  const policy = { ...run.policy, ...agents };
  const told = { agent: agents.agent, before: run.policy.agent };
  const same = told.agent === told.before ? 'yes' : 'no';
  const text = { msg: 'engine.agent_changed', args: { ...told, same, by: ctx.by } };
  const records: MoveRecord[] = [
    { kind: 'decision', name: 'agent_changed', data: told },
    { kind: 'notice', level: 'info', text },
  ];
  const moot = run.trouble?.kind === 'infrastructure' && run.step.kind === 'work';
  const engine = { policy, counters: { ...run.counters, forgiven }, ...(moot && { trouble: null }) };
  const closes = moot ? { closes: 'withdrawn' as const } : {};
  return toChange(def, at, { type: 'agent_changed', input: told, records, engine, ...closes }, ctx);
}

const option = (key: string, effect_on_run: 'settle' | 'hold'): OptionSpec => ({
  text: 'none',
  effect_on_run,
  label: { msg: `engine.trouble.option.${key}` },
  description: { msg: `engine.trouble.option.${key}.effect` },
});

/** The engine's own gates, one per kind of trouble. Only a person answers them. */
const OPTIONS = {
  infrastructure: { retry: option('retry', 'settle'), stop: option('stop', 'hold') },
  budget: { extend: option('extend', 'settle'), stop: option('stop', 'hold') },
  disk: { retry: option('retry', 'settle'), stop: option('stop', 'hold') },
  processes_left: { retry: option('retry', 'settle'), stop: option('stop', 'hold') },
  tree_changed: {
    go_on: option('go_on', 'settle'),
    again: option('again', 'settle'),
    stop: option('stop', 'hold'),
  },
  unknown_effect: {
    happened: option('happened', 'settle'),
    again: option('again', 'settle'),
    stop: option('stop', 'hold'),
  },
} as const satisfies Record<Trouble['kind'], Record<string, OptionSpec>>;

const troubleGates: Readonly<Record<string, GateDefinition>> = Object.fromEntries(
  Object.entries(OPTIONS).map(([kind, options]) => [
    `trouble_${kind}`,
    { class: 'trouble', title: { msg: `engine.trouble.${kind}.title` }, options },
  ]),
);

/** The engine's action on the blocked step after an answer to a trouble gate. */
type TroubleWay = 'perform' | 'settle_as_done' | 'enter_again';

const TROUBLE_WAYS: Readonly<Record<string, TroubleWay>> = {
  retry: 'perform',
  extend: 'perform',
  go_on: 'perform',
  happened: 'settle_as_done',
  again: 'enter_again',
};

type Args = Readonly<Record<string, string | number>>;

interface Variant {
  readonly decide?: string;
  readonly why?: string;
  /** An additional reason or way out of the same kind. */
  readonly more?: string;
}

/** Kinds of trouble whose text depends on one of their arguments. */
const VARIANTS: Readonly<Partial<Record<Trouble['kind'], (args: Args) => Variant>>> = {
  infrastructure: ({ cause = 'other' }) => ({
    ...(cause === 'world' ? { decide: '.world' } : { more: 'another' }),
    why: `.${cause}`,
  }),
  budget: ({ scope = 'run', stopped = 'no' }) => ({ decide: `.${scope}`, why: `.${stopped}` }),
};

/**
 * The gate of a kind of trouble. `args` holds what the person must know, such as `detail`: the path, the used-up budget
 * or the write that may have happened.
 */
function troubleGate(kind: Trouble['kind'], args: Args): GateSpec {
  const told: Variant = VARIANTS[kind]?.(args) ?? {};
  const why = [`why${told.why ?? ''}`, ...(told.more ? [told.more] : [])];
  return {
    name: `trouble_${kind}`,
    brief: brief({
      decide: { msg: `engine.trouble.${kind}.decide${told.decide ?? ''}`, args },
      why: why.map((name) => ({ msg: `engine.trouble.${kind}.${name}`, args })),
    }),
  };
}
