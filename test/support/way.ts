import * as z from 'zod';
import type { Move, MoveRecord } from '../../src/contract/move.ts';
import type { Outcome, Signal } from '../../src/contract/outcome.ts';
import type { Step } from '../../src/contract/step.ts';
import { type Delegation, TICKET_GATES } from '../../src/contract/ticket.ts';
import { reject } from '../../src/engine/rejection.ts';
import { brief } from '../../src/engine/whole-brief.ts';
import { type DelegationAsk, defineWorkflow } from '../../src/engine/workflow.ts';

/** One gate of the way: drafted by a look, or a deployment, then asked. `worth` is what the judge will find. */
const Station = z.strictObject({
  gate: z.enum(['forward', 'hard', 'form', 'review']).default('forward'),
  text: z.string().default('plain'),
  worth: z.boolean().default(false),
  deploys: z.boolean().default(false),
});

const State = z.strictObject({
  phase: z.enum(['going', 'parked', 'done']),
  user_lang: z.string(),
  stations: z.array(Station),
  pos: z.int(),
  /** Nobody conducts it. */
  resting: z.boolean(),
  drafted: z.boolean(),
  judging: z.boolean(),
  judged: z.boolean().nullable(),
  /** A person changed the brief of this station. */
  revised: z.boolean(),
  broken: z.boolean(),
});
type WayState = z.infer<typeof State>;

const WayInput = z.strictObject({
  stations: z.array(Station),
  resting: z.boolean().default(false),
  broken: z.boolean().default(false),
});

/** `--pause-at` names gates; stations are counted along them. */
function isBefore(pos: number, gate: (typeof TICKET_GATES)[number]): boolean {
  return pos < TICKET_GATES.indexOf(gate);
}

/** The table of CON-35 as far as this workflow has its rows. */
function delegate(state: WayState, { mode, trust, content }: DelegationAsk): Delegation {
  const { gate, text } = state.stations[state.pos] ?? {};
  if (text === 'careless') return { kind: 'accept' };
  if (state.broken) throw new Error('the policy is broken');
  if (gate === 'form') return { kind: 'pause', cause: 'question' };
  if (mode.kind !== 'controlled' && trust === 'cautious') return { kind: 'pause', cause: 'dial' };
  if (mode.kind === 'controlled') return { kind: 'pause', cause: 'controlled' };
  if (gate === 'hard') return { kind: 'pause', cause: 'hard-floor' };
  if (state.revised) return { kind: 'pause', cause: 'revised' };
  if (mode.kind === 'partial' && !isBefore(state.pos, mode.pause_at))
    return { kind: 'pause', cause: 'pause-at' };
  if (content.includes('migration'))
    return { kind: 'pause', cause: 'risk-floor', classes: ['data-migration'] };
  if (mode.kind !== 'escalate') return { kind: 'accept' };
  if (state.judged === null) return { kind: 'judge' };
  return state.judged ? { kind: 'pause', cause: 'escalate', signals: ['novel'] } : { kind: 'accept' };
}

function next(state: WayState): Step {
  const station = state.stations[state.pos];
  const why = { msg: 'way.rests' };
  if (!station) return { kind: 'end', outcome: { result: 'done' } };
  if (state.phase === 'parked' || state.resting)
    return { kind: 'wait', until: { kind: 'command', commands: ['conduct'], why } };
  if (!state.drafted && station.deploys)
    return { kind: 'deploy', during: 'going', op: { op: 'deploy', input: { line: station.text } } };
  if (!state.drafted || state.judging)
    return { kind: 'query', during: 'going', what: { what: 'file_hash', input: { path: 'none' } } };
  const fields = [{ id: 'one', text: 'One?', required: false }];
  const form = station.gate === 'form' ? { fields } : {};
  return {
    kind: 'gate',
    gate: { name: station.gate, brief: brief({ decide: station.text }), typed: 'way', ...form },
  };
}

