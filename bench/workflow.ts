import * as z from 'zod';
import type { Move } from '../src/contract/move.ts';
import type { Outcome } from '../src/contract/outcome.ts';
import type { Step } from '../src/contract/step.ts';
import { brief } from '../src/engine/whole-brief.ts';
import { defineWorkflow } from '../src/engine/workflow.ts';

const State = z.strictObject({
  phase: z.enum(['running', 'done']),
  user_lang: z.string(),
  name: z.string(),
  /** Steps of the run; gates stand after every `gates` number of settled steps. */
  steps: z.int(),
  gates: z.array(z.int()),
  done: z.int(),
  answered: z.int(),
});
type State = z.infer<typeof State>;

const Input = z.strictObject({ name: z.string(), steps: z.int(), gates: z.array(z.int()) });

const ASKED = brief({ decide: { msg: 'bench.decide' } });

function next(state: State): Step {
  if (state.gates[state.answered] === state.done)
    return { kind: 'gate', gate: { name: 'ask', brief: ASKED } };
  if (state.done >= state.steps) return { kind: 'end', outcome: { result: 'done' } };
  const slots = { task: { text: state.name } };
  return { kind: 'work', during: state.phase, calls: [{ role: 'worker', slots, tier: 'inherit' }] };
}

function settle(state: State, _step: Step, outcome: Outcome): Move<State> {
  if (outcome.kind === 'answered') return { state: { ...state, answered: state.answered + 1 }, records: [] };
  const done = state.done + 1;
  return { state: { ...state, done, phase: done >= state.steps ? 'done' : 'running' }, records: [] };
}

const option = (key: string) => ({
  text: 'none' as const,
  effect_on_run: 'settle' as const,
  label: { msg: `bench.${key}` },
  description: { msg: `bench.${key}.says` },
});

export const words: Readonly<Record<string, string>> = {
  'bench.decide': 'Go on?',
  'bench.ask': 'Question',
  'bench.go': 'Go',
  'bench.go.says': 'goes on',
  'bench.stop': 'Stop',
  'bench.stop.says': 'goes on too',
  'bench.phase': 'bench',
};

/** The job of the benchmark as a workflow: worker steps with gates between them. */
export const benchWorkflow = defineWorkflow<State>({
  name: 'bench',
  prefix: 'be',
  version: 1,
  state: State,
  input: Input,
  migrations: [],
  phases: {
    running: { label: { msg: 'bench.phase' }, order: 1, to: ['done'] },
    done: { label: { msg: 'bench.phase' }, order: 2, to: [] },
  },
  roles: {
    worker: {
      prompt: 'bench/worker',
      slots: [{ name: 'task', max: 1000 }],
      result: z.strictObject({ step: z.int(), out: z.string() }),
      caps: { correct: 1, fresh: 1, infra: 2 },
      profile: { kind: 'writes', globs: ['**'] },
      deadline_minutes: 1,
    },
  },
  gates: {
    ask: {
      class: 'decision',
      title: { msg: 'bench.ask' },
      options: { go: option('go'), stop: option('stop') },
    },
  },
  documents: {},
  start: (input) => {
    const { name, steps, gates } = input as z.infer<typeof Input>;
    const state: State = { phase: 'running', user_lang: 'en', name, steps, gates, done: 0, answered: 0 };
    return { state, records: [] };
  },
  next,
  settle,
  receive: (state) => ({ state, records: [] }),
  title: (state) => state.name,
  status: () => [],
});
