import type { DELIVER_GROUPS, DeliverPhase, DeliverState } from '../../src/contract/deliver.ts';
import type { Seen } from './world.ts';

/** The task of runs in which a person gives steps by name. */
export const BY_HAND = 'Add a --json flag to the export command, step by step';

type Fields = { readonly [K in keyof DeliverState]?: Seen<DeliverState> };
type Read = (state: DeliverState) => unknown;

const nothing: Read = () => null;
const words: Seen<DeliverState> = {
  as: nothing,
  because: 'words: shown or handed to workers, never compared',
};
const name: Seen<DeliverState> = { as: nothing, because: 'a name that is only handed on' };

/** A field that is read in these phases alone; elsewhere it is what some earlier part left behind. */
const only =
  (phases: readonly DeliverPhase[], read: Read): Read =>
  (state) =>
    phases.includes(state.phase) ? read(state) : null;

/** A field that nothing reads any more once the run is closed: only finishing is left. */
const open =
  (read: Read): Read =>
  (state) =>
    state.phase === 'completed' ? null : read(state);

/** A field about passes: once a pass is through, the next attempt begins anew. */
const judging =
  (read: Read): Read =>
  (state) =>
    ANEW.includes(state.phase) ? null : read(state);

/** A field about repairs of layer 1: a repair of layer 2 begins anew. */
const repairing = (read: Read): Read =>
  judging((state) => (state.attempt.repair?.layer === 2 ? null : read(state)));

const there = (value: unknown) => value !== null && value !== undefined;
const PREPARING: readonly DeliverPhase[] = ['setup', 'plan_ready', 'planning'];
const ANEW: readonly DeliverPhase[] = [
  'evaluate_ready',
  'evaluating',
  'evaluate_done',
  'generate_ready',
  'completed',
];
const JUDGED: readonly DeliverPhase[] = ['verify_done', 'evaluate_ready', 'evaluating'];

const USED: readonly string[] = ['verified', 'stopped', 'rejected'];

/** The fields of a group, each read by its own row. A field without a row is compared as it is. */
const parts = <G extends (typeof DELIVER_GROUPS)[number]>(
  group: G,
  rows: { readonly [K in keyof DeliverState[G]]?: Seen<DeliverState> },
): Seen<DeliverState> => {
  const reads = new Map(Object.entries(rows as Record<string, Seen<DeliverState>>));
  return {
    as: (state) =>
      Object.fromEntries(
        Object.entries(state[group]).map(([key, value]) => {
          const row = reads.get(key);
          return [key, row ? row.as(state) : value];
        }),
      ),
    because: [...reads].map(([key, { because }]) => `${key}: ${because}`).join('\n'),
  };
};

