import { ApprovedSpec } from '../../src/contract/approved-spec.ts';
import type { Change } from '../../src/contract/change.ts';
import type { DeliverState } from '../../src/contract/deliver.ts';
import { CAPS, FILES_JUDGED } from '../../src/contract/deliver-report.ts';
import type { CheckResult } from '../../src/contract/outcome.ts';
import type { Check, WorkerCall } from '../../src/contract/step.ts';
import type { LiveRun, StartFacts } from '../../src/engine/workflow.ts';
import { deliverWorkflow } from '../../src/workflows/deliver/workflow.ts';
import { hashOf, policy, startFacts } from '../support/pure-run.ts';
import {
  CHANGE_SET,
  checkResult,
  GIT,
  NO_HANDOVER,
  PROJECT,
  SLUG,
  TASK,
} from '../workflows/deliver/fixture.ts';
import { evaluation, failingL2, failingL3, fix, resultFor } from '../workflows/deliver/results.ts';
import { BY_HAND, seenInDeliver } from './deliver-seen.ts';
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

const other = (workflow: string, subject: string): LiveRun => ({
  run: 'x-old',
  workflow,
  subject,
  phase: 'verify_done',
  status: 'waiting',
  title: 'earlier',
});

const approved_spec = ApprovedSpec.parse({
  run: 'sp-1',
  slug: SLUG,
  docs_path: `docs/baton/${SLUG}/`,
  path: `docs/baton/${SLUG}/spec.md`,
  spec: hashOf('approved'),
  criteria: ['AC-1'],
  lang: 'en',
});

const start = (name: string, input: Record<string, unknown>, facts: Partial<StartFacts> = {}): Start => ({
  name,
  input: { task: TASK, mode: 'single', model_config: 'balanced', ...input },
  facts: startFacts({ run: 'de-1', git: GIT, ...facts }),
});
const in_place = { policy: { ...policy, in_place: true } };

/**
 * Every mode in a tree of its own; the person's folder, with git and without, in the smallest mode. These go on by
 * themselves between gates, with everything that can come of each step. Where a person also gives steps by name, fewer
 * things come of them: which ways a pass can fail has been tried by then, and styles multiply all that is left.
 */
const starts: readonly Start[] = [
  start('single', {}),
  start('standard', { mode: 'standard' }),
  start('multi', { mode: 'multi' }),
  start('in place', {}, in_place),
  start('without git', {}, { git: null }),
  start('step by step', { task: BY_HAND }),
  start('plan first', { task: BY_HAND, step: 'plan' }),
  start('nothing said', { mode: null, model_config: null }),
  start('over a live run', {}, { live: [other('deliver', `deliver:${SLUG}`)] }),
  start('beside another workflow', {}, { ...in_place, live: [other('spec', 'spec:x')] }),
  start('from a specification', { from_spec: 'sp-1', task: null }, { approved_spec }),
];

const isByHand = ({ task }: DeliverState) => task === BY_HAND;

const ok = (name: string, result: unknown, more: Partial<Delivered> = {}): Named<Delivered> => ({
  name,
  value: { result, ...more },
});

/** A specification never has the address of the one before, so that an old approval would be seen. */
function results(state: DeliverState, call: WorkerCall): Named<Delivered>[] {
  const good = resultFor(state, call);
  switch (call.role) {
    case 'planner_single':
    case 'synthesis': {
      const artefact = state.plan.spec?.hash === hashOf('spec A') ? hashOf('spec B') : hashOf('spec A');
      return [ok('a specification', good, { artefact })];
    }
    case 'implementation':
    case 'generator_single': {
      // What a refused worker leads to does not depend on the mode or the tree: once is enough.
      const denied = ok('notes, but refused', good, { denied: ['Bash'] });
      return state.in_place && !isByHand(state) ? [ok('notes', good), denied] : [ok('notes', good)];
    }
    case 'auto_fix_proposer':
      return isByHand(state)
        ? [ok('a patch', fix())]
        : [ok('a patch', fix()), ok('an empty patch', fix({ diff: '' }))];
    case 'evaluator': {
      const some = [ok('pass', evaluation(state)), ok('fails layer 2', failingL2(state))];
      return isByHand(state) ? some : [...some, ok('fails layer 3', failingL3(state))];
    }
    default:
      return [ok('good', good)];
  }
}

/** Fingerprint of a test that fails by name, and the name that was not the last one. */
const NAMES = { A: 'test/a.ts wrong', B: 'test/b.ts wrong' };
const isLast = ({ checks: { fingerprints } }: DeliverState, name: string) =>
  fingerprints.at(-1)?.includes(hashOf(`test ${name}`)) ?? false;