/** The next station, not drafted yet. An accept writes down what was accepted. */
function onward(state: WayState, records: MoveRecord[]): Move<WayState> {
  const pos = state.pos + 1;
  const phase = pos < state.stations.length ? 'going' : 'done';
  return { state: { ...state, pos, phase, drafted: false, judged: null, revised: false }, records };
}

function settle(state: WayState, _step: Step, outcome: Outcome) {
  if (outcome.kind !== 'answered') {
    const worth = state.stations[state.pos]?.worth ?? false;
    const judged = state.judging ? worth : state.judged;
    return { state: { ...state, drafted: true, judging: false, judged }, records: [] };
  }
  const { option, text } = outcome.answer;
  if (option === 'deny') return { state: { ...state, phase: 'parked' as const }, records: [] };
  if (option === 'reshape') {
    const stations = state.stations.map((station, n) =>
      n === state.pos ? { ...station, text: text ?? '' } : station,
    );
    return { state: { ...state, stations, drafted: false, judged: null, revised: true }, records: [] };
  }
  if (state.stations[state.pos]?.text === 'refused') return reject('wrong_moment');
  return onward(state, [{ kind: 'entry', name: 'accepted', data: state.stations[state.pos]?.text }]);
}

function receive(state: WayState, signal: Signal) {
  if (signal.type === 'judge') {
    return { state: { ...state, judging: state.stations[state.pos]?.text !== 'unjudged' }, records: [] };
  }
  if (signal.type !== 'command') return reject('wrong_moment');
  const { command, args } = signal;
  if (command === 'conduct')
    return { state: { ...state, phase: 'going' as const, resting: false }, records: [] };
  if (command === 'park')
    return { state: { ...state, phase: 'parked' as const }, records: [], interrupt: true as const };
  if (command === 'retell') {
    const stations = state.stations.map((station) => ({ ...station, text: String(args.text) }));
    return { state: { ...state, stations }, records: [] };
  }
  return reject('no_such_command', { command, allowed: 'conduct, park, retell' });
}

const option = (key: string, text: 'none' | 'required' = 'none') => ({
  text,
  effect_on_run: 'settle' as const,
  label: { msg: `way.${key}` },
  description: { msg: `way.${key}` },
});
const accept = option('accept');
const title = { msg: 'way.title' };

export const wayTexts = {
  'way.rests': 'rests',
  'way.accept': 'Accept',
  'way.reshape': 'Reshape',
  'way.deny': 'Deny',
  'way.title': 'Way',
};

/** A way of gates that may be delegated: what `conduct` asks of the runtime, and nothing else. */
export const wayWorkflow = defineWorkflow<WayState>({
  name: 'way',
  prefix: 'wa',
  version: 1,
  state: State,
  input: WayInput,
  migrations: [],
  phases: {
    going: { label: title, order: 1, to: ['parked', 'done'] },
    parked: { label: title, order: 2, to: ['going'] },
    done: { label: title, order: 3, to: [] },
  },
  roles: {},
  gates: {
    forward: {
      class: 'forward',
      title,
      options: { accept, reshape: option('reshape', 'required'), deny: option('deny') },
    },
    hard: { class: 'hard', title, options: { accept, deny: option('deny') } },
    form: { class: 'question', title, options: { accept: { ...accept, fields: true } } },
    review: { class: 'decision', title, options: { accept, deny: option('deny') } },
  },
  documents: {},
  start: (input) => {
    const { stations, resting, broken } = input as z.infer<typeof WayInput>;
    const state: WayState = {
      phase: stations.length > 0 ? 'going' : 'done',
      user_lang: 'en',
      stations,
      pos: 0,
      resting,
      drafted: false,
      judging: false,
      judged: null,
      revised: false,
      broken,
    };
    return { state, records: [] };
  },
  next,
  settle,
  receive,
  title: () => 'way',
  status: () => [],
  delegate,
  overview: ({ stations, pos }) =>
    stations.map((station, n) => ({
      phase: station.text,
      status: n < pos ? 'completed' : n === pos ? 'in_progress' : 'pending',
      label: title,
      says: title,
      badges: [],
    })),
});
