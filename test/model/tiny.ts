import * as z from 'zod';
import type { Move } from '../../src/contract/move.ts';
import type { Outcome, Signal } from '../../src/contract/outcome.ts';
import type { Step } from '../../src/contract/step.ts';
import { type Rejection, reject } from '../../src/engine/rejection.ts';
import { brief } from '../../src/engine/whole-brief.ts';
import { defineWorkflow, type Workflow } from '../../src/engine/workflow.ts';
import { startFacts } from '../support/pure-run.ts';
import { defineWorld, type World } from './world.ts';

const State = z.strictObject({
  phase: z.enum(['drafting', 'asking', 'sending', 'over']),
  user_lang: z.literal('en'),
  /** How often a draft was asked for. */
  drafts: z.int().min(0).max(3),
  halted: z.boolean(),
  ended: z.enum(['sent', 'dropped', 'abandoned']).nullable(),
});
export type TinyState = z.infer<typeof State>;
export type TinyMove = Move<TinyState> | Rejection;

/** The smallest workflow that has everything the rules speak of: a worker, a question, a write, a halt and an end. */
export type Tiny = Omit<Workflow<TinyState>, 'start'>;

const say = (msg: string) => ({ msg });
const option = (key: string, effect_on_run: 'settle' | 'hold' | 'end') =>
  ({ text: 'none', effect_on_run, label: say(key), description: say(key) }) as const;

export const moved = (state: TinyState, changes: Partial<TinyState>): Move<TinyState> => ({
  state: { ...state, ...changes },
  records: [],
});

export const ASK = {
  kind: 'gate',
  gate: { name: 'send', brief: brief({ decide: 'Send it?' }) },
} satisfies Step;
export const DRAFT: Step = {
  kind: 'work',
  during: 'drafting',
  calls: [{ role: 'helper', slots: { task: { text: 'x' } }, tier: 'inherit' }],
};
const SEND: Step = { kind: 'workspace', during: 'sending', op: { op: 'send', input: {} } };

function next({ phase, halted, ended }: TinyState): Step {
  if (ended) return { kind: 'end', outcome: { result: ended } };
  if (halted) {
    return {
      kind: 'wait',
      until: { kind: 'command', commands: ['resume', 'abandon'], why: say('tiny.failed') },
    };
  }
  return phase === 'drafting' ? DRAFT : phase === 'asking' ? ASK : SEND;
}

function settle(state: TinyState, _step: Step, outcome: Outcome): TinyMove {
  if (state.ended) return moved(state, {});
  switch (outcome.kind) {
    case 'worked':
      return outcome.calls[0]?.kind === 'ok'
        ? moved(state, { phase: 'asking' })
        : moved(state, { halted: true });
    case 'answered':
      return ANSWERS[outcome.answer.option]?.(state) ?? reject('no_such_option');
    case 'written':
      return moved(state, { phase: 'over', ended: 'sent' });
    default:
      return moved(state, { halted: true });
  }
}

const ANSWERS: Readonly<Record<string, (state: TinyState) => TinyMove>> = {
  send: (state) => moved(state, { phase: 'sending' }),
  again: (state) => moved(state, { phase: 'drafting', drafts: state.drafts + 1 }),
  drop: (state) => moved(state, { ended: 'dropped' }),
};

function receive(state: TinyState, signal: Signal): TinyMove {
  if (signal.type !== 'command') return reject('wrong_moment');
  if (signal.command === 'resume')
    return state.halted ? moved(state, { halted: false }) : reject('wrong_moment');
  return { ...moved(state, { halted: false, ended: 'abandoned' }), interrupt: true };
}

export const tiny: Tiny = {
  name: 'tiny',
  prefix: 'ti',
  version: 1,
  state: State,
  input: z.unknown(),
  migrations: [],
  phases: {
    drafting: { label: say('tiny.drafting'), order: 0, to: ['asking'] },
    asking: { label: say('tiny.asking'), order: 1, to: ['drafting', 'sending'] },
    sending: { label: say('tiny.sending'), order: 2, to: ['over'] },
    over: { label: say('tiny.over'), order: 3, to: [] },
  },
  roles: {
    helper: {
      prompt: 'tiny/help',
      slots: [{ name: 'task', max: 10 }],
      result: z.string(),
      caps: { correct: 1, fresh: 1, infra: 2 },
      profile: { kind: 'read_only' },
      deadline_minutes: 1,
    },
  },
  gates: {
    send: {
      class: 'decision',
      title: say('tiny.send'),
      options: {
        send: option('tiny.send', 'settle'),
        again: option('tiny.again', 'settle'),
        drop: option('tiny.drop', 'end'),
        stop: option('tiny.stop', 'hold'),
      },
    },
  },
  documents: {},
  next,
  settle,
  receive,
  title: () => 'tiny',
  status: () => [],
};

/** The world of a tiny workflow; the state may hold more than three drafts in it unless a test says otherwise. */
export function tinyWorld(def: Partial<Tiny> = {}, changes: Partial<World<TinyState>> = {}): World {
  const start = () => ({
    state: { phase: 'drafting', user_lang: 'en', drafts: 0, halted: false, ended: null } as const,
    records: [],
  });
  return defineWorld<TinyState>({
    def: defineWorkflow<TinyState>({ ...tiny, ...def, start }),
    starts: [{ name: 'tiny', input: {}, facts: startFacts({ run: 'ti-1' }) }],
    results: () => [{ name: 'a draft', value: { result: 'a draft' } }],
    looks: {},
    writes: { send: () => [{ name: 'sent', value: {} }] },
    texts: {},
    commands: () => ['abandon'],
    giving_up: ['abandon'],
    signals: () => [],
    over: ({ ended }) => ended !== null,
    seen: { drafts: { as: () => null, because: 'told, nothing else' } },
    floors: [
      {
        what: 'sending',
        gate: 'send',
        options: ['send'],
        reached: ({ run }) => run.step.kind === 'workspace',
      },
    ],
    tallies: [],
    turns: 3,
    unmet: {},
    ...changes,
  });
}
