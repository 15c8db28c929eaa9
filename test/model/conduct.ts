import type { Change } from '../../src/contract/change.ts';
import { type ConductState, TICKET_CAPS } from '../../src/contract/conduct.ts';
import type { MoveRecord } from '../../src/contract/move.ts';
import type { WorkerCall } from '../../src/contract/step.ts';
import { conductWorkflow } from '../../src/workflows/conduct/workflow.ts';
import { policy, startFacts } from '../support/pure-run.ts';
import {
  BUILD,
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
} from '../workflows/conduct/fixture.ts';
import { seenInConduct } from './conduct-seen.ts';
import { NOW } from './happenings.ts';
import {
  type Delivered,
  defineWorld,
  type Floor,
  type Named,
  type Sent,
  type Start,
  type Tally,
} from './world.ts';

const start = (name: string, input: Record<string, unknown>): Start => ({
  name,
  input: { title: 'Export as JSON', ...input },
  facts: startFacts({ run: 'B-12', policy }),
});

/** A ticket, and one whose end is a decision. */
const starts: readonly Start[] = [
  start('a ticket', {}),
  start('decision-only', { labels: ['decision-only'] }),
];

const ok = (name: string, result: unknown): Named<Delivered> => ({ name, value: { result } });
const asks = { brief: null, decision: null, questions: ['Which one?'] };
const part = {
  key: 'one',
  title: 'Part one',
  description: '',
  priority: 'medium' as const,
  after: [],
  criteria: [],
};

/** What settle tells apart. Questions come at the first gate alone: every gate takes them alike. */
function results(state: ConductState, { role }: WorkerCall): Named<Delivered>[] {
  switch (role) {
    case 'clarify':
      return [
        ok('a draft', clarified()),
        ok('questions', clarified(asks)),
        ...(state.labels.includes('decision-only')
          ? [ok('the deliverable', clarified({ deliverable: true }))]
          : []),
      ];
    case 'decompose':
      return [ok('one piece', decomposed()), ok('two parts', decomposed({ children: [part] }))];
    case 'design':
      return [ok('one track', designed()), ok('two tracks', designed({ tracks: ['product', 'technical'] }))];
    case 'plan':
      return [ok('a plan', planned())];
    case 'stale_patch':
      return [ok('words', patched()), ...reworks(state)];
    case 'release':
      return [ok('a draft', { brief: brief('Release it?') })];
    case 'verify':
      return [ok('a runbook', runbook(state.criteria.map(({ id }) => id)))];
    case 'escalate_judge':
      return [ok('routine', { worth: false }), ok('worth it', { worth: true, signals: ['novel'] })];
    default:
      return [];
  }
}

/** One way back from where the ticket stands, where there is one. */
function reworks({ phase, parent_ticket }: ConductState): Named<Delivered>[] {
  const back = {
    Clarified: 'revising-promoting',
    Decomposed: 'revising-promoting',
    Designed: 'revising-decomposing',
    Planned: 'revising-designing',
    Built: 'revising-building',
    Released: 'revising-building',
  } as const;
  const rework = phase in back && !parent_ticket ? back[phase as keyof typeof back] : null;
  return rework ? [ok('with rework', patched({ rework }))] : [];
}

const checks = (state: string) => ({ readable: true, why: null, state, list: [] });

/** What the host may say before the brief makes no difference to the way; after the word to go everything does. */
function hosts({ release }: ConductState): Named<unknown>[] {
  const good = { name: 'good', value: HOST };
  if (release.stage === 'query') return [good];
  return [
    good,
    // Once is enough to see the wait; that it ends after sixty is a test of its own.
    ...(release.waits === 0
      ? [{ name: 'checks pending', value: { ...HOST, checks: checks('pending') } }]
      : []),
    { name: 'checks failed', value: { ...HOST, checks: checks('failed') } },
    { name: 'not approved', value: { ...HOST, author_is_bot: true } },
    { name: 'another head', value: { ...HOST, head_sha: 'other' } },
    { name: 'two pull requests', value: { ...HOST, pulls: [...HOST.pulls, ...HOST.pulls] } },
  ];
}

