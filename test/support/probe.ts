import * as z from 'zod';
import type { Move, MoveRecord } from '../../src/contract/move.ts';
import type { Outcome, Signal } from '../../src/contract/outcome.ts';
import type { Step } from '../../src/contract/step.ts';
import { isRejection, reject } from '../../src/engine/rejection.ts';
import { brief } from '../../src/engine/whole-brief.ts';
import { defineWorkflow, type Workflow } from '../../src/engine/workflow.ts';
import type { Deps } from '../../src/runtime/deps.ts';

/** One instruction of a probe's script; the probe does them in order. */
const Instruction = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('work'), roles: z.array(z.enum(['alpha', 'beta', 'gamma'])).min(1) }),
  z.strictObject({
    do: z.literal('gate'),
    name: z.enum(['ask', 'hard', 'form']),
    watch: z.string().optional(),
  }),
  z.strictObject({ do: z.literal('append'), file: z.string(), line: z.string() }),
  z.strictObject({ do: z.literal('deploy'), line: z.string() }),
  z.strictObject({ do: z.literal('check'), command: z.string() }),
  z.strictObject({ do: z.literal('query'), path: z.string() }),
  z.strictObject({ do: z.literal('sleep'), until: z.string() }),
  z.strictObject({ do: z.literal('halt') }),
  z.strictObject({ do: z.literal('knowledge'), input: z.record(z.string(), z.unknown()) }),
  z.strictObject({ do: z.literal('records'), records: z.array(z.custom<MoveRecord>()) }),
  z.strictObject({
    do: z.literal('spawn'),
    key: z.string(),
    script: z.array(z.unknown()),
    workflow: z.string().default('probe'),
  }),
  z.strictObject({ do: z.literal('children'), count: z.int() }),
  z.strictObject({ do: z.literal('claim'), subject: z.string() }),
  z.strictObject({ do: z.literal('message'), to: z.string() }),
  z.strictObject({ do: z.literal('illegal') }),
]);
type Instruction = z.infer<typeof Instruction>;

const State = z.strictObject({
  phase: z.enum(['running', 'done', 'nowhere']),
  user_lang: z.string(),
  name: z.string(),
  script: z.array(Instruction),
  pos: z.int(),
  /** Signals received so far; a gate shows it, so that a signal changes the gate. */
  nudges: z.int(),
  ended_children: z.int(),
  fact: z.unknown(),
  last: z.unknown(),
  /** Only of a probe that is a ticket. */
  uuid: z.string().optional(),
});
type ProbeState = z.infer<typeof State>;

const ProbeInput = z.strictObject({ name: z.string().default('probe'), script: z.array(Instruction) });

const asks = (state: ProbeState) =>
  brief({ decide: { msg: 'probe.decide', args: { pos: state.pos, nudges: state.nudges } } });

function next(state: ProbeState): Step {
  const now = state.script[state.pos];
  const during = state.phase;
  if (!now) return { kind: 'end', outcome: { result: 'done' } };
  switch (now.do) {
    case 'work':
      return {
        kind: 'work',
        during,
        calls: now.roles.map((role) => ({ role, slots: { task: { text: state.name } }, tier: 'inherit' })),
      };
    case 'gate': {
      const fields = [
        { id: 'one', text: 'One?', required: true },
        { id: 'two', text: 'Two?', required: false },
      ];
      const gate = {
        name: now.name,
        brief: asks(state),
        ...(now.name === 'form' ? { fields } : {}),
        typed: state.name,
      };
      const watch = now.watch ? [{ what: 'file_hash', input: { path: now.watch }, was: state.fact }] : [];
      return watch.length > 0 ? { kind: 'gate', gate, watch } : { kind: 'gate', gate };
    }
    case 'append':
      return {
        kind: 'workspace',
        during,
        op: { op: 'append_file', input: { path: now.file, line: now.line } },
      };
    case 'deploy':
      return { kind: 'deploy', during, op: { op: 'deploy', input: { line: now.line } } };
    case 'check':
      return {
        kind: 'check',
        during,
        checks: [{ name: 'check', command: now.command, source: 'probe', timeout_seconds: 20 }],
      };
    case 'query':
      return { kind: 'query', during, what: { what: 'file_hash', input: { path: now.path } } };
    case 'knowledge':
      return { kind: 'query', during, what: { what: 'knowledge', input: now.input } };
    case 'sleep':
      return { kind: 'wait', until: { kind: 'time', at: now.until, why: { msg: 'probe.sleeps' } } };
    case 'halt':
      return { kind: 'wait', until: { kind: 'command', commands: ['resume'], why: { msg: 'probe.halted' } } };
    case 'children':
      return { kind: 'wait', until: { kind: 'children', why: { msg: 'probe.children' } } };
    default:
      // These leave records behind and need a step of their own to do so.
      return { kind: 'query', during, what: { what: 'file_hash', input: { path: 'none' } } };
  }
}

function recordsOf(now: Instruction): MoveRecord[] {
  switch (now.do) {
    case 'spawn':
      return [
        {
          kind: 'spawn',
          key: now.key,
          workflow: now.workflow,
          input: { name: now.key, script: now.script },
        },
      ];
    case 'records':
      return now.records;
    case 'claim':
      return [{ kind: 'claim', subject: now.subject }];
    case 'message':
      return [{ kind: 'message', to: now.to, name: 'nudge', data: null }];
    default:
      return [];
  }
}

