import { describe, expect, test } from 'vitest';
import { isRejection } from '../../../src/engine/rejection.ts';
import { awaitingOf } from '../../../src/workflows/conduct/row.ts';
import { type PureRun, refusedSignal, settlePure, signalPure } from '../../support/pure-run.ts';
import {
  accepts,
  answers,
  BUILD,
  childNotice,
  clarified,
  command,
  decomposed,
  designed,
  drafts,
  entriesOf,
  HOST,
  PULL,
  parts,
  passes,
  patched,
  planned,
  presented,
  recordsOf,
  releaseDrafted,
  SEEN,
  stale,
  stateOf,
  ticket,
  upTo,
} from './fixture.ts';

const AT = '2026-11-15T11:00:00.000Z';
const told = (name: string, args: Record<string, unknown> = {}) =>
  ({ type: 'command', command: name, by: 'ada', args }) as const;

describe('stale', () => {
  test('CON-93 in every mode and state a stale ticket ends at its patch, never ahead', () => {
    const captured = command(stale(ticket()), 'conduct');
    const parent = command(
      stale(
        childNotice(
          accepts(drafts(upTo('Clarified'), decomposed({ children: parts('one') }))),
          13,
          'one',
          'Verified',
        ),
      ),
      'conduct',
    );
    expect(stateOf(parent)).toMatchObject({ phase: 'Released', parent_ticket: true });
    const live = ['Idea', 'Clarified', 'Decomposed', 'Designed', 'Planned', 'Built', 'Released'] as const;
    for (const before of [captured, parent, ...live.map((phase) => stale(upTo(phase)))]) {
      const { phase } = stateOf(before);
      const run = drafts(before, patched());
      expect(awaitingOf(stateOf(run))).toMatchObject({ reason: 'stale-patch-review' });
      expect(run.step).toMatchObject({ kind: 'gate', gate: { name: 'patch' } });
      for (const mode of [
        { kind: 'controlled' },
        { kind: 'unattended' },
        { kind: 'escalate' },
        { kind: 'partial', pause_at: 'verify' },
      ] as const)
        expect(run.def.delegate?.(run.state, { mode, trust: 'autonomous', content: '' })).toMatchObject({
          kind: 'pause',
          cause: 'stale',
        });
      expect(stateOf(run).phase).toBe(phase);
    }
  });

  test('a forward brief on the table is withdrawn for the patch', () => {
    const run = stale(drafts(upTo('Designed'), planned()));
    expect(stateOf(run).brief).toBeNull();
    expect(entriesOf(run, 'stale')).toMatchObject([{ id: 'D-1', withdrawn: 'B-12.b4' }]);
  });

  test('CON-97 four outcomes: with rework and without, accepted and rejected', () => {
    const words = accepts(drafts(stale(upTo('Designed')), patched()));
    expect(stateOf(words)).toMatchObject({ phase: 'Designed', stale: null });
    expect(recordsOf(words, 'knowledge_link').at(-1)).toMatchObject({ id: 'D-9' });
    const rework = accepts(drafts(stale(upTo('Designed')), patched({ rework: 'revising-decomposing' })));
    expect(stateOf(rework)).toMatchObject({ phase: 'Decomposed', stale: null });
    for (const patch of [patched(), patched({ rework: 'revising-decomposing' })]) {
      const kept = answers(drafts(stale(upTo('Designed')), patch), 'deny', 'we know');
      expect(stateOf(kept)).toMatchObject({ phase: 'Designed', stale: null });
      expect(recordsOf(kept, 'decision').at(-1)).toMatchObject({
        name: 'knowing_divergence',
        data: { why: 'knowing-divergence: we know' },
      });
      expect(recordsOf(kept, 'knowledge').some(({ entry }) => entry.type === 'deferral')).toBe(false);
    }
  });
});

