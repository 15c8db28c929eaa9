import { ACCEPT, ALL, base, conduct, DENY, drafting, filesOf, OUTWARD, script } from './conduct-folder.ts';
import { GOOD, USELESS } from './deliver-folder.ts';
import type { Move, Scenario } from './scenario.ts';

const { clarify, decompose, design } = ALL;

/** A branch that is seen is not carried on to a release: the person gives the ticket up at this gate. */
const cancelled = (at: string, ...before: readonly Move[]) => ({
  moves: [...before, { at, command: 'cancel' }],
  result: 'cancelled',
});

const MIGRATES = {
  result: drafting('Run a data migration?', 'The table is migrated', { tracks: ['technical'] }),
};

/** Who answers: a person at every gate, or a drive for them, up to where somebody must be asked. */
const modes: readonly Scenario[] = [
  { ...base, name: 'conduct-controlled' },
  {
    ...base,
    name: 'conduct-risk-pause',
    moves: [conduct('unattended')],
    script: script({ design: [MIGRATES] }),
    answers: { design, ...OUTWARD },
  },
  {
    ...base,
    name: 'conduct-pause-at-plan',
    ...cancelled('plan', conduct('partial:plan')),
    answers: {},
  },
  {
    ...base,
    name: 'conduct-pause-at-build',
    ...cancelled('release', conduct('partial:build')),
    answers: { build_go: [ACCEPT] },
  },
  {
    ...base,
    name: 'conduct-escalate',
    ...cancelled('plan', conduct('escalate')),
    script: script({
      escalate_judge: [
        { result: { worth: false, signals: [], why: 'As always.' } },
        { result: { worth: true, signals: ['near-tie'], why: 'Both would do.' } },
        { result: { worth: true, signals: ['novel'], why: 'Never done.' } },
      ],
    }),
    answers: { clarify, design },
  },
  {
    ...base,
    name: 'conduct-trust-turned',
    ...cancelled('plan', conduct('unattended'), { at: 'design', trust: 'cautious' }),
    script: script({ design: [MIGRATES] }),
    answers: { design },
  },
];

const ASKS = { questions: ['Which sum?'], brief: null, decision: null, criteria: [] };

/** What a person can say at a gate beside accept, and what workers can ask or fail at. */
const said: readonly Scenario[] = [
  {
    ...base,
    name: 'conduct-reshaped',
    ...cancelled('decompose', conduct()),
    answers: {
      clarify: [
        { option: 'reshape', text: 'Say it in other words.', draft: { text: 'Say it' } },
        { option: 'edit', text: '{"why":["Because."]}' },
        ACCEPT,
      ],
    },
  },
  {
    ...base,
    name: 'conduct-questions',
    ...cancelled('decompose', conduct()),
    script: script({ clarify: [{ result: ASKS }] }),
    answers: { round: [{ option: 'answer', fields: { q1: 'The second.' } }], clarify },
  },
  {
    ...base,
    name: 'conduct-parked',
    ...cancelled(
      'clarify',
      conduct(),
      { at: 'halt', command: 'unpark' },
      conduct(),
      { at: 'clarify', command: 'park', args: { why: 'Not now.' } },
      { at: 'halt', command: 'unpark' },
      conduct(),
    ),
    answers: { clarify: [DENY] },
  },
  {
    ...base,
    name: 'conduct-remark',
    ...cancelled('decompose', conduct()),
    answers: { clarify: [{ ...ACCEPT, text: 'Mind the names.' }] },
  },
  {
    ...base,
    name: 'conduct-two-tracks',
    ...cancelled('plan', conduct()),
    script: script({
      design: [{ result: drafting('Show it so?', 'It is one line', { tracks: ['product', 'technical'] }) }],
    }),
    answers: { clarify, decompose, design: [ACCEPT, ACCEPT] },
  },
  {
    ...base,
    name: 'conduct-worker-fails',
    ...cancelled('clarify', conduct()),
    script: script({ clarify: [USELESS] }),
    answers: { trouble: [{ option: 'retry' }] },
  },
  {
    ...base,
    name: 'conduct-decision-only',
    input: { ...base.input, labels: ['decision-only'] },
    moves: [conduct('unattended')],
    answers: { design },
  },
];

