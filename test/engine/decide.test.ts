import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Move } from '../../src/contract/move.ts';
import type { Failure, Outcome } from '../../src/contract/outcome.ts';
import {
  ask,
  check,
  type Decision,
  end,
  follow,
  fromDecide,
  gate,
  pass,
  query,
  wait,
  work,
  write,
} from '../../src/engine/decide.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import { createRun } from '../../src/engine/transition.ts';
import { brief } from '../../src/engine/whole-brief.ts';
import type { GateTable } from '../../src/engine/workflow.ts';
import type { TransitionContext } from '../../src/engine/write-change.ts';
import { type Tiny, tiny } from '../model/tiny.ts';
import { passedIn } from '../support/passed-phases.ts';
import { hashOf, policy } from '../support/pure-run.ts';

interface State {
  readonly phase: string;
  readonly user_lang: string;
  readonly got?: unknown;
}
type Next = Decision<Move<State>>;

const AT = '2026-11-15T10:00:00.000Z';
const start: State = { phase: 'here', user_lang: 'en' };
const got = (value: unknown): Move<State> => ({ state: { ...start, got: value }, records: [] });
const GONE: Failure = { code: 'gone', retry: 'permanent', detail: 'x' };

const workflowOf = (decide: (state: State) => Next, late = {}) =>
  fromDecide<State>({ decide, failed: (_, what, { code }) => got(`${what}: ${code}`), late });

/** The move after an outcome of the step that `decide` gives. */
function settled(decision: Next, outcome: object): Move<State> {
  const { next, settle } = workflowOf(() => decision);
  const move = settle(start, next(start), { at: AT, ...outcome } as Outcome);
  if (isRejection(move)) throw new Error(move.rejection);
  return move;
}

const setup = query('setup', { slug: 's', docs_path: 'd', branch: null }, ({ taken }) => got(taken));
const found = { taken: ['a.md'], siblings: [], branch: null };
const merge = write(
  'merge',
  {
    pr_number: 1,
    branch: 'b',
    head_sha: 'a'.repeat(40),
    base: 'main',
    message: { msg: 'm' },
  },
  (result) => got(result),
);

describe('a step and its continuation', () => {
  test.each<[string, Next, object, unknown]>([
    ['a query', setup, { kind: 'queried', found }, ['a.md']],
    ['a query that fails', setup, { kind: 'failed', failure: GONE }, 'query setup: gone'],
    ['an unreadable result', setup, { kind: 'queried', found: {} }, 'query setup: unreadable_result'],
    ['a write', merge, { kind: 'written', result: { merged_sha: 'x' } }, { merged_sha: 'x' }],
    ['a write that a person confirmed', merge, { kind: 'written', result: { assumed: true } }, 'assumed'],
    ['an unreadable write', merge, { kind: 'written', result: {} }, 'merge: unreadable_result'],
    [
      'a failure that the step handles',
      query('spec_file', { path: 'p' }, got, ({ code }) => got(`own ${code}`)),
      { kind: 'failed', failure: GONE },
      'own gone',
    ],
    ['checks', check([], (results) => got(results)), { kind: 'checked', checks: [] }, []],
    ['checks that fail', check([], got), { kind: 'failed', failure: GONE }, 'check: gone'],
    ['a wait for a time', wait({ kind: 'time', at: AT, why: { msg: 'm' } }, got), { kind: 'woken' }, AT],
    [
      'a shared part',
      follow(
        query('spec_file', { path: 'p' }, ({ hash }) => ({ hash })),
        ({ hash }) => got(hash),
      ),
      { kind: 'queried', found: { hash: hashOf('a'), criteria: [] } },
      hashOf('a'),
    ],
  ])('%s', (_name, decision, outcome, expected) => {
    expect(settled(decision, outcome).state.got).toEqual(expected);
  });

  test('every call ends in its own way, in the order of the calls', () => {
    const slots = { task: { text: 'x' } };
    const both: Next = work([ask('one', z.string(), slots), ask('two', z.number(), slots)], ([one, two]) =>
      got([one.role, one.kind === 'ok' && one.result.length, two.role, two.kind]),
    );
    const ok = { kind: 'ok', result: 'abc', artefact: hashOf('abc'), line: null };
    const silent = { kind: 'dispatch_failed', detail: '', text: null, attempts: 3 };
    expect(settled(both, { kind: 'worked', calls: [ok, silent] }).state.got).toEqual([
      'one',
      3,
      'two',
      'dispatch_failed',
    ]);
    expect(() => settled(both, { kind: 'worked', calls: [ok] })).toThrow('worked');
  });

  test('an answer that the gate does not have is refused with the known options', () => {
    const option = { effect_on_run: 'settle', label: { msg: 'l' }, description: { msg: 'd' } } as const;
    const gates = {
      send: {
        class: 'decision',
        title: { msg: 't' },
        options: { yes: { ...option, text: 'none' }, edit: { ...option, text: 'required' } },
      },
    } as const satisfies GateTable;
    const decision: Next = gate(
      gates.send,
      { name: 'send', brief: brief({ decide: 'Send it?' }) },
      {
        yes: () => got('yes'),
        edit: ({ text }) => got(text.length),
      },
    );
    const answered = (answer: object) => ({ kind: 'answered', answer });
    expect(settled(decision, answered({ option: 'edit', text: 'abc' })).state.got).toBe(3);
    const refused = decision.settle({ at: AT, ...answered({ option: 'toString', gate: 'g' }) } as Outcome);
    expect(refused).toMatchObject({
      rejection: 'no_such_option',
      message: { args: { allowed: 'yes, edit' } },
    });
  });

  test('every effect is for the phase of the state', () => {
    const { next } = workflowOf(() => setup);
    expect(next(start)).toMatchObject({ during: 'here' });
  });
});

