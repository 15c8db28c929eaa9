import type { AnsweredBy } from '../../../src/contract/answer.ts';
import type { ConductState } from '../../../src/contract/conduct.ts';
import type {
  Clarification,
  Decomposition,
  Design,
  Runbook,
  StalePatch,
  TicketPlan,
  WorkerBrief,
} from '../../../src/contract/conduct-work.ts';
import type { MoveRecord } from '../../../src/contract/move.ts';
import { conductWorkflow } from '../../../src/workflows/conduct/workflow.ts';
import {
  answerOf,
  hashOf,
  type PureRun,
  policy,
  settlePure,
  signalPure,
  startFacts,
  startPure,
} from '../../support/pure-run.ts';

export const C0FFEE = 'c0ffee'.padEnd(40, '0');
export const BEEF = 'beef'.padEnd(40, '0');
const BA5E = 'ba5e'.padEnd(40, '0');
export const OTHER = '0ddba11'.padEnd(40, '0');

export const ADA: AnsweredBy = { person: 'ada', surface: 'cli', proof: 'terminal' };
export const UNATTENDED: AnsweredBy = { agent: 'unattended', drive: 'dr-1' };

/** A new ticket as it stands after `baton ticket create`. */
export function ticket(
  input: Record<string, unknown> = {},
  conduct?: Partial<NonNullable<typeof policy.conduct>>,
): PureRun {
  const set = conduct
    ? { conduct: { acknowledge: false, shadow_judge: false, modules: [], globs: [], ...conduct } }
    : {};
  const facts = startFacts({ run: 'B-12', policy: { ...policy, ...set } });
  return startPure(
    conductWorkflow,
    { title: 'Export as JSON', description: 'People want the export in JSON.', ...input },
    facts,
  );
}

export function stateOf(run: PureRun): ConductState {
  return run.state as unknown as ConductState;
}

export function command(run: PureRun, name: string, args: Record<string, unknown> = {}): PureRun {
  return signalPure(run, { type: 'command', command: name, by: 'ada', proof: 'terminal', args });
}

/** What the ledger has: one accepted entry every draft can rest on. */
export const LEDGER = {
  entries: [
    {
      id: 'D-1',
      type: 'convention',
      status: 'Accepted',
      title: 'Small steps',
      body: 'We ship small.',
      domains: ['process'],
      review_by: null,
    },
  ],
  linked: [],
};

export function brief(decide: string, more: Partial<WorkerBrief> = {}): WorkerBrief {
  return {
    decide,
    recommend: { text: 'Do it.', confidence: 'high' },
    why: ['It is asked for.'],
    alternatives: [],
    context: [],
    items: [],
    research: [],
    load_bearing_gap: null,
    ...more,
  };
}

const asking = { questions: [], grounds: ['D-1'], gap: null, related: [], reasoning: 'Because.' };
const decision = (title: string) => ({
  title,
  body: `${title}, since it is simple.`,
  domains: ['product' as const],
});

export const clarified = (more: Partial<Clarification> = {}): Clarification => ({
  ...asking,
  brief: brief('Is this what you want?'),
  decision: decision('Export offers JSON'),
  criteria: ['--json prints JSON'],
  labels: [],
  deliverable: false,
  ...more,
});
export const decomposed = (more: Partial<Decomposition> = {}): Decomposition => ({
  ...asking,
  brief: brief('Keep it in one piece?'),
  decision: decision('The export is one piece'),
  children: [],
  ...more,
});
export const designed = (more: Partial<Design> = {}): Design => ({
  ...asking,
  brief: brief('Build it this way?'),
  decision: decision('A flag on the command'),
  tracks: ['technical'],
  ...more,
});
export const planned = (more: Partial<TicketPlan> = {}): TicketPlan => ({
  ...asking,
  brief: brief('Go with this plan?'),
  decision: decision('Plan for the JSON export'),
  checklist: ['add the flag', 'test it'],
  ...more,
});
export const patched = (more: Partial<StalePatch> = {}): StalePatch => ({
  ...asking,
  brief: brief('Bring it up to date?'),
  decision: null,
  rework: null,
  ...more,
});
export const runbook = (steps = ['AC-1']): Runbook => ({
  brief: brief('Does it hold?'),
  steps: steps.map((criterion) => ({
    criterion,
    do: 'run export --json',
    expect: 'JSON',
    unverifiable: false,
  })),
});

/** One worker of the present step delivers this. */
export function delivers(run: PureRun, result: unknown): PureRun {
  const artefact = hashOf(JSON.stringify(result));
  return settlePure(run, { kind: 'worked', calls: [{ kind: 'ok', result, artefact, line: null }] });
}

/** The ledger is looked at, then the worker delivers. */
export function drafts(run: PureRun, result: unknown, ledger: unknown = LEDGER): PureRun {
  return delivers(settlePure(run, { kind: 'queried', found: ledger }), result);
}

export function answers(
  run: PureRun,
  option: string,
  text: string | null = null,
  by: AnsweredBy = ADA,
): PureRun {
  const outcome = answerOf(run, option, { text });
  if (outcome.kind !== 'answered') throw new Error('no answer');
  return settlePure(run, { ...outcome, answer: { ...outcome.answer, by } });
}

