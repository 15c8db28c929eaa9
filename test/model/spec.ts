import type { Change } from '../../src/contract/change.ts';
import type { SpecState } from '../../src/contract/spec.ts';
import type { WorkerCall } from '../../src/contract/step.ts';
import type { LiveRun, StartFacts } from '../../src/engine/workflow.ts';
import { ANALYSTS } from '../../src/workflows/spec/analysts.ts';
import { specWorkflow } from '../../src/workflows/spec/workflow.ts';
import { hashOf, policy, startFacts } from '../support/pure-run.ts';
import { analysis, items } from '../workflows/spec/deep-fixture.ts';
import { FREE, GIT, questions, specDoc, TASK } from '../workflows/spec/fixture.ts';
import { NOW } from './happenings.ts';
import { type Delivered, defineWorld, type Named, type Seen, type Sent, type Start } from './world.ts';

const SLUG = 'a-tool-that-renames-photos-by-date';

const live: LiveRun = {
  run: 'sp-old',
  workflow: 'spec',
  subject: `spec:${SLUG}`,
  phase: 'qa_active',
  status: 'waiting',
  title: 'earlier',
};

const start = (name: string, input: Record<string, unknown>, facts: Partial<StartFacts> = {}): Start => ({
  name,
  input: { task: TASK, mode: 'quick', model_config: null, reference: null, lang: null, ...input },
  facts: startFacts(facts),
});

/** Each way to begin that setup tells apart; git and no git, because the convention step does. */
const starts: readonly Start[] = [
  start('quick', {}),
  start('quick, git', {}, { git: GIT }),
  start('deep', { mode: 'deep', model_config: 'balanced' }),
  start('deep, git', { mode: 'deep', model_config: 'economy' }, { git: GIT }),
  start('nothing said', { mode: null }),
  start('over a live run', { mode: null }, { live: [live], git: GIT }),
  start('looks like a change', { task: 'Fix the crash in the upload dialog' }),
  start('unattended', {}, { policy: { ...policy, unattended: true } }),
  start('with a reference', { reference: 'g.md' }, { reference: { path: 'g.md', hash: hashOf('g') } }),
];

const artefactOf = (state: SpecState): `sha256:${string}` =>
  state.spec?.hash === hashOf('spec A') ? hashOf('spec B') : hashOf('spec A');

/** A draft never has the address of the one it replaces, so that an approval of the old one would be seen. */
function drafts(state: SpecState): Named<Delivered>[] {
  const { critical = 0, major = 0 } = state.critic?.counts ?? {};
  const ids = [...items(critical, major, 0)].map(({ id }) => id);
  const artefact = state.revising
    ? state.revising.draft.hash === hashOf('spec A')
      ? hashOf('spec B')
      : hashOf('spec A')
    : artefactOf(state);
  const doc = specDoc(state.unconfirmed);
  const citing = { ...doc, edge_cases: [...doc.edge_cases, ...ids.map((id) => `Answered [${id}]`)] };
  const plain = { name: 'a draft', value: { result: doc, artefact } };
  if (state.phase !== 're_synthesis_active') return [plain];
  return [{ name: 'a draft that cites all', value: { result: citing, artefact } }, plain];
}

const ok = (name: string, result: unknown): Named<Delivered> => ({ name, value: { result } });

/** What settle tells apart: no, some or too many questions; findings or none; light and heavy findings of the critic. */
function results(state: SpecState, { role }: WorkerCall): Named<Delivered>[] {
  switch (role) {
    case 'interviewer':
      return [ok('nothing to ask', questions(0)), ok('too many questions', questions(9))];
    case 'convention_scanner':
      return [ok('a scan', { db: 'N/A', api: 'N/A', files: ['One noun per file.'], tests: 'N/A' })];
    case 'writer':
    case 'synthesis':
      return drafts(state);
    case 'critic':
      return [ok('clean', { items: items(0, 0, 1) }), ok('findings', { items: items(1, 1, 0) })];
    default:
      return Object.hasOwn(ANALYSTS, role)
        ? (['findings', 'empty'] as const).map((how) => ok(how, analysis(role, how)))
        : [];
  }
}