describe('an outcome of a step that the run has left', () => {
  const late = (stored: Next, outcome: object, table = {}) => {
    const step = workflowOf(() => stored).next(start);
    const { settle } = workflowOf(() => end({ result: 'over' }), table);
    return settle(start, step, { at: AT, ...outcome } as Outcome);
  };
  const entry = (result: unknown) => ({ kind: 'entry', name: 'late', data: { op: 'merge', result } });

  test('a read is dropped', () => {
    expect(late(setup, { kind: 'queried', found })).toEqual({ state: start, records: [] });
  });

  test('a write is on record and moves nothing without an entry in the late table', () => {
    const result = { merged_sha: 'x' };
    expect(late(merge, { kind: 'written', result })).toEqual({ state: start, records: [entry(result)] });
  });

  test('a write with an entry moves the run', () => {
    const table = { merge: (_: State, result: unknown) => got(result) };
    const result = { merged_sha: 'x' };
    expect(late(merge, { kind: 'written', result }, table)).toEqual({
      state: { ...start, got: result },
      records: [entry(result)],
    });
    expect(late(merge, { kind: 'failed', failure: GONE }, table)).toEqual({
      state: start,
      records: [entry(GONE)],
    });
  });
});

describe('phases with nothing to do', () => {
  const CONTEXT: TransitionContext = {
    now: AT,
    by: 'test',
    hash: hashOf,
    lease: { holder: null, epoch: 0, while_idle: false, drive: null },
  };
  const to = (phase: string): Move<State> => ({
    state: { ...start, phase },
    records: [{ kind: 'entry', name: 'at', data: phase }],
  });
  const begun = (ways: Readonly<Record<string, string>>) => {
    const def = {
      ...tiny,
      ...fromDecide<State>({
        decide: ({ phase }) => {
          const way = ways[phase];
          return way ? pass(() => to(way)) : end({ result: 'over' });
        },
        failed: () => to('over'),
      }),
    } as unknown as Tiny;
    const seed = { id: 'ti-1', move: to('drafting'), policy, parent: null, parent_key: null } as const;
    return createRun({ ...def, title: () => 't' } as never, seed as never, CONTEXT);
  };

  test('are passed over in one transition, and the event lists them', () => {
    const change = begun({ drafting: 'asking', asking: 'sending' });
    expect(change.run).toMatchObject({ phase: 'sending', turn: 1, status: 'ended' });
    expect(passedIn(change.events)).toEqual(['drafting', 'asking']);
    const names = change.records.map(({ record }) => (record.kind === 'entry' ? record.data : null));
    expect(names).toEqual(['drafting', 'asking', 'sending']);
  });

  test('each hop is an edge of the phase table', () => {
    expect(() => begun({ drafting: 'sending' })).toThrow('drafting -> sending is not in the phase table');
  });

  test('that lead nowhere stop the run', () => {
    expect(() => begun({ drafting: 'drafting' })).toThrow("nothing leads out of the empty phase 'drafting'");
  });
});
