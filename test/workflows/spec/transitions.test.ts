import { describe, expect, test } from 'vitest';
import type { SpecState } from '../../../src/contract/spec.ts';
import {
  answerPure,
  entries,
  failPure,
  hashOf,
  type PureRun,
  passPure,
  workPure,
} from '../../support/pure-run.ts';
import {
  analysed,
  atAnalysts,
  atCritic,
  atCriticGate,
  atDeepApproval,
  atRevision,
  atSecondCritic,
  atSecondGate,
  draft,
  items,
  ROLES,
  reviewed,
  synthesised,
} from './deep-fixture.ts';
import { atInterview, questions, stateOf } from './fixture.ts';

const counts = { critical: 0, major: 1, minor: 1 };
const found = (list: ReturnType<typeof items>) => hashOf(JSON.stringify({ items: list }));

/** What one move wrote: the fields that differ from the state before it, time aside. */
function written(before: PureRun, after: PureRun): Partial<SpecState> {
  expect(after.states).toHaveLength(before.states.length + 1);
  const [old, now] = [stateOf(before), stateOf(after)] as unknown as Record<string, unknown>[];
  const keys = Object.keys(now ?? {}).filter((key) => key !== 'updated_at');
  const changed = keys.filter((key) => JSON.stringify(now?.[key]) !== JSON.stringify(old?.[key]));
  return Object.fromEntries(changed.map((key) => [key, now?.[key]])) as Partial<SpecState>;
}

const critic = {
  applied: 'pending',
  round: 0,
  last_findings_path: found(items(0, 1, 1)),
  counts,
  modify_text: null,
  failure_reason: null,
} as const;
const second = found(items(0, 1, 0));
const shown = [
  { id: 'M1', title: 'FINDING title of M1' },
  { id: 'm1', title: 'FINDING title of m1' },
];

type Row = [name: string, before: () => PureRun, move: (run: PureRun) => PureRun, fields: Partial<SpecState>];