/** How a state of `deliver` stands in the key of the search. */
export const seenInDeliver: Fields = {
  task: { as: ({ task }) => task === BY_HAND, because: 'says what the world does; no step is chosen by it' },
  cli_flags: { as: nothing, because: 'the audit record (WF-03); handed on by restart' },
  slug: name,
  docs_path: name,
  branch: name,
  base: name,
  start: name,
  run: name,
  lang: words,
  checks: parts('checks', {
    config: words,
    sources: words,
    baseline: {
      as: nothing,
      because: 'decides which failures count; passes that count and that do not are both tried',
    },
    build_cmd: {
      as: only(
        ['plan_ready', 'verify_ready', 'verifying', 'generating', 'verify_done'],
        ({ checks: { build_cmd } }) => there(build_cmd),
      ),
      because: 'there are commands or none',
    },
    test_cmd: { as: nothing, because: 'there whenever build_cmd is' },
    lint_cmd: { as: nothing, because: 'there whenever build_cmd is' },
    type_check_cmd: { as: nothing, because: 'never there' },
    install_cmd: { as: nothing, because: 'prepare says whether it runs' },
    verify: {
      as: open(
        ({
          checks: {
            verify: { layer2_result: _, ...verify },
          },
        }) => verify,
      ),
      because: 'layer2_result is told; the verdict decides',
    },
    report: {
      as: ({ checks: { report, recheck }, phase, attempt: { repair } }) => {
        if (!report) return null;
        if (phase === 'verifying' && recheck) return report.result;
        if (!JUDGED.includes(phase))
          return repair?.layer === 1 && phase !== 'completed' && report.files === 0;
        const broken = report.checks.some(({ name, judged }) => name !== 'lint' && judged === 'fail');
        return [report.result, broken, report.outside.length > 0, report.files === 0, report.too_many];
      },
      because: 'the result, and the parts that the verdict looks at',
    },
    fingerprints: {
      as: repairing(({ checks: { fingerprints } }) => {
        const last = fingerprints.at(-1);
        return last ? last.includes('outside') : null;
      }),
      because:
        'only the last is compared; that a pass fails in the same way or another is what happens, not what is stored',
    },
    recheck: {
      as: only(['verifying'], ({ checks: { recheck } }) => recheck ?? null),
      because: 'which checks of the pass run once more, and where',
    },
    stalled: {
      as: repairing(({ checks: { stalled } }) => stalled),
      because: 'asked before a repair of layer 1',
    },
    early: { as: open(({ checks: { early } }) => early), because: 'asked before a repair' },
    pass: { as: judging(({ checks: { pass } }) => pass), because: 'says what a pass counts' },
    waiver: { as: open(({ checks: { waiver } }) => there(waiver)), because: 'who and when are told' },
    autofix: {
      as: open(
        ({ checks: { autofix } }) => autofix && (USED.includes(autofix.applied) ? 'used' : autofix.applied),
      ),
      because: 'once it is used, how it went is told',
    },
    proposal: {
      as: ({ checks: { proposal, autofix } }) => autofix?.applied === 'proposed' && there(proposal),
      because: 'asked about while it is open',
    },
  }),
  from_spec: { as: nothing, because: 'slots, names and criterion ids; no step is chosen by it' },
  plan: parts('plan', {
    spec_file: name,
    handover: { as: nothing, because: 'slots of planners' },
    proposals: {
      as: only(['planning'], ({ plan: { proposals } }) => Object.keys(proposals)),
      because: 'afterwards slots',
    },
    critiques: {
      as: only(['planning'], ({ plan: { critiques } }) => Object.keys(critiques)),
      because: 'afterwards slots',
    },
    spec: {
      as: ({ plan: { spec } }) => there(spec),
      because: 'which one it is is told by the approval beside it',
    },
    requests_shown: words,
    approval: {
      as: open(({ plan: { approval, spec } }) => approval && approval.hash === spec?.hash),
      because: 'that it is of exactly the present specification is what counts',
    },
  }),
  mode: { as: open(({ mode }) => mode), because: 'decides who plans and builds' },
  model_config: {
    as: only(['setup'], ({ model_config }) => there(model_config)),
    because: 'tiers of workers; only whether they are chosen decides',
  },
  run_style: { as: open(({ run_style }) => run_style), because: 'decides where a run rests on its way' },
  unattended: { as: only(['setup'], ({ unattended }) => unattended), because: 'asked about in setup alone' },
  setup: {
    as: ({ setup }) => setup && [setup.stage, setup.other?.workflow ?? null, setup.bad_models],
    because: 'which other run it is and what was misspelt is shown',
  },
  convention_stage: {
    as: ({ convention_stage: stage }) => stage?.at ?? null,
    because: 'there are no candidates',
  },
  conventions: {
    as: only(PREPARING, ({ conventions }) =>
      conventions && conventions !== 'skipped' ? 'artefact' : conventions,
    ),
    because: 'planners wait for them; later nobody does',
  },
  attempt: parts('attempt', {
    plan: {
      as: only(['generating'], ({ attempt: { plan, repair } }) => !repair && there(plan)),
      because: 'asked before the first attempt of a round; for a repair it is a slot',
    },
    reviews: {
      as: only(['generating'], ({ attempt: { reviews, repair } }) => (repair ? null : Object.keys(reviews))),
      because: 'asked before the first attempt of a round; for a repair they are slots',
    },
    attempts: { as: open(({ attempt: { attempts } }) => attempts), because: 'a cap' },
    repair: {
      as: open(({ attempt: { repair } }) => repair && [repair.layer, repair.attempt, repair.done]),
      because: 'the error is a slot',
    },
    notes: {
      as: open(({ attempt: { notes } }) => there(notes)),
      because: 'which notes they are goes to workers only',
    },
    refused: { as: open(({ attempt: { refused } }) => there(refused)), because: 'what was refused is told' },
    feedback: { as: nothing, because: 'a slot' },
    changes: {
      as: open(({ attempt: { changes }, phase }) => {
        if (!changes) return null;
        const { cut, outside, modified, ignored } = changes;
        return phase === 'generating' || phase === 'generate_ready'
          ? cut
          : [cut, outside.length > 0, modified.length > 0, (ignored?.length ?? 0) > 0];
      }),
      because:
        'whether there are any, too many to judge, or some outside the scope; an author starts from the cut alone',
    },
  }),
  round: { as: open(({ round }) => round), because: 'a cap' },
  verdict: parts('verdict', {
    qa: {
      as: only(['evaluate_done'], ({ verdict: { qa } }) =>
        qa?.verdict === 'NONE' ? 'FAIL_L3' : qa?.verdict,
      ),
      because: 'the verdict decides, once; that no evaluation came is asked about like a failing layer 3',
    },
    accepted: words,
  }),
  finish: parts('finish', {
    chosen: {
      as: ({ finish: { chosen: finish } }) => finish && [finish.choice, finish.stage],
      because: 'the commit is a name',
    },
    error: words,
  }),
  wipe: { as: ({ wipe }) => wipe?.at ?? null, because: 'what would go is shown' },
  halted: { as: ({ halted }) => halted?.kind ?? null, because: 'the reason is for people' },
};