/** A pass is good, or fails as the last repair left it, in another way, or in a way nobody can name. */
function checks(state: DeliverState, list: readonly Check[]): Named<CheckResult[]>[] {
  const all = (name: string, failing: string | null = null, by: readonly string[] = []) => ({
    name,
    value: list.map((check) =>
      check.name === failing ? checkResult(check.name, 'fail', by) : checkResult(check.name, 'pass'),
    ),
  });
  if (list[0]?.name === 'install') return [all('installed'), all('not installed', 'install')];
  if (state.phase === 'plan_ready')
    return [all('clean'), all('failing before', 'test', ['test/old.ts wrong'])];
  const last = isLast(state, NAMES.B) ? NAMES.B : NAMES.A;
  const some = [all('pass'), all('test fails as before', 'test', [last])];
  if (isByHand(state)) return some;
  return [
    ...some,
    all('test fails otherwise', 'test', [last === NAMES.A ? NAMES.B : NAMES.A]),
    all('lint fails', 'lint'),
  ];
}

const EMPTY = { ...CHANGE_SET, modified: [], created: [] };
const MANY = Array.from({ length: FILES_JUDGED + 1 }, (_, n) => `src/f${n}.ts`);
const ODD_CHANGES: readonly Named<unknown>[] = [
  {
    name: 'outside the scope',
    value: { ...CHANGE_SET, outside: [{ path: 'x.env', code: 'outside_scope' }] },
  },
  { name: 'nothing', value: EMPTY },
  { name: 'a hidden file', value: { ...CHANGE_SET, ignored: ['src/hidden.ts'], ignored_total: 1 } },
  { name: 'too many to judge', value: { ...EMPTY, modified: MANY, too_many: true } },
];

function signals({ setup, conventions }: DeliverState): Sent[] {
  const ended = { type: 'run_ended', run: 'x-old', key: null, result: 'abandoned', at: NOW } as const;
  const taken = { type: 'subject_taken', subject: 'deliver:x', run: 'x-old', at: NOW } as const;
  const gone = conventions && conventions !== 'skipped' ? conventions.artefact : hashOf('another text');
  const fact = { type: 'fact', what: 'artefact_missing', value: gone, at: NOW } as const;
  return [
    { name: 'the other run ended', by: 'run', value: ended },
    { name: 'a text is gone', by: 'outside', value: fact },
    // The store tells of another owner when the claim is committed, and at no other time.
    ...(setup?.stage === 'looking'
      ? [{ name: 'the subject is taken', by: 'run', value: taken } as const]
      : []),
  ];
}

const opOf = ({ run, opened }: Change) =>
  opened.length > 0 && run.step.kind === 'workspace' ? run.step.op.op : null;
const stateOf = ({ run }: { readonly run: Change['run'] }) => run.state as unknown as DeliverState;
const BUILDERS = ['lead_developer', 'implementation', 'generator_single'];
const isSpec = (name: string) => name === 'spec' || name === 'deliver_spec';

const floors: readonly Floor[] = [
  {
    what: 'building, committing or publishing a specification',
    gate: 'spec',
    options: ['proceed'],
    reached: (change) =>
      ['commit', 'publish'].includes(opOf(change) ?? '') ||
      change.opened.some(({ role }) => BUILDERS.includes(role ?? '')),
    voided: (record) => record.kind === 'artefact' && isSpec(record.name),
  },
  {
    what: 'a commit, its publishing or the clean-up after it',
    gate: 'commit',
    options: ['code_only', 'commit_all'],
    reached: (change) => ['commit', 'publish', 'clean_up'].includes(opOf(change) ?? ''),
  },
  {
    what: 'a saved patch',
    gate: 'commit',
    options: ['no_commit'],
    reached: (change) => opOf(change) === 'save_patch',
  },
  {
    what: 'a patch in the tree',
    gate: 'auto_fix',
    options: ['apply'],
    reached: (change) => opOf(change) === 'apply_patch',
    // There is only one: once the tree has it or refused it, the answer need not be remembered.
    voided: (record) => record.kind === 'notice' && /autofix_(applied|rejected)$/.test(record.text.msg),
  },
  {
    what: 'the evaluation of a failing pass',
    gate: 'verify',
    options: ['continue', 'as_is'],
    reached: (change) =>
      change.opened.some(({ role }) => role === 'evaluator') &&
      stateOf(change).checks.report?.result === 'FAIL',
    voided: (record) => record.kind === 'entry' && record.name === 'verify_report',
  },
  {
    what: 'an end that is accepted as it is',
    gate: 'qa',
    options: ['accept'],
    reached: (change) => stateOf(change).verdict.completion_reason === 'accepted_as_is',
  },
  {
    what: 'a wipe of the documents',
    gate: 'wipe',
    options: ['yes'],
    reached: (change) => opOf(change) === 'wipe_base',
    voided: (record) => record.kind === 'notice' && record.text.msg === 'deliver.notice.wiped',
  },
];