const command = (name: string, args: Record<string, unknown> = {}) =>
  ({ type: 'command', command: name, by: 'ada', args, at: NOW }) as const;
const told = (name: string, data: unknown, from: string) =>
  ({ type: 'message', from, name, data, at: NOW }) as const;

/** Where a person looks at the ticket, or a write is under way that nothing interrupts; work is ended alike everywhere. */
function isQuiet(state: ConductState): boolean {
  const step = conductWorkflow.next(state as never);
  return step.kind !== 'query' && (step.kind !== 'work' || step.calls.length === 0);
}

const FORWARD: readonly ConductState['phase'][] = ['Idea', 'Clarified', 'Decomposed', 'Designed'];

function signals(state: ConductState): Sent[] {
  const outside = (name: string, value: Sent['value']): Sent => ({ name, by: 'outside', value });
  const superseded = { type: 'convention', id: 'D-1', superseded_by: 'D-9' };
  const fates = Object.fromEntries(state.children.map(({ id, key }) => [id ?? key, 'cancel']));
  const reopens = (['clarify', 'decompose', 'design', 'build'] as const).map((to) =>
    outside(`reopen ${to}`, command('reopen', { to, why: 'x', fates })),
  );
  const children = state.children.flatMap(({ key }) =>
    ['Planned', 'Verified', 'Cancelled'].map((at) =>
      outside(
        `the child is ${at}`,
        told('child', { key, id: 'B-13', title: 'Part one', state: at, archived: false }, 'B-13'),
      ),
    ),
  );
  const building = state.building === 'child';
  return [
    ...(state.stale || (!isQuiet(state) && state.phase !== 'Designed')
      ? []
      : [outside('superseded', { type: 'fact', what: 'superseded', value: superseded, at: NOW })]),
    // Where a drive might accept: the mark has to hold until a person accepts or edits.
    ...(state.brief && FORWARD.includes(state.phase) && !state.unproven && isQuiet(state)
      ? [outside('edited without proof', command('edit', { priority: 'high' }))]
      : []),
    ...(state.reopening || state.hops.length > 0 || !isQuiet(state) ? [] : reopens),
    ...children,
    ...(building
      ? [
          ...(state.build_run === null ? [outside('building', told('building', null, 'de-1'))] : []),
          outside('built', told('built', BUILD, 'de-1')),
          outside('built without tests', told('built', { ...BUILD, checks: [] }, 'de-1')),
          outside('built badly', told('built', { ...BUILD, result: 'max_rounds' }, 'de-1')),
          outside('the build ended', {
            type: 'run_ended',
            run: 'de-1',
            key: `build-${state.builds}`,
            result: 'x',
            at: NOW,
          }),
        ]
      : []),
    outside('an old build ended', { type: 'run_ended', run: 'de-0', key: 'build-0', result: 'x', at: NOW }),
  ];
}

const historyOf = ({ records }: Change) =>
  records.flatMap(({ record }) =>
    record.kind === 'entry' && record.name === 'history'
      ? [record.data as { activity: string; from: string; to: string }]
      : [],
  );
const travels = (change: Change, activity: string, from?: string) =>
  historyOf(change).some((one) => one.activity === activity && (from === undefined || one.from === from));
const opens = ({ run, opened }: Change, ...ops: string[]) =>
  opened.length > 0 && 'op' in run.step && ops.includes(run.step.op.op);
/** The word given at a parent's marker, where there is no brief (CON-79). */
const onMarker = ({ records }: Change) =>
  records.some(
    ({ record }) =>
      record.kind === 'decision' &&
      record.name === 'brief_resolved' &&
      (record.data as { brief: unknown }).brief === null,
  );

/** A word given at a gate is spent when the ticket goes anywhere but where that word leads. */
const leavesFor =
  (...ways: string[]) =>
  (record: MoveRecord) =>
    record.kind === 'entry' &&
    record.name === 'history' &&
    !ways.includes((record.data as { to: string }).to);

const stateIn = ({ run }: Pick<Change, 'run'>) => run.state as unknown as ConductState;
/** A brief that a drive accepted for the person. */
const onBehalf = ({ records }: Change) =>
  records.some(
    ({ record }) =>
      record.kind === 'decision' &&
      record.name === 'brief_resolved' &&
      (record.data as { provenance: string }).provenance.startsWith('agent:'),
  );

