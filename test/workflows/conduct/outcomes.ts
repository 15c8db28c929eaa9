import type { CallOutcome, Outcome } from '../../../src/contract/outcome.ts';
import { conductWorkflow } from '../../../src/workflows/conduct/workflow.ts';
import { hashOf } from '../../support/pure-run.ts';
import {
  brief,
  clarified,
  decomposed,
  designed,
  HOST,
  LEDGER,
  PULL,
  patched,
  planned,
  runbook,
  SEEN,
} from './fixture.ts';
import { type Happening, nowOf, type Scene, stateOf } from './scene.ts';

/** What can come of the step a ticket is at: every way its workers, looks and writes end. */
const outcome = (name: string, value: Record<string, unknown>, at: string, good = false): Happening => ({
  name,
  input: { kind: 'outcome', outcome: { ...value, at } as Outcome, results: new Map() },
  ...(good ? { good } : {}),
});

export function outcomes(scene: Scene): Happening[] {
  const { step } = scene.at.run;
  const at = nowOf(scene);
  const ways = (what: string, key: string, list: readonly unknown[]) =>
    list.map((one, n) =>
      outcome(`${what} ${n}`, { kind: key === 'found' ? 'queried' : 'written', [key]: one }, at, n === 0),
    );
  const failures = (what: string, ...codes: string[]) =>
    codes.map((code) =>
      outcome(`${what} ${code}`, { kind: 'failed', failure: { code, retry: 'permanent', detail: 'x' } }, at),
    );
  switch (step.kind) {
    case 'work': {
      const role = step.calls[0]?.role;
      if (!role) return [outcome('pass', { kind: 'worked', calls: [] }, at, true)];
      return calls(scene, role).map(([name, call], n) =>
        outcome(`${role} ${name}`, { kind: 'worked', calls: [call] }, at, n === 0),
      );
    }
    case 'query':
      return [
        ...ways(`query ${step.what.what}`, 'found', QUERIES[step.what.what] ?? []),
        ...failures('query', 'io_failed'),
      ];
    case 'tracker':
    case 'deploy':
      return [
        ...ways(step.op.op, 'result', WRITES[step.op.op] ?? []),
        ...failures(step.op.op, 'io_failed', 'merge_conflict', 'head_moved'),
      ];
    case 'wait':
      return step.until.kind === 'time' ? [outcome('woken', { kind: 'woken' }, at, true)] : [];
    default:
      return [];
  }
}

const checks = (state: string, readable = true) => ({
  readable,
  why: readable ? null : '403',
  state,
  list: [],
});
const QUERIES: Readonly<Record<string, readonly unknown[]>> = {
  knowledge: [LEDGER],
  'host.release': [
    HOST,
    { ...HOST, checks: checks('pending') },
    { ...HOST, checks: checks('failed') },
    { ...HOST, checks: checks('none', false) },
    { ...HOST, author_is_bot: true },
    { ...HOST, by_us: false },
    { ...HOST, head_sha: 'other' },
    { ...HOST, pulls: [...HOST.pulls, { pr_number: 2, head_sha: 'c0ffee', base: 'main' }] },
    { ...HOST, paths: ['db/migrations/1.sql'] },
    'no host',
  ],
  'host.observe': [SEEN, { ...SEEN, ok: false, exit: 1 }, null],
};
const WRITES: Readonly<Record<string, readonly unknown[]>> = {
  open_pull_request: [
    PULL,
    { ...PULL, head_sha: 'other' },
    { ...PULL, author_is_bot: true },
    'x',
    { assumed: true },
  ],
  merge: [{ merged_sha: 'beef', base: 'main' }, { assumed: true }],
  deploy: [{ deployed: true }, { assumed: true }],
};

/** What a worker may deliver at each gate, all valid; and the ways it can fail. */
function calls(scene: Scene, role: string): [string, CallOutcome][] {
  const state = stateOf(scene);
  const asks = { brief: null, decision: null, questions: ['Which one?'] };
  const unsure = brief('Really?', { recommend: { text: 'Maybe.', confidence: 'low' } });
  const parts = ['one', 'two'].map((key) => ({
    key,
    title: `Part ${key}`,
    description: '',
    priority: 'medium' as const,
    after: [],
    criteria: state.criteria.slice(0, 1).map(({ id }) => id),
  }));
  const good: Readonly<Record<string, unknown[]>> = {
    clarify: [
      clarified(),
      clarified(asks),
      clarified({ brief: unsure }),
      clarified({ labels: ['risk:auth'] }),
      clarified({ deliverable: true }),
    ],
    decompose: [decomposed(), decomposed(asks), decomposed({ children: parts })],
    design: [
      designed(),
      designed(asks),
      designed({ tracks: ['product', 'technical'] }),
      designed({ brief: brief('Run a migration?') }),
    ],
    plan: [planned(), planned(asks), planned({ brief: unsure })],
    stale_patch: [
      patched(),
      patched(asks),
      ...(
        [
          'revising-promoting',
          'revising-clarifying',
          'revising-decomposing',
          'revising-designing',
          'revising-building',
        ] as const
      ).map((rework) => patched({ rework })),
    ],
    release: [{ brief: brief('Release it?') }],
    verify: [runbook(state.criteria.map(({ id }) => id))],
    escalate_judge: [
      { worth: false, signals: [], why: '' },
      { worth: true, signals: ['novel'], why: 'new' },
      { worth: false, signals: ['near-tie'], why: '' },
    ],
  };
  const definition = conductWorkflow.roles[role];
  const step = scene.at.run.step;
  const call = step.kind === 'work' ? step.calls[0] : undefined;
  const valid = (good[role] ?? []).filter(
    (result) => call && (definition?.check?.(result as never, state as never, call) ?? []).length === 0,
  );
  const bad = (kind: 'dispatch_failed' | 'parse_failed', cause: string): [string, CallOutcome] => [
    cause,
    { kind, detail: 'x', text: null, attempts: 2, cause },
  ];
  return [
    ...valid.map((result, n): [string, CallOutcome] => [
      `${n}`,
      {
        kind: 'ok',
        result: definition?.result.parse(result),
        artefact: hashOf(JSON.stringify(result)),
        line: null,
      },
    ]),
    bad('dispatch_failed', 'deadline'),
    bad('dispatch_failed', 'silent'),
    bad('parse_failed', 'invalid'),
  ];
}