const ROWS: Row[] = [
  [
    'all analysts empty',
    () => atAnalysts(),
    (run) =>
      analysed(
        run,
        ROLES.map(() => 'empty'),
      ),
    {
      analyses: expect.any(Array) as never,
      critic: { ...critic, applied: 'approved', last_findings_path: null, counts: null },
    },
  ],
  [
    'critic clean',
    atCritic,
    (run) => reviewed(run, items(0, 0, 1)),
    {
      phase: 'critic_complete',
      findings_shown: [{ id: 'm1', title: 'FINDING title of m1' }],
      critic: {
        ...critic,
        applied: 'approved',
        last_findings_path: found(items(0, 0, 1)),
        counts: { critical: 0, major: 0, minor: 1 },
      },
    },
  ],
  [
    'critic has findings, gate opens',
    atCritic,
    (run) => reviewed(run, items(0, 1, 1)),
    { critic, critic_gate: 'findings', findings_shown: shown },
  ],
  [
    'gate: Auto-revise',
    () => atCriticGate(),
    (run) => answerPure(run, 'auto_revise'),
    { phase: 're_synthesis_active', critic_gate: null },
  ],
  [
    'gate: Modify',
    () => atCriticGate(),
    (run) => answerPure(run, 'modify', { text: 'Name the time zone.' }),
    {
      phase: 're_synthesis_active',
      critic_gate: null,
      critic: { ...critic, modify_text: 'Name the time zone.' },
    },
  ],
  [
    'gate: Approve as-is',
    () => atCriticGate(),
    (run) => answerPure(run, 'approve'),
    { phase: 'critic_complete', critic_gate: null, critic: { ...critic, applied: 'approved' } },
  ],
  [
    'critic dispatch failed',
    atCritic,
    (run) => failPure(run, 'dispatch_failed'),
    {
      phase: 'critic_complete',
      critic: {
        ...critic,
        applied: 'approved',
        failure_reason: 'dispatch_failed',
        last_findings_path: null,
        counts: null,
      },
    },
  ],
  [
    'second critic dispatch failed',
    atSecondCritic,
    (run) => failPure(run, 'dispatch_failed'),
    {
      phase: 'critic_complete',
      findings_shown: [],
      critic: {
        ...critic,
        applied: 'approved',
        round: 1,
        failure_reason: 'dispatch_failed',
        last_findings_path: null,
        counts: null,
      },
    },
  ],
  [
    'unreadable result, human approves',
    () => failPure(atCritic(), 'parse_failed'),
    (run) => answerPure(run, 'approve'),
    {
      phase: 'critic_complete',
      critic_gate: null,
      critic: {
        ...critic,
        applied: 'approved',
        failure_reason: 'parse_failed_approved',
        last_findings_path: hashOf('garbage'),
        counts: null,
      },
    },
  ],
  [
    'unreadable result, human stops',
    () => failPure(atCritic(), 'parse_failed'),
    (run) => answerPure(run, 'stop'),
    {
      phase: 'critic_halted',
      critic_gate: null,
      critic: {
        ...critic,
        failure_reason: 'parse_failed_halted',
        last_findings_path: hashOf('garbage'),
        counts: null,
      },
    },
  ],
  [
    're-synthesis stored',
    atRevision,
    (run) => synthesised(run, ['M1'], 'Revised draft.'),
    {
      phase: 're_critic_active',
      spec: {
        hash: hashOf(JSON.stringify(draft(atRevision(), ['M1'], 'Revised draft.'))),
        criteria: 1,
        code_in: [],
      },
      critic: { ...critic, applied: 'revised', round: 1 },
    },
  ],
  [
    'second critic clean',
    atSecondCritic,
    (run) => reviewed(run, []),
    {
      phase: 'critic_complete',
      findings_shown: [],
      critic: {
        ...critic,
        applied: 'approved',
        round: 1,
        last_findings_path: found([]),
        counts: { critical: 0, major: 0, minor: 0 },
      },
    },
  ],
  [
    'second gate Approve',
    atSecondGate,
    (run) => answerPure(run, 'approve'),
    {
      phase: 'critic_complete',
      critic_gate: null,
      critic: {
        ...critic,
        applied: 'approved',
        round: 1,
        last_findings_path: second,
        counts: { critical: 0, major: 1, minor: 0 },
      },
    },
  ],
  [
    'second gate Stop',
    atSecondGate,
    (run) => answerPure(run, 'stop'),
    {
      phase: 'critic_halted',
      critic_gate: null,
      critic: {
        ...critic,
        applied: 'revised',
        round: 1,
        failure_reason: 'user_stopped',
        last_findings_path: second,
        counts: { critical: 0, major: 1, minor: 0 },
      },
    },
  ],
  [
    're-synthesis failed',
    atRevision,
    (run) => failPure(run),
    { phase: 'critic_halted', critic: { ...critic, failure_reason: 're_synthesis_failed' } },
  ],
  [
    'approval gate: Modify',
    () => atDeepApproval(1),
    (run) => answerPure(run, 'modify', { text: 'Shorter.' }),
    {
      phase: 'qa_complete',
      critic: null,
      spec: null,
      analyses: null,
      findings_shown: [],
      requests: 1,
      requests_shown: ['Shorter.'],
    },
  ],
  [
    'question round closed, another follows',
    () => workPure(atInterview(), questions(1)),
    (run) => answerPure(run, 'answer', { fields: { q1: 'JPEG' } }),
    { round: null, rounds_closed: 1, qa_round: 2 },
  ],
  [
    'question round closed, the last',
    () => workPure(atInterview(), questions(1)),
    (run) => answerPure(run, 'skip'),
    { round: null, rounds_closed: 1, unconfirmed: ['q1'], phase: 'qa_complete' },
  ],
];

describe('transitions', () => {
  test.each(ROWS)(
    'SP-05: row "%s" is one move that writes exactly its fields',
    (_name, before, move, fields) => {
      const run = before();
      expect(written(run, move(run))).toEqual(fields);
    },
  );

  test('what a row records beside the state comes with the same move', () => {
    const gate = atDeepApproval();
    expect(entries(answerPure(gate, 'modify', { text: 'Shorter.' }), 'request')).toEqual([
      { text: 'Shorter.' },
    ]);
    const asked = workPure(atInterview(), questions(2));
    expect(entries(answerPure(asked, 'skip'), 'note')).toHaveLength(2);
    const names = reviewed(atCritic(), items(1, 0, 0)).records.flatMap((one) =>
      one.kind === 'artefact' ? [one.name] : [],
    );
    expect(names.at(-1)).toBe('critic_findings');
  });

  test('SP-06: failures of the second critic keep the round at 1', () => {
    const ends = [
      failPure(atSecondCritic(), 'dispatch_failed'),
      failPure(atSecondCritic(), 'parse_failed'),
      answerPure(failPure(atSecondCritic(), 'parse_failed'), 'approve'),
      answerPure(failPure(atSecondCritic(), 'parse_failed'), 'stop'),
      answerPure(atSecondGate(), 'stop'),
    ];
    for (const run of ends) expect(stateOf(run).critic?.round).toBe(1);
    const approval = passPure(ends[0] as PureRun);
    expect(stateOf(approval)).toMatchObject({
      phase: 'spec_ready',
      critic: { round: 1, failure_reason: 'dispatch_failed' },
    });
  });
});