const floors: readonly Floor[] = [
  {
    // Only a person clears the mark, so it is still there after an accept on behalf: no answer allows that.
    what: 'an accept on behalf of a ticket that was changed without proof (CON-116)',
    gate: 'clarify',
    options: [],
    reached: (change) => onBehalf(change) && stateIn(change).unproven !== null,
  },
  {
    what: 'a merge, a deploy or Released',
    gate: 'release',
    options: ['accept'],
    reached: (change) => opens(change, 'merge', 'deploy') || travels(change, 'releasing'),
    // An accept of an earlier build, or from before the ticket came back to Built, is none (CON-86).
    voided: leavesFor('Released'),
  },
  {
    what: 'Verified',
    gate: 'verify',
    options: ['accept'],
    reached: (change) => travels(change, 'verifying') && !onMarker(change),
    voided: leavesFor('Verified'),
  },
  {
    what: 'Verified by a parent’s marker',
    gate: 'parent_ticket',
    options: ['accept'],
    reached: (change) => travels(change, 'verifying') && onMarker(change),
    voided: leavesFor('Verified'),
  },
  {
    what: 'a decision as the whole result',
    gate: 'clarify',
    options: ['accept'],
    reached: (change) => travels(change, 'fast-forwarding', 'Clarified'),
    voided: leavesFor('Clarified', 'Verified'),
  },
  {
    what: 'a design as the whole result',
    gate: 'design',
    options: ['accept'],
    reached: (change) => travels(change, 'fast-forwarding', 'Designed'),
    voided: leavesFor('Designed', 'Verified'),
  },
];

const tallies: readonly Tally[] = [
  {
    what: 'rounds of questions of one gate',
    cap: TICKET_CAPS.rounds,
    counts: (_, { records }) =>
      records.some(
        ({ record }) =>
          record.kind === 'entry' &&
          record.name === 'round' &&
          (record.data as { kind: string }).kind === 'worker',
      ),
    resets: (_, change) => stateIn(change).rounds_asked === 0,
  },
  {
    what: 'merges of one build',
    cap: 1,
    counts: (_, { records }) =>
      records.some(({ record }) => record.kind === 'entry' && record.name === 'merge'),
    resets: (_, change) => travels(change, 'building'),
  },
];

/** One ticket from a captured idea to its end, in every mode, with everything that can come between. */
export const conductWorld = defineWorld<ConductState>({
  def: conductWorkflow,
  starts,
  results,
  looks: {
    knowledge: () => [{ name: 'an entry', value: LEDGER }],
    'host.release': hosts,
    'host.observe': () => [{ name: 'well', value: SEEN }],
  },
  writes: {
    open_pull_request: () => [
      { name: 'opened', value: PULL },
      { name: 'another commit', value: { ...PULL, head_sha: 'other' } },
    ],
    merge: () => [{ name: 'merged', value: { merged_sha: 'beef', base: 'main' } }],
    deploy: () => [{ name: 'deployed', value: {} }],
  },
  texts: {
    'verify back': ['It prints XML.'],
    ...Object.fromEntries(
      ['clarify', 'release', 'verify', 'patch'].map((gate) => [`${gate} reshape`, ['shorter']]),
    ),
    'design edit': ['{"why":["So."]}'],
  },
  commands: (state) => (isQuiet(state) ? ['conduct', 'park', 'cancel', 'unpark'] : ['conduct']),
  giving_up: ['cancel', 'park'],
  signals,
  drives: [
    { mode: { kind: 'unattended' }, trust: 'balanced' },
    { mode: { kind: 'escalate' }, trust: 'autonomous' },
    { mode: { kind: 'partial', pause_at: 'build' }, trust: 'balanced' },
    { mode: { kind: 'unattended' }, trust: 'cautious' },
  ],
  troubled: () => false,
  over: ({ ended }) => ended,
  seen: seenInConduct,
  floors,
  tallies,
  turns: 60,
  unmet: {},
});