const child = (key: string) => ({ key, title: `The ${key} half` });
const WHOLE = drafting('Keep it in one piece?', 'It stays whole', { children: [] });
const HALVES = drafting('Split it?', 'It is two halves', { children: [child('left'), child('right')] });
const DECIDED = drafting('Is this what you want?', 'What is wanted', {
  criteria: ['There is a sum'],
  deliverable: true,
});
/** A child that is only a decision is done with its first gate. */
const conductChild = (on: string): Move[] => [
  { at: 'halt', on, command: 'edit', args: { labels_add: ['decision-only'] } },
  conduct('controlled', { on }),
];

const back = (at: string, to: string): Move => ({
  at,
  command: 'reopen',
  args: { to, why: 'Think again.' },
});
const supersede = (at: string, id: string, title: string): Move => ({ at, supersede: { id, title } });

/** Splitting, going back, and decisions that change under a ticket. */
const changed: readonly Scenario[] = [
  {
    ...base,
    name: 'conduct-children',
    moves: [conduct(), ...conductChild('B-2'), ...conductChild('B-3')],
    script: script({ clarify: [{ result: DECIDED }], decompose: [{ result: WHOLE }, { result: HALVES }] }),
    answers: {
      clarify,
      decompose: [{ option: 'reshape', text: 'Two pieces.' }, ACCEPT],
      parent_ticket: [ACCEPT],
    },
  },
  {
    ...base,
    name: 'conduct-reopen-design',
    ...cancelled('plan', conduct(), back('plan', 'design')),
    answers: { clarify, decompose, design: [ACCEPT, ACCEPT], reopen: [ACCEPT] },
  },
  {
    ...base,
    name: 'conduct-reopen-build',
    ...cancelled('release', conduct('unattended'), back('release', 'build')),
    answers: { reopen: [ACCEPT] },
  },
  {
    ...base,
    name: 'conduct-stale-rework',
    ...cancelled('design', conduct(), supersede('plan', 'B-1.d1', 'Another way')),
    script: script({
      stale_patch: [
        { result: drafting('Design it anew?', 'Anew', { decision: null, rework: 'revising-decomposing' }) },
      ],
    }),
    answers: { clarify, decompose, design, patch: [ACCEPT] },
  },
  {
    ...base,
    name: 'conduct-stale-known',
    ...cancelled(
      'design',
      conduct(),
      supersede('design', 'B-1.d1', 'Another way'),
      supersede('design', 'B-1.d2', 'Yet another way'),
    ),
    answers: { clarify, decompose, patch: [ACCEPT, { option: 'deny', text: 'We know.' }] },
  },
];

const crash = { crash: true } as const;
const again = [ACCEPT, ACCEPT];
const READY = 'test -f "$HOME/ready" && echo "$BATON_SHA" >> "$HOME/deployed.log"';

/** Where the build, the merge or the deploy goes wrong. */
const outward: readonly Scenario[] = [
  {
    ...base,
    name: 'conduct-build-trouble',
    ...cancelled('release', conduct('unattended'), {
      at: 'trouble_infrastructure',
      on: 'build',
      command: 'abandon',
    }),
    script: script({ generator_single: [{ ...crash, attempts: [crash, crash, GOOD] }] }),
    answers: { trouble: [{ option: 'retry' }], 'build/trouble_infrastructure': [{ option: 'retry' }] },
  },
  {
    ...base,
    name: 'conduct-checks-fail',
    files: filesOf({ checks: 'test -f "$HOME/ready"' }),
    moves: [conduct('unattended'), { at: 'halt', file: 'ready' }, conduct()],
    answers: { release: again, verify: [ACCEPT] },
  },
  {
    ...base,
    name: 'conduct-merge-conflict',
    moves: [conduct('unattended'), { at: 'release', push: 'somebody else\n' }, conduct('unattended')],
    script: script({ generator_single: [GOOD] }),
    answers: { release: again, verify: [ACCEPT] },
  },
  {
    ...base,
    name: 'conduct-deploy-fails',
    files: filesOf({ deploy: READY }),
    moves: [conduct('unattended'), { at: 'halt', file: 'ready' }, conduct()],
    answers: { release: again, verify: [ACCEPT] },
  },
  {
    ...base,
    name: 'conduct-deploy-unknown',
    files: filesOf({ deployed: null }),
    moves: [conduct('unattended')],
    answers: OUTWARD,
    asks: true,
  },
];

/** Every branch of `conduct`; a build, and a release, only where the branch is about one. */
export const conductScenarios: readonly Scenario[] = [...modes, ...said, ...changed, ...outward];