const candidates = (n: number) => ({
  source: 'candidates',
  candidates: Array.from({ length: n }, (_, i) => ({
    path: `f${i}.md`,
    lines: 9,
    artefact: hashOf(`f${i}`),
  })),
  warnings: [],
});

function signals({ setup }: SpecState): Sent[] {
  const ended = { type: 'run_ended', run: 'sp-old', key: null, result: 'abandoned', at: NOW } as const;
  const taken = { type: 'subject_taken', subject: `spec:${SLUG}`, run: 'sp-old', at: NOW } as const;
  return [
    { name: 'the other run ended', by: 'run', value: ended },
    // The store tells of another owner when the claim is committed, and at no other time.
    ...(setup?.stage === 'looking'
      ? [{ name: 'the subject is taken', by: 'run', value: taken } as const]
      : []),
  ];
}

const inSetup =
  <T>(read: (state: SpecState) => T) =>
  (state: SpecState) =>
    state.setup ? read(state) : null;
const words = 'words: shown or handed to workers, never compared';

const seen: { readonly [K in keyof SpecState]?: Seen<SpecState> } = {
  task: { as: () => null, because: words },
  slug: { as: inSetup(({ slug }) => slug), because: 'a name, settled in setup' },
  docs_path: { as: () => null, because: 'follows from the slug' },
  branch: { as: () => null, because: 'a name' },
  base: { as: () => null, because: 'a name' },
  has_git: {
    as: ({ has_git, conventions }) => (conventions === null ? has_git : null),
    because:
      'asked when conventions are looked for the first time, and in a look for them again without effect',
  },
  overwrite: { as: inSetup(({ overwrite }) => overwrite), because: 'afterwards only handed to the write' },
  in_place: { as: inSetup(({ in_place }) => in_place), because: 'afterwards only handed to the write' },
  unattended: { as: inSetup(({ unattended }) => unattended), because: 'asked about in setup alone' },
  cli_flags: { as: () => null, because: 'handed to the look, which finds everything anyway' },
  model_config: { as: () => null, because: 'tiers of workers' },
  conventions: {
    as: ({ conventions }) => (conventions === null || conventions === 'skipped' ? conventions : 'artefact'),
    because: 'which text it is goes to workers only',
  },
  setup: {
    as: ({ setup }) =>
      setup && {
        ...setup,
        other: setup.other !== null,
        models: setup.models !== null,
        taken: setup.taken.length > 0,
        bad_model: null,
      },
    because: 'names of the other run, of documents and of models are shown',
  },
  convention_stage: {
    as: ({ convention_stage: stage }) =>
      stage && [stage.at, 'candidates' in stage ? stage.candidates.length : 0],
    because: 'candidates differ in their names',
  },
  round: { as: ({ round }) => round !== null, because: 'how many questions it has changes the form alone' },
  asked: {
    as: ({ asked, phase }) => (phase === 'qa_active' || phase === 'critic_halted' ? asked : null),
    because: 'ids of questions still to come; after the last round there are none',
  },
  unconfirmed: { as: () => null, because: 'marks in texts' },
  spec: { as: ({ spec }) => spec !== null, because: 'which draft it is is told by the approval beside it' },
  analyses: {
    as: ({ analyses }) => analyses?.every(({ status }) => status !== 'ok') ?? null,
    because: 'only that all failed is asked; the rest are slots',
  },
  findings_shown: { as: () => null, because: words },
  revising: { as: ({ revising }) => revising !== null, because: 'the draft and what it lacks are slots' },
  not_addressed: { as: () => null, because: words },
  critic: {
    as: ({ critic }) =>
      critic && {
        applied: critic.applied,
        round: critic.round,
        found: critic.last_findings_path !== null,
        heavy: critic.counts && critic.counts.critical + critic.counts.major > 0,
      },
    because: 'failure_reason is display (SP-03), the request goes to the next pass as a record',
  },
  passes: { as: () => null, because: 'told, without a cap: each begins with a person' },
  requests: { as: () => null, because: 'told, without a cap' },
  requests_shown: { as: () => null, because: words },
  approved: {
    as: ({ approved, spec }) => approved && approved.spec === spec?.hash,
    because: 'that it is of exactly the present draft is what counts',
  },
  halted: { as: ({ halted }) => halted !== null, because: 'the reason is for people' },
};