describe('going back', () => {
  test('CON-99 it is asked first, only a person’s accept does it, and decisions are superseded', () => {
    const asked = command(upTo('Designed'), 'reopen', { to: 'design', why: 'wrong track' });
    expect(asked.step).toMatchObject({ kind: 'gate', gate: { name: 'reopen' } });
    expect(stateOf(asked).phase).toBe('Designed');
    let run = accepts(asked);
    expect(
      recordsOf(run, 'knowledge_status')
        .filter(({ status }) => status === 'Superseded')
        .map(({ id }) => id),
    ).toEqual(['B-12.d3']);
    while (stateOf(run).hops.length > 0) run = settlePure(run, { kind: 'worked', calls: [] });
    expect(stateOf(run)).toMatchObject({ phase: 'Decomposed', tracks: { done: [] } });
    expect(stateOf(answers(asked, 'deny'))).toMatchObject({ phase: 'Designed', reopening: null });
    expect(refusedSignal(upTo('Idea'), told('reopen', { to: 'design', why: 'x' })).message).toMatchObject({
      msg: 'conduct.reopen.not_from',
    });
  });

  test('CON-99 crossing the split needs a fate for every child that has work, and takes none for another ticket', () => {
    let run = accepts(drafts(upTo('Clarified'), decomposed({ children: parts('one') })));
    run = childNotice(run, 13, 'one', 'Planned');
    expect(refusedSignal(run, told('reopen', { to: 'decompose', why: 'x' })).message).toMatchObject({
      msg: 'conduct.fates_missing',
      args: { list: 'B-13' },
    });
    expect(
      refusedSignal(
        run,
        told('reopen', { to: 'decompose', why: 'x', fates: { 'B-13': 'keep', 'B-7': 'cancel' } }),
      ).message,
    ).toMatchObject({ msg: 'conduct.no_such_child', args: { id: 'B-7' } });
    const asked = command(run, 'reopen', { to: 'decompose', why: 'x', fates: { 'B-13': 'cancel' } });
    expect(recordsOf(accepts(asked), 'command')).toMatchObject([{ to: 'B-13', command: 'cancel' }]);
  });

  test('a build made anew takes the place of the pull request of the one before', () => {
    let run = accepts(command(releaseDrafted(upTo('Built')), 'reopen', { to: 'build', why: 'wrong sum' }));
    while (stateOf(run).hops.length > 0) run = passes(run);
    expect(stateOf(run)).toMatchObject({ phase: 'Planned', build_pr: null });
    run = signalPure(presented(passes(run)), { type: 'message', from: 'de-1', name: 'built', data: BUILD });
    expect(run.step).toMatchObject({
      op: { op: 'open_pull_request', input: { replaces: [PULL.pr_number] } },
    });
  });

  test('CON-105 no worker, fault or stale decision parks a ticket', () => {
    const queried = (run: PureRun, found: unknown) => settlePure(run, { kind: 'queried', found });
    const none = { entries: [], linked: [] };
    const workers: PureRun[] = [
      ...(['Idea', 'Clarified', 'Decomposed', 'Designed'] as const).map((phase) =>
        queried(upTo(phase), none),
      ),
      queried(upTo('Built'), HOST),
      queried(upTo('Released'), SEEN),
      ...(['Idea', 'Planned', 'Built', 'Released'] as const).map((phase) =>
        queried(stale(upTo(phase)), none),
      ),
    ];
    for (const working of workers) {
      const { phase } = stateOf(working);
      expect(working.step).toMatchObject({ kind: 'work', calls: [{}] });
      for (const [cause, fault] of [
        ['deadline', 'worker-timeout'],
        ['silent', 'dirty-exit'],
        ['invalid', 'no-progress'],
      ] as const) {
        const kind = cause === 'invalid' ? 'parse_failed' : 'dispatch_failed';
        const bad = settlePure(working, {
          kind: 'worked',
          calls: [{ kind, detail: 'x', text: null, attempts: 2, cause }],
        });
        expect(stateOf(bad)).toMatchObject({ phase, trouble: { fault } });
        expect(bad.step).toMatchObject({ kind: 'gate', gate: { name: 'trouble' } });
        expect(stateOf(answers(bad, 'retry')).phase).toBe(phase);
      }
      expect(stateOf(stale(working)).phase).toBe(phase);
    }
    const building = settlePure(upTo('Planned'), { kind: 'worked', calls: [] });
    const gone = { type: 'run_ended', run: 'de-1', key: 'build-1', result: 'halted' } as const;
    for (const run of [signalPure(building, gone), stale(building)])
      expect(stateOf(run).phase).toBe('Planned');
    for (const activity of ['parking', 'cancelling', 'unparking'])
      expect(
        isRejection(
          upTo('Idea').def.receive(upTo('Idea').state, { ...told('advance', { activity }), at: AT }),
        ),
      ).toBe(true);
  });

  test('parked keeps where it stood, and only unpark brings it back there', () => {
    const parked = command(drafts(upTo('Clarified'), decomposed()), 'park', { why: 'later' });
    expect(stateOf(parked)).toMatchObject({ phase: 'Parked', prev_state: 'Clarified', brief: null });
    expect(refusedSignal(parked, told('conduct')).message.msg).toBe('conduct.is_parked');
    const back = command(parked, 'unpark');
    expect(stateOf(back)).toMatchObject({ phase: 'Clarified', prev_state: null });
    expect(command(back, 'conduct').step).toMatchObject({ kind: 'query' });
  });
});

