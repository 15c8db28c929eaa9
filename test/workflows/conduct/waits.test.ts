import { describe, expect, test } from 'vitest';
import {
  ACTIVITIES,
  type DriveMode,
  type PauseCause,
  TICKET_STATES,
  type TicketState,
} from '../../../src/contract/ticket.ts';
import { isRejection } from '../../../src/engine/rejection.ts';
import { edge } from '../../../src/workflows/conduct/edges.ts';
import { travel } from '../../../src/workflows/conduct/moves.ts';
import { ticketRow } from '../../../src/workflows/conduct/row.ts';
import { type PureRun, settlePure, signalPure } from '../../support/pure-run.ts';
import {
  accepts,
  answers,
  BUILD,
  brief,
  clarified,
  command,
  decomposed,
  delivers,
  designed,
  drafts,
  entriesOf,
  HOST,
  LEDGER,
  passes,
  patched,
  planned,
  presented,
  releaseDrafted,
  runbook,
  SEEN,
  stateOf,
  upTo,
} from './fixture.ts';

const ENGINE = { name: 'engine', provenance: 'engine' };
const NOW = '2026-11-15T12:00:00.000Z';
const STALE = { type: 'convention', id: 'D-1', superseded_by: 'D-9' };
const stale = (run: PureRun) => signalPure(run, { type: 'fact', what: 'superseded', value: STALE });
const row = (run: PureRun) => ticketRow(stateOf(run), '');
const roleOf = ({ step }: PureRun) => (step.kind === 'work' ? step.calls.map(({ role }) => role) : step.kind);
const stepOf = ({ step }: PureRun) => (step.kind === 'gate' ? step.gate.name : step.kind);
const queried = (run: PureRun, found: unknown = LEDGER) => settlePure(run, { kind: 'queried', found });

describe('a gate', () => {
  test.each([
    ['Idea', 'clarify', [LEDGER, clarified()], 'clarification-draft'],
    ['Clarified', 'decompose', [LEDGER, decomposed()], 'decomposition-proposal'],
    ['Decomposed', 'design', [LEDGER, designed()], 'design-decision-draft'],
    ['Designed', 'plan', [LEDGER, planned()], 'plan-draft'],
    ['Built', 'release', [HOST, { brief: brief('Release it?') }], 'release-decision-pending'],
    ['Released', 'verify', [SEEN, runbook()], 'verification-ack-pending'],
  ] as const)(
    'CON-27 at %s looks first, calls its worker %s, and then the row waits with its reason',
    (state, role, [found, result], reason) => {
      const begun = upTo(state);
      expect(roleOf(begun)).toBe('query');
      const working = queried(begun, found);
      expect(roleOf(working)).toEqual([role]);
      for (const run of [begun, working])
        expect(row(run)).toMatchObject({
          awaiting_human_input: false,
          awaiting_human_reason: null,
          awaiting_human_ref: null,
          active_brief_iteration: null,
        });
      const drafted = delivers(working, result);
      expect(stepOf(drafted)).toBe(role);
      expect(row(drafted)).toMatchObject({
        workflow_state: state,
        awaiting_human_input: true,
        awaiting_human_reason: reason,
        awaiting_human_ref: { type: 'brief', id: stateOf(drafted).brief?.id },
        active_brief_iteration: 1,
      });
    },
  );
});