/** Nothing of what is counted can come any more; what was counted need not be remembered. */
const isClosed = (_: unknown, { run }: Change) => run.phase === 'completed';
const isNewRound = (before: Pick<Change, 'run'>, change: Change) =>
  stateOf(change).round > stateOf(before).round;

const tallies: readonly Tally[] = [
  {
    what: 'attempts in a round',
    cap: 1 + CAPS.layer1 + CAPS.layer2,
    counts: (before, { run }) => run.phase === 'generating' && before.run.phase !== run.phase,
    resets: (before, change) => isNewRound(before, change) || isClosed(before, change),
  },
  { what: 'rounds after the first', cap: CAPS.rounds - 1, counts: isNewRound, resets: isClosed },
  {
    what: 'uses of the one auto-fix',
    cap: 1,
    counts: (before, change) =>
      !stateOf(before).checks.verify.autofix_attempted && stateOf(change).checks.verify.autofix_attempted,
    resets: isClosed,
  },
];

/** One task becomes a verified change, in all its modes and styles. */
export const deliverWorld = defineWorld<DeliverState>({
  def: deliverWorkflow,
  starts,
  results,
  looks: {
    setup: (_, { input }) => [
      {
        name: 'free',
        value: {
          taken: [],
          siblings: [],
          branch: input.branch ? { name: input.branch, base: GIT.head } : null,
        },
      },
    ],
    project: ({ has_git }) => [
      { name: 'commands', value: { ...PROJECT, install: { command: 'npm ci', source: 'package.json' } } },
      // Without commands every pass is empty; that is a loop of its own, met where the loop is smallest.
      ...(has_git
        ? []
        : [
            {
              name: 'no commands',
              value: { lang: 'unknown', build: null, test: null, lint: null, type_check: null },
            },
          ]),
    ],
    handover: () => [
      { name: 'nothing', value: NO_HANDOVER },
      { name: 'conventions', value: { ...NO_HANDOVER, conventions: hashOf('c'), unreadable: ['spec.md'] } },
    ],
    conventions: () => [
      { name: 'CLAUDE.md', value: { source: 'claude_md', artefact: hashOf('c'), lines: 60 } },
      { name: 'none', value: { source: 'none' } },
    ],
    content: ({ attempt: { changes } }) => [
      { name: 'as it was judged', value: { content: changes?.content ?? 'content-1' } },
      { name: 'altered', value: { content: 'altered' } },
    ],
    // A change that cannot be judged as it is leads where it leads in any attempt: the first one is enough.
    change_set: (state) => [
      { name: 'some files', value: CHANGE_SET },
      ...(state.attempt.attempts > 1 || state.round > 1 || isByHand(state) ? [] : ODD_CHANGES),
      // A repair that was made because nothing had changed may change nothing again.
      ...(state.attempt.repair?.layer === 1 && state.checks.report?.files === 0 && !isByHand(state)
        ? [{ name: 'nothing', value: EMPTY }]
        : []),
    ],
    output_base: () => [
      { name: 'found', value: { base: 'docs/baton', folders: [], memory: false, ignored: false } },
    ],
  },
  checks,
  writes: {
    open_tree: () => [{ name: 'opened', value: { snapshot: 'start' } }],
    take_base: () => [{ name: 'taken', value: { snapshot: 'base' } }],
    write_documents: () => [{ name: 'written', value: { files: [] } }],
    apply_patch: () => [
      { name: 'applied', value: { applied: true, files: ['src/export.ts'] } },
      { name: 'does not fit', value: { applied: false, reason: 'failed_hunk' } },
    ],
    commit: () => [{ name: 'committed', value: { commit: 'c'.repeat(40), skipped: [] } }],
    publish: () => [{ name: 'published', value: {} }],
    clean_up: () => [{ name: 'cleaned', value: {} }],
    save_patch: () => [{ name: 'saved', value: { patch: hashOf('patch') } }],
    wipe_base: () => [{ name: 'wiped', value: {} }],
  },
  texts: { 'model custom': ['executor:opus', 'executor:nobody'], 'spec modify': ['Shorter.'] },
  // Beside a step that runs, a step is asked for by name once: asking changes the style, and asking on only repeats.
  commands: (state, stops) => [
    ...(isByHand(state) && (stops || state.run_style === 'auto') ? ['generate', 'verify', 'evaluate'] : []),
    'wipe',
    'restart',
    'abandon',
  ],
  giving_up: ['restart', 'abandon'],
  signals,
  troubled: ({ run_style, attempt: { attempts }, round }) =>
    run_style === 'auto' && attempts <= 1 && round === 1,
  fails: (state) => !isByHand(state) || state.round === 1,
  over: ({ ended }) => ended !== null,
  seen: seenInDeliver,
  floors,
  tallies,
  // Six attempts of nine steps each, and the way to the gates before and after them.
  turns: 64,
  unmet: { 'gate candidates': 'only CLAUDE.md is looked for (WF-35)' },
});