const op = ({ run }: Change) => (run.step.kind === 'workspace' ? run.step.op : null);

/** From an idea to an approved specification, quick and deep. */
export const specWorld = defineWorld<SpecState>({
  def: specWorkflow,
  starts,
  results,
  looks: {
    setup: (state, { input }) => [
      { name: 'free', value: FREE },
      { name: 'free, on a branch', value: { ...FREE, branch: { name: 'b/spec', base: null } } },
      // A name with a counter is always free: folders beside it are told, and no two runs stamp for ever.
      ...(/-\d{14}-\d$/.test(state.slug)
        ? []
        : [{ name: 'taken', value: { ...FREE, taken: ['spec.md'], siblings: [input.slug] } }]),
    ],
    conventions: () => [
      { name: 'CLAUDE.md', value: { source: 'claude_md', artefact: hashOf('c'), lines: 60 } },
      { name: 'the reference', value: { source: 'reference', artefact: hashOf('r') } },
      {
        name: 'refused',
        value: { source: 'refused', msg: 'spec.reference.missing', args: { path: 'x.md' } },
      },
      { name: 'none', value: { source: 'none' } },
      ...[0, 1, 3].map((n) => ({ name: `${n} candidates`, value: candidates(n) })),
    ],
  },
  writes: {
    write_documents: () => [{ name: 'written', value: { files: ['spec.md'], branch: null, commit: null } }],
  },
  texts: {
    'model custom': ['executor:opus,advisor:sonnet', 'executor:nobody'],
    'critic modify': ['Shorter.'],
    'approval modify': ['Shorter.'],
  },
  commands: () => ['reopen', 'restart', 'abandon'],
  giving_up: ['restart', 'abandon'],
  signals,
  over: ({ ended }) => ended !== null,
  seen,
  floors: [
    {
      what: 'documents of an approved specification',
      gate: 'approval',
      options: ['approve'],
      reached: (change) =>
        op(change)?.op === 'write_documents' ||
        change.run.phase === 'completed' ||
        change.records.some(({ record }) => record.kind === 'decision' && record.name === 'spec_approved'),
      voided: (record) => record.kind === 'artefact' && record.name === 'spec',
    },
    {
      what: 'a wish to write over documents',
      gate: 'slug_collision',
      options: ['overwrite'],
      reached: ({ run }) => run.phase === 'setup' && run.state.overwrite === true,
      // What setup settled is not asked again: the answer need not be remembered.
      voided: ({ kind }) => kind === 'claim',
    },
    {
      what: 'a synthesis without a single analysis',
      gate: 'analysts',
      options: ['notes_only'],
      reached: ({ run }) =>
        run.step.kind === 'work' &&
        run.step.calls[0]?.role === 'synthesis' &&
        (run.state as SpecState).analyses?.every(({ status }) => status !== 'ok') === true,
    },
    {
      what: 'a run of deliver',
      gate: 'next_step',
      options: ['start_deliver'],
      reached: ({ run, records }) =>
        run.phase === 'completed' &&
        records.some(({ record }) => record.kind === 'spawn' && record.key === 'deliver'),
    },
  ],
  tallies: [
    {
      what: 'rounds of questions',
      cap: 3,
      counts: (_before, { gate_opened }) => gate_opened?.name === 'questions' && gate_opened.iteration === 1,
    },
    {
      what: 'revisions in a pass',
      cap: 1,
      counts: (before, { run }) => run.phase === 're_synthesis_active' && before.run.phase !== run.phase,
      resets: isNewPass,
    },
    {
      what: 'reviews in a pass',
      cap: 2,
      counts: ({ run }, { opened }) => !run.trouble && opened.some(({ role }) => role === 'critic'),
      resets: isNewPass,
    },
  ],
  turns: 10,
  unmet: {},
});

function isNewPass(before: Pick<Change, 'run'>, { run }: Change): boolean {
  return (run.state as unknown as SpecState).passes > (before.run.state as unknown as SpecState).passes;
}