describe('what a ticket waits with', () => {
  const UNTIL_BUILD = { agent: 'partial:build', drive: 'dr-1' };
  const bot = () =>
    queried(accepts(releaseDrafted(upTo('Built'))), { ...HOST, author_is_bot: true, approved: false });
  const asking = (run: PureRun) =>
    drafts(run, clarified({ brief: null, decision: null, questions: ['Which format?'] }));
  const parent_ticket = () => {
    const parts = [
      { key: 'one', title: 'One', description: '', priority: 'low' as const, after: [], criteria: [] },
    ];
    return signalPure(accepts(drafts(upTo('Clarified'), decomposed({ children: parts }))), {
      type: 'message',
      from: 'B-13',
      name: 'child',
      data: { key: 'one', id: 'B-13', title: 'One', state: 'Verified', archived: false },
    });
  };
  const build = (): DriveMode => ({ kind: 'partial', pause_at: 'build' });
  const MODES: readonly DriveMode[] = [
    { kind: 'controlled' },
    build(),
    { kind: 'unattended' },
    { kind: 'escalate' },
  ];

  /** The wait, its gate, and the cause per mode: controlled, partial:build, unattended, escalate. */
  test.each<[string, () => PureRun, string, PauseCause[]]>([
    ['questions', () => asking(upTo('Idea')), 'round', ['question', 'question', 'question', 'question']],
    [
      'questions in front of a draft',
      () => asking(answers(drafts(upTo('Idea'), clarified()), 'reshape', 'shorter')),
      'round',
      ['question', 'question', 'question', 'question'],
    ],
    ['an approval', bot, 'approval', ['approval', 'approval', 'approval', 'approval']],
    [
      'a way back a person asked for',
      () =>
        command(drafts(upTo('Designed'), planned()), 'reopen', {
          to: 'design',
          why: 'the other track first',
        }),
      'reopen',
      ['review', 'review', 'review', 'review'],
    ],
    [
      'a patch',
      () => drafts(stale(upTo('Designed')), patched()),
      'patch',
      ['stale', 'stale', 'stale', 'stale'],
    ],
    [
      'a go to build',
      () => accepts(drafts(upTo('Designed'), planned()), UNTIL_BUILD),
      'build_go',
      ['controlled', 'pause-at', 'approval', 'approval'],
    ],
    [
      'the end of a parent',
      parent_ticket,
      'parent_ticket',
      ['controlled', 'hard-floor', 'hard-floor', 'hard-floor'],
    ],
    [
      'a release',
      () => releaseDrafted(upTo('Built')),
      'release',
      ['controlled', 'hard-floor', 'hard-floor', 'hard-floor'],
    ],
  ])('CON-35 %s pauses with the cause of its row', (_name, make, gate, causes) => {
    const run = make();
    expect(stepOf(run)).toBe(gate);
    expect(
      MODES.map((mode) => {
        const said = run.def.delegate?.(run.state, { mode, trust: 'balanced', content: '' });
        return said?.kind === 'pause' ? said.cause : said?.kind;
      }),
    ).toEqual(causes);
  });

  test('CON-35 a go to build with a risk on the ticket is on the risk floor before it is an approval', () => {
    const go = accepts(drafts(upTo('Designed'), planned()), UNTIL_BUILD);
    const risky = command(go, 'edit', { description: 'Needs a backfill.' });
    expect(
      risky.def.delegate?.(risky.state, { mode: { kind: 'unattended' }, trust: 'balanced', content: '' }),
    ).toEqual({ kind: 'pause', cause: 'risk-floor', classes: ['data-migration'] });
  });
});

describe('a brief in escalate mode', () => {
  const on = (status: string) => ({ ...LEDGER, entries: LEDGER.entries.map((one) => ({ ...one, status })) });
  const said = (run: PureRun, mode: DriveMode = { kind: 'escalate' }) =>
    run.def.delegate?.(run.state, { mode, trust: 'balanced', content: '' });

  test('CON-51 that rests on an entry which is only asserted, or overtaken, is surfaced without asking a model', () => {
    const signals = ['Asserted', 'Superseded', 'Archived'].map((status) =>
      said(drafts(upTo('Idea'), clarified(), on(status))),
    );
    const pause = (signal: string) => ({ kind: 'pause', cause: 'escalate', signals: [signal] });
    expect(signals).toEqual([pause('knowledge-gap'), pause('stale-knowledge'), pause('stale-knowledge')]);
    expect(said(drafts(upTo('Idea'), clarified(), on('Accepted')))).toEqual({ kind: 'judge' });
  });

  test('an entry that was found and not used is no ground', () => {
    const two = [...LEDGER.entries, { ...LEDGER.entries[0], id: 'D-2', status: 'Asserted' }];
    const run = drafts(upTo('Idea'), clarified(), { ...LEDGER, entries: two });
    expect(stateOf(run).brief?.depends_on).toEqual([{ id: 'D-1', status: 'Accepted' }]);
    expect(said(run)).toEqual({ kind: 'judge' });
  });

  test('it stops nothing in the other modes', () => {
    const run = drafts(upTo('Idea'), clarified(), on('Asserted'));
    expect(said(run, { kind: 'unattended' })).toEqual({ kind: 'accept' });
  });
});

