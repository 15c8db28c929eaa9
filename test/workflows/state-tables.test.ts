import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DELIVER_PHASES, type DeliverState } from '../../src/contract/deliver.ts';
import type { Signal } from '../../src/contract/outcome.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import type { Workflow } from '../../src/engine/workflow.ts';
import { deliverWorkflow } from '../../src/workflows/deliver/workflow.ts';
import { specWorkflow } from '../../src/workflows/spec/workflow.ts';
import { command, hashOf, type PureSignal, refusedSignal } from '../support/pure-run.ts';
import { translator } from '../support/texts.ts';
import { begin, play, stateOf, stepsOf } from './deliver/fixture.ts';

/** Edges as the requirement has them, written down here once more: the product's own table proves nothing about itself. */
const DELIVER: Readonly<Record<string, readonly string[]>> = {
  setup: ['plan_ready'],
  plan_ready: ['planning'],
  planning: ['plan_done'],
  plan_done: ['generate_ready'],
  generate_ready: ['generating'],
  generating: ['generate_done'],
  generate_done: ['verify_ready'],
  verify_ready: ['verifying'],
  verifying: ['verify_done'],
  verify_done: ['evaluate_ready', 'generating', 'verifying'],
  evaluate_ready: ['evaluating'],
  evaluating: ['evaluate_done'],
  evaluate_done: ['generating', 'generate_ready', 'completed'],
  completed: [],
};
const SPEC: Readonly<Record<string, readonly string[]>> = {
  setup: ['convention_scan_active'],
  convention_scan_active: ['qa_active'],
  qa_active: ['qa_complete'],
  qa_complete: ['gen_ready'],
  gen_ready: ['spec_ready', 'critic_active'],
  critic_active: ['critic_complete', 're_synthesis_active', 'critic_halted'],
  re_synthesis_active: ['re_critic_active', 'critic_halted'],
  re_critic_active: ['critic_complete', 'critic_halted'],
  critic_complete: ['spec_ready'],
  critic_halted: ['qa_active'],
  spec_ready: ['completed', 'qa_complete'],
  completed: [],
};

const edgesOf = ({ phases }: Workflow) =>
  Object.fromEntries(Object.entries(phases).map(([name, { to }]) => [name, to]));

describe('the state tables', () => {
  test('WF-06, WF INV-2: deliver has exactly the edges of its state table', () => {
    expect(edgesOf(deliverWorkflow)).toEqual(DELIVER);
  });

  test('SP INV-1: spec has exactly the edges of its state table', () => {
    expect(edgesOf(specWorkflow)).toEqual(SPEC);
  });

  test.each([
    ['WF-32', 'deliver', deliverWorkflow, 13],
    ['SP-14', 'spec', specWorkflow, 12],
  ] as const)('%s: %s shows the labels its state table has', (_id, name, def, rows) => {
    const text = readFileSync(`docs/requirements/${name}.md`, 'utf8');
    const table = [...text.matchAll(/^\| `(\w+)` \| ([^|]+?)(?: \(deep\))? \|/gm)];
    const labels = Object.fromEntries(table.slice(0, rows).map(([, phase, label]) => [phase, label]));
    expect(Object.keys(labels)).toHaveLength(rows);
    const t = translator('en');
    const shown = Object.keys(labels).map((phase) => [phase, t(def.phases[phase]?.label ?? '')]);
    expect(Object.fromEntries(shown)).toEqual(labels);
  });
});

describe('what comes in where the table has no edge for it', () => {
  const whole = stateOf(play(begin(), { 'gate commit': () => null }));
  const stateAt = (phase: DeliverState['phase']): DeliverState => ({
    ...whole,
    phase,
    documents: 'current',
    setup: phase === 'setup' ? { stage: 'looking', other: null, bad_models: 0, bad_model: null } : null,
    verdict: { ...whole.verdict, completion_reason: phase === 'completed' ? 'qa_pass' : null },
  });
  /** Everything anybody can send, with the phases in which the table lets it do something. */
  const EVENTS: readonly (readonly [name: string, signal: PureSignal, taken: readonly string[]])[] = [
    ['plan', command('plan'), []],
    ['generate', command('generate'), ['plan_done']],
    ['verify', command('verify'), ['generate_done', 'verify_done']],
    ['evaluate', command('evaluate'), ['verify_done']],
    ['resume', command('resume'), []],
    ['reopen', command('reopen'), []],
    ['completed', command('completed'), []],
    ['toString', command('toString'), []],
    ['a run that ended', { type: 'run_ended', run: 'de-x', key: null, result: 'passed' }, []],
    ['a subject taken', { type: 'subject_taken', subject: 'x', run: 'de-new' }, ['setup']],
    ['a foreign fact', { type: 'fact', what: 'artefact_missing', value: hashOf('of nobody') }, []],
    ['an unknown fact', { type: 'fact', what: 'passed', value: 'yes' }, []],
  ];

  test.each(DELIVER_PHASES.flatMap((phase) => EVENTS.map((event) => [phase, ...event] as const)))(
    'WF-06: at %s, %s is refused unless the table has an edge, and nothing is written',
    (phase, _name, signal, taken) => {
      const state = stateAt(phase);
      const before = structuredClone(state);
      const move = deliverWorkflow.receive(state as never, { ...signal, at: state.updated_at } as Signal);
      expect(state).toEqual(before);
      expect(isRejection(move)).toBe(!taken.includes(phase));
      if (!isRejection(move)) expect([phase, ...(DELIVER[phase] ?? [])]).toContain(move.state.phase);
    },
  );

  test('WF-06: no step or command ever skips a part: what the table does not have is refused and writes nothing', () => {
    const run = play(begin(), {}, ['gate spec']);
    const before = JSON.stringify(run.state);
    for (const name of ['verify', 'evaluate', 'plan', 'resume', 'reopen', 'skip'])
      refusedSignal(run, command(name));
    expect(JSON.stringify(run.state)).toBe(before);
    expect(stepsOf(run)).not.toContain('work generator_single');
  });

  test('WF-06: a run that has ended takes nothing any more', () => {
    const ended = { result: 'passed', why: null, successor: null } as const;
    for (const phase of DELIVER_PHASES)
      for (const [, signal] of [...EVENTS, ['abandon', command('abandon')] as const]) {
        const at = whole.updated_at;
        const move = deliverWorkflow.receive(
          { ...stateAt(phase), ended } as never,
          { ...signal, at } as Signal,
        );
        expect(move).toMatchObject({ rejection: 'wrong_moment' });
      }
  });
});