export const accepts = (run: PureRun, by: AnsweredBy = ADA) => answers(run, 'accept', null, by);

/** A step without a call. */
export const passes = (run: PureRun) => settlePure(run, { kind: 'worked', calls: [] });

export const BUILD = {
  result: 'passed',
  branch: 'baton/B-12-export-as-json',
  commit: C0FFEE,
  base: BA5E,
  paths: ['src/export.ts'],
  checks: [{ name: 'test', result: 'pass', counts: null }],
  evidence: null,
  criteria: [{ id: 'AC-1', met: true }],
  altered: false,
  summary: 'done',
};
export const PULL = {
  branch: BUILD.branch,
  head_sha: C0FFEE,
  pr_number: 1,
  pr_url: 'local:origin#1',
  base: 'main',
  opened_at: '2026-11-15T10:00:00.000Z',
  author_is_bot: false,
};
export const HOST = {
  pulls: [{ pr_number: 1, head_sha: C0FFEE, base: 'main' }],
  head_sha: C0FFEE,
  checks: { readable: true, why: null, state: 'passed', list: [{ name: 'ci', state: 'passed' }] },
  approved: false,
  approved_by: [],
  author_is_bot: false,
  by_us: true,
  mergeable: true,
  paths_left_out: 0,
  paths: ['src/export.ts'],
};
export const SEEN = { configured: true, ok: true, exit: 0, output: 'fine', output_hash: null };

/** The ticket right before a state's gate: everything up to there was accepted by this person or drive. */
export function upTo(
  phase: ConductState['phase'],
  by: AnsweredBy = ADA,
  input: Record<string, unknown> = {},
): PureRun {
  let run = command(ticket(input), 'conduct');
  const steps: [ConductState['phase'], (run: PureRun) => PureRun][] = [
    ['Idea', (now) => accepts(drafts(now, clarified()), by)],
    ['Clarified', (now) => accepts(drafts(now, decomposed()), by)],
    ['Decomposed', (now) => accepts(drafts(now, designed()), by)],
    ['Designed', (now) => accepts(drafts(now, planned()), by)],
    ['Planned', built],
    ['Built', (now) => released(now)],
  ];
  for (const [at, step] of steps) {
    if (stateOf(run).phase === phase) return run;
    if (stateOf(run).phase === at) run = step(run);
  }
  return run;
}

/** The run that builds says which one it is, with its first commit. */
export function presented(run: PureRun): PureRun {
  return signalPure(run, { type: 'message', from: 'de-1', name: 'building', data: null });
}

/** The build's run ends well and its pull request is pushed. */
export function built(run: PureRun, report: Record<string, unknown> = {}): PureRun {
  const started = presented(stateOf(run).building === 'start' ? passes(run) : run);
  const told = signalPure(started, {
    type: 'message',
    from: 'de-1',
    name: 'built',
    data: { ...BUILD, ...report },
  });
  return settlePure(told, { kind: 'written', result: PULL });
}

/** The release brief is drafted from what the host says. */
export function releaseDrafted(run: PureRun, host: Record<string, unknown> = {}): PureRun {
  return delivers(settlePure(run, { kind: 'queried', found: { ...HOST, ...host } }), {
    brief: brief('Release it?'),
  });
}

export function released(run: PureRun): PureRun {
  const go = accepts(releaseDrafted(run));
  const merged = settlePure(settlePure(go, { kind: 'queried', found: HOST }), {
    kind: 'written',
    result: { merged_sha: BEEF, base: 'main' },
  });
  return settlePure(merged, { kind: 'written', result: { deployed: true } });
}

export function verifyDrafted(run: PureRun): PureRun {
  return delivers(
    settlePure(run, { kind: 'queried', found: SEEN }),
    runbook(stateOf(run).criteria.map(({ id }) => id)),
  );
}

export function recordsOf<K extends MoveRecord['kind']>(
  run: PureRun,
  kind: K,
): Extract<MoveRecord, { kind: K }>[] {
  return run.records.filter((record): record is Extract<MoveRecord, { kind: K }> => record.kind === kind);
}

export function entriesOf(run: PureRun, name: string): unknown[] {
  return recordsOf(run, 'entry')
    .filter((record) => record.name === name)
    .map(({ data }) => data);
}

const superseded = {
  type: 'fact',
  what: 'superseded',
  value: { type: 'convention', id: 'D-1', superseded_by: 'D-9' },
} as const;

/** A decision the ticket rests on is superseded. */
export const stale = (run: PureRun) => signalPure(run, superseded);

/** Children as a worker proposes them. */
export const parts = (...keys: string[]) =>
  keys.map((key) => ({
    key,
    title: `Part ${key}`,
    description: '',
    priority: 'medium' as const,
    after: [],
    criteria: [],
  }));

/** A child tells its parent where it is. */
export const childNotice = (run: PureRun, n: number, key: string, state: string) =>
  signalPure(run, {
    type: 'message',
    from: `B-${n}`,
    name: 'child',
    data: { key, id: `B-${n}`, title: `Part ${key}`, state, archived: false },
  });