describe('the end of a build', () => {
  const started = () => presented(passes(upTo('Planned')));
  const told = (run: PureRun, more: object = {}) =>
    signalPure(run, {
      type: 'message',
      from: 'de-1',
      name: 'built',
      data: { ...BUILD, result: 'max_rounds', ...more },
    });
  const gone = (run: PureRun) =>
    signalPure(run, { type: 'run_ended', run: 'de-1', key: 'build-1', result: 'abandoned' });
  const patching = () => stale(started());

  test.each<[string, (run: PureRun) => PureRun, string]>([
    ['a commit', (run) => told(run), 'repo-active-board-silent'],
    ['nothing', (run) => told(run, { commit: null, branch: null }), 'no-progress'],
    ['no word', gone, 'no-progress'],
    ['words nobody can read', (run) => told(run, { result: 7 }), 'dirty-exit'],
  ])('CON-21 that left %s is a fault, and a person is asked', (_name, end, fault) => {
    const run = end(started());
    expect(stateOf(run)).toMatchObject({
      phase: 'Planned',
      building: null,
      trouble: { fault, what: 'build' },
    });
    expect(stepOf(run)).toBe('trouble');
  });

  test.each<[string, () => PureRun, string]>([
    ['a person is asked about a patch', () => drafts(patching(), patched()), 'patch'],
    ['the ticket is stale', patching, 'query'],
    [
      'a person is asked whether to go back',
      () => command(started(), 'reopen', { to: 'design', why: 'x' }),
      'reopen',
    ],
  ])('CON-21 while %s changes nothing of that, is on record, and is made up for', (_name, make, step) => {
    for (const end of [told, gone]) {
      const before = make();
      expect(stepOf(before)).toBe(step);
      const run = end(before);
      expect(stepOf(run)).toBe(step);
      expect(stateOf(run)).toMatchObject({ phase: 'Planned', trouble: null, building: 'start' });
      expect(entriesOf(run, 'trouble')).toMatchObject([{ what: 'build' }]);
    }
  });

  test('CON-21 after the patch was accepted without rework the build begins anew', () => {
    const patch = told(drafts(patching(), patched()));
    const on = passes(accepts(patch));
    expect(stateOf(on)).toMatchObject({ stale: null, building: 'child', builds: 2 });
    expect(on.step).toMatchObject({ kind: 'wait', until: { kind: 'children' } });
  });
});

describe('on the way', () => {
  test('CON-33 going back takes the stale flag away, in every edge there is, and nothing else does', () => {
    const at = (phase: TicketState) => ({ ...stateOf(upTo('Built')), phase, stale: STALE });
    const left: string[] = [];
    for (const phase of TICKET_STATES.slice(0, 8))
      for (const activity of ACTIVITIES) {
        const found = edge(phase, activity, { stale: true });
        if (isRejection(found) || activity === 'researching') continue;
        const { state } = travel(at(phase), activity, ENGINE, NOW);
        expect([phase, activity, state.phase]).toEqual([phase, activity, found.to]);
        expect([phase, activity, state.stale]).toEqual([
          phase,
          activity,
          activity.startsWith('revising-') ? null : STALE,
        ]);
        left.push(activity);
      }
    expect(new Set(left).size).toBe(7);
  });

  test('CON-33 a stale ticket takes no forward activity from anybody who asks', () => {
    const run = stale(upTo('Designed'));
    for (const activity of ACTIVITIES.filter((one) => one !== 'researching')) {
      const asked = run.def.receive(run.state, {
        type: 'command',
        command: 'advance',
        args: { activity },
        by: 'ada',
        at: NOW,
      });
      expect([activity, isRejection(asked)]).toEqual([activity, true]);
    }
  });

  test('CON-31 researching is on the row and moves nothing, wherever the ticket stands and whoever waits', () => {
    const waiting = drafts(upTo('Designed'), planned());
    const states: readonly TicketState[] = [
      'Idea',
      'Clarified',
      'Decomposed',
      'Designed',
      'Built',
      'Released',
    ];
    for (const run of [...states.map((state) => upTo(state)), waiting, stale(waiting)]) {
      const after = command(run, 'advance', { activity: 'researching' });
      expect(row(after)).toEqual({ ...row(run), workflow_activity: 'researching' });
      expect(after.step).toEqual(run.step);
    }
  });

  test('CON-34 a back edge while a brief is active closes it and clears the flag in the same move', () => {
    const waiting = drafts(upTo('Designed'), planned());
    expect(row(waiting)).toMatchObject({ awaiting_human_input: true, active_brief_iteration: 1 });
    for (const activity of ['revising-promoting', 'revising-clarifying', 'revising-decomposing'] as const) {
      const { state } = travel(stateOf(waiting), activity, ENGINE, NOW);
      expect(ticketRow(state, '')).toMatchObject({
        awaiting_human_input: false,
        awaiting_human_reason: null,
        awaiting_human_ref: null,
        active_brief_iteration: null,
      });
    }
    const patch = drafts(stale(upTo('Designed')), patched({ rework: 'revising-decomposing' }));
    const back = accepts(patch);
    expect(row(back)).toMatchObject({
      workflow_state: 'Decomposed',
      awaiting_human_input: false,
      active_brief_iteration: null,
    });
  });
});