function settle(state: ProbeState, _step: Step, outcome: Outcome): Move<ProbeState> {
  const now = state.script[state.pos];
  const pos = state.pos + 1;
  const phase = now?.do === 'illegal' ? 'nowhere' : pos >= state.script.length ? 'done' : 'running';
  const last =
    outcome.kind === 'answered'
      ? outcome.answer.option
      : outcome.kind === 'worked'
        ? outcome.calls.map((c) => c.kind)
        : outcome.kind === 'checked'
          ? outcome.checks.map((c) => c.result)
          : outcome.kind === 'queried' && now?.do === 'knowledge'
            ? outcome.found
            : outcome.kind;
  return { state: { ...state, pos, phase, last }, records: now ? recordsOf(now) : [] };
}

function receive(state: ProbeState, signal: Signal) {
  if (signal.type === 'command' && signal.command === 'skip') {
    const move: Move<ProbeState> = { state: { ...state, pos: state.pos + 1 }, records: [], interrupt: true };
    return move;
  }
  if (signal.type === 'command' && signal.command === 'resume') {
    return { state: { ...state, pos: state.pos + 1 }, records: [] };
  }
  if (signal.type === 'command' && signal.command !== 'nudge') {
    return reject('no_such_command', { command: signal.command, allowed: 'skip, nudge, resume' });
  }
  if (signal.type === 'run_ended') {
    const ended_children = state.ended_children + 1;
    const now = state.script[state.pos];
    const done = now?.do === 'children' && ended_children >= now.count;
    return { state: { ...state, ended_children, pos: done ? state.pos + 1 : state.pos }, records: [] };
  }
  if (signal.type === 'subject_taken') {
    const script = state.script.filter((_, index) => index !== state.pos);
    return {
      state: { ...state, script, last: `taken by ${signal.run}` },
      records: [],
      interrupt: true as const,
    };
  }
  const fact = signal.type === 'fact' ? signal.value : state.fact;
  return { state: { ...state, nudges: state.nudges + 1, fact }, records: [] };
}

const option = (
  key: string,
  effect_on_run: 'settle' | 'hold' | 'end',
  text: 'none' | 'optional' | 'required' = 'none',
) => ({
  text,
  effect_on_run,
  label: { msg: `probe.${key}` },
  description: { msg: `probe.${key}.says` },
});

const role = {
  prompt: 'test/probe',
  slots: [{ name: 'task', max: 1000 }],
  result: z.strictObject({ say: z.string() }),
  caps: { correct: 1, fresh: 1, infra: 2 },
  profile: { kind: 'read_only' as const },
  deadline_minutes: 1,
};

export const probeTexts = {
  'probe.decide': 'Go on at {pos} after {nudges}?',
  'probe.sleeps': 'sleeps',
  'probe.halted': 'halted',
  'probe.children': 'waits for children',
  'probe.go': 'Go',
  'probe.go.says': 'goes on',
  'probe.change': 'Change',
  'probe.change.says': 'says what to change',
  'probe.hold': 'Hold',
  'probe.hold.says': 'keeps the gate and halts',
  'probe.phase': 'probe',
  'probe.title': 'Probe',
};

/** Exercises what `spec` does not use: signals with interrupt, spawn, messages, watch, hold, waits, deploy. */
export const probeWorkflow = defineWorkflow<ProbeState>({
  name: 'probe',
  prefix: 'pr',
  version: 1,
  state: State,
  input: ProbeInput,
  migrations: [],
  phases: {
    running: { label: { msg: 'probe.phase' }, order: 1, to: ['done'] },
    done: { label: { msg: 'probe.phase' }, order: 2, to: [] },
    nowhere: { label: { msg: 'probe.phase' }, order: 3, to: [] },
  },
  roles: { alpha: role, beta: role, gamma: role },
  gates: {
    ask: {
      class: 'decision',
      title: { msg: 'probe.title' },
      options: {
        go: option('go', 'settle'),
        change: { ...option('change', 'settle', 'required'), bareText: true },
        hold: option('hold', 'hold'),
      },
    },
    hard: {
      class: 'hard',
      title: { msg: 'probe.title' },
      options: { go: option('go', 'settle'), hold: option('hold', 'hold') },
    },
    form: {
      class: 'question',
      title: { msg: 'probe.title' },
      options: { go: { ...option('go', 'settle'), fields: true }, hold: option('hold', 'hold') },
    },
  },
  documents: {},
  start: (input) => {
    const { name, script } = input as z.infer<typeof ProbeInput>;
    const phase = script.length === 0 ? 'done' : 'running';
    const state: ProbeState = {
      phase,
      user_lang: 'en',
      name,
      script,
      pos: 0,
      nudges: 0,
      ended_children: 0,
      fact: null,
      last: null,
    };
    return { state, records: [] };
  },
  next,
  settle,
  receive,
  title: (state) => state.name,
  status: () => [],
});

/** The same as a ticket: its runs are numbered and have a UUID in their state. */
export const ticketProbe: Workflow = {
  ...probeWorkflow,
  name: 'conduct',
  numbered: true,
  start: (input, facts) => {
    const move = probeWorkflow.start(input, facts);
    const ticket = { uuid: facts.uuid, name: facts.short_id };
    return isRejection(move) ? move : { ...move, state: { ...move.state, ...ticket } };
  },
};

/** A probe stands in for the workflow of tickets. */
export function withTickets(more: (deps: Deps) => Partial<Deps> = () => ({})): (deps: Deps) => Deps {
  return (deps) => ({
    ...deps,
    workflow: async (name) => (name === 'conduct' ? ticketProbe : deps.workflow(name)),
    ...more(deps),
  });
}