describe('delegation on the ticket', () => {
  const ask = (run: PureRun, content = '') =>
    run.def.delegate?.(run.state, { mode: { kind: 'unattended' }, trust: 'balanced', content });

  test('CON-110 what a person reshaped or edited comes back to a person, and the next gate is asked as usual', () => {
    const shown = drafts(upTo('Decomposed'), designed());
    expect(ask(shown, 'a migration')).toMatchObject({ kind: 'pause', cause: 'risk-floor' });
    const again = drafts(answers(shown, 'reshape', 'no migration'), designed());
    for (const mode of [
      { kind: 'unattended' },
      { kind: 'escalate' },
      { kind: 'partial', pause_at: 'verify' },
    ] as const)
      expect(again.def.delegate?.(again.state, { mode, trust: 'autonomous', content: '' })).toEqual({
        kind: 'pause',
        cause: 'revised',
      });
    expect(ask(answers(shown, 'edit', '{"why":["x"]}'))).toEqual({ kind: 'pause', cause: 'revised' });
    expect(ask(drafts(accepts(again), planned()))).toEqual({ kind: 'accept' });
  });

  test('CON-40 a clean ticket whose brief speaks of an access policy trips auth; editing the ticket counts at once', () => {
    const shown = drafts(upTo('Decomposed'), designed());
    expect(ask(shown, 'Adds a row level security policy.')).toEqual({
      kind: 'pause',
      cause: 'risk-floor',
      classes: ['auth'],
    });
    const edited = command(shown, 'edit', { description: 'needs a backfill' });
    expect(ask(edited)).toEqual({ kind: 'pause', cause: 'risk-floor', classes: ['data-migration'] });
  });

  test('a class acknowledged for this ticket does not pause again, new evidence does; switched off it is refused', () => {
    const shown = (on: boolean) => {
      const run = command(ticket({ description: 'run a migration' }, { acknowledge: on }), 'conduct');
      return drafts(run, clarified());
    };
    expect(
      refusedSignal(shown(false), told('acknowledge', { class: 'data-migration', why: 'known' })).message.msg,
    ).toBe('conduct.acknowledge_off');
    const known = command(shown(true), 'acknowledge', { class: 'data-migration', why: 'known' });
    expect(ask(known)).toEqual({ kind: 'accept' });
    expect(ask(known, 'also alter table')).toMatchObject({ cause: 'risk-floor' });
  });

  test('CON-50 the judge is asked for only when nothing else pauses, and a failed one is a pause', () => {
    const shown = drafts(upTo('Decomposed'), designed());
    const escalate = (run: PureRun, content = '') =>
      run.def.delegate?.(run.state, { mode: { kind: 'escalate' }, trust: 'balanced', content });
    expect(escalate(shown)).toEqual({ kind: 'judge' });
    expect(escalate(shown, 'alter table')).toMatchObject({ cause: 'risk-floor' });
    expect(ask(shown)).toEqual({ kind: 'accept' });
    const judging = signalPure(shown, { type: 'judge' });
    expect(judging.step).toMatchObject({ kind: 'work', calls: [{ role: 'escalate_judge' }] });
    const failed = settlePure(judging, {
      kind: 'worked',
      calls: [{ kind: 'dispatch_failed', detail: '', text: null, attempts: 1 }],
    });
    expect(escalate(failed)).toMatchObject({ kind: 'pause', cause: 'escalate' });
    const schema = shown.def.roles.escalate_judge?.result;
    expect(schema?.safeParse({ worth: true, signals: [], script: 7 }).success).toBe(false);
  });
});

test('a worker that is refused everything never gets further than its own gate', () => {
  const run = upTo('Idea');
  expect(
    isRejection(
      run.def.receive(run.state, {
        type: 'fact',
        what: 'nonsense',
        value: 1,
        at: '2026-11-15T10:00:00.000Z',
      }),
    ),
  ).toBe(true);
});
