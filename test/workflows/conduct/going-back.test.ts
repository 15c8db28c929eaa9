import { describe, expect, test } from 'vitest';
import { ConductInput, type ConductState } from '../../../src/contract/conduct.ts';
import { isRejection } from '../../../src/engine/rejection.ts';
import { ticketRow } from '../../../src/workflows/conduct/row.ts';
import {
  type PureRun,
  refusedSignal,
  settlePure,
  signalPure,
  startFacts,
  startPure,
} from '../../support/pure-run.ts';
import {
  ADA,
  accepts,
  answers,
  BUILD,
  clarified,
  command,
  decomposed,
  designed,
  drafts,
  entriesOf,
  PULL,
  passes,
  patched,
  planned,
  recordsOf,
  releaseDrafted,
  stateOf,
  ticket,
  UNATTENDED,
  upTo,
} from './fixture.ts';

const superseded = {
  type: 'fact',
  what: 'superseded',
  value: { type: 'convention', id: 'D-1', superseded_by: 'D-9' },
} as const;
const stale = (run: PureRun) => signalPure(run, superseded);
const told = (name: string, args: Record<string, unknown> = {}) =>
  ({ type: 'command', command: name, by: 'ada', args }) as const;
const parts = (...keys: string[]) =>
  keys.map((key) => ({
    key,
    title: `Part ${key}`,
    description: '',
    priority: 'medium' as const,
    after: [],
    criteria: [],
  }));
const childTold = (run: PureRun, n: number, key: string, state: string) =>
  signalPure(run, {
    type: 'message',
    from: `B-${n}`,
    name: 'child',
    data: { key, id: `B-${n}`, title: `Part ${key}`, state, archived: false },
  });

describe('stale', () => {
  test('CON-93 in every mode and state a stale ticket ends at its patch, never ahead', () => {
    for (const phase of ['Idea', 'Clarified', 'Decomposed', 'Designed'] as const) {
      const run = drafts(stale(upTo(phase)), patched());
      expect(run.step).toMatchObject({ kind: 'gate', gate: { name: 'patch' } });
      for (const mode of [
        { kind: 'unattended' },
        { kind: 'escalate' },
        { kind: 'partial', pause_at: 'verify' },
      ] as const)
        expect(run.def.delegate?.(run.state, { mode, dial: 'autonomous', content: '' })).toMatchObject({
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

describe('children', () => {
  test('CON-76 no split is an accepted decision of its own; children that exist are not made again', () => {
    const alone = accepts(drafts(upTo('Clarified'), decomposed()));
    expect(stateOf(alone)).toMatchObject({ phase: 'Decomposed', children: [] });
    expect(recordsOf(alone, 'knowledge_status').map(({ status }) => status)).toEqual([
      'Accepted',
      'Accepted',
    ]);
    const one = command(upTo('Clarified'), 'adopt', { id: 'B-20', title: 'Part one', state: 'Idea' });
    const both = command(one, 'adopt', { id: 'B-21', title: 'Part two', state: 'Planned' });
    const confirmed = accepts(drafts(both, decomposed({ children: parts('one', 'two') })));
    expect(recordsOf(confirmed, 'spawn')).toEqual([]);
    expect(stateOf(confirmed).children.map(({ id }) => id)).toEqual(['B-20', 'B-21']);
    const third = accepts(drafts(both, decomposed({ children: parts('one', 'two', 'three') })));
    expect(recordsOf(third, 'spawn').map(({ input }) => input)).toMatchObject([{ title: 'Part three' }]);
  });

  test('CON-76 CON-77 a child takes the clarification along and no design, and stands at Idea with its parent’s epic', () => {
    const back = accepts(
      command(accepts(drafts(upTo('Decomposed'), designed())), 'reopen', { to: 'decompose', why: 'x' }),
    );
    const again = settlePure(back, { kind: 'worked', calls: [] });
    expect(stateOf(again).phase).toBe('Clarified');
    const split = accepts(drafts(again, decomposed({ children: parts('one') })));
    const [spawn] = recordsOf(split, 'spawn');
    const { child, ...own } = ConductInput.parse(spawn?.input);
    expect(own).toMatchObject({ title: 'Part one', priority: 'medium' });
    expect(child).toMatchObject({ parent: 'B-12', epic: stateOf(split).epic });
    for (const text of ['Export as JSON', 'People want the export in JSON.', '--json prints JSON'])
      expect(child?.clarification).toContain(text);
    expect(JSON.stringify(child)).not.toContain('A flag on the command');
    const made = startPure(split.def, spawn?.input, startFacts({ run: 'B-13' }));
    expect(stateOf(made)).toMatchObject({ phase: 'Idea', parent: 'B-12', inherited: child?.clarification });
  });

  test('CON-78 the parent goes on by itself when the last child is verified, once, and waits without a brief', () => {
    let run = accepts(drafts(upTo('Clarified'), decomposed({ children: parts('one', 'two') })));
    run = childTold(childTold(run, 13, 'one', 'Idea'), 14, 'two', 'Idea');
    run = childTold(run, 13, 'one', 'Verified');
    expect(stateOf(run).phase).toBe('Decomposed');
    run = childTold(run, 14, 'two', 'Verified');
    expect(stateOf(run)).toMatchObject({ phase: 'Released', umbrella: true, brief: null });
    expect(ticketRow(stateOf(run), '')).toMatchObject({
      awaiting_human_input: true,
      awaiting_human_reason: 'verification-ack-pending',
      awaiting_human_ref: { kind: 'umbrella-auto-verify' },
    });
    run = childTold(run, 14, 'two', 'Verified');
    expect(
      entriesOf(run, 'history').filter((entry) => (entry as { activity: string }).activity === 'rolling-up'),
    ).toHaveLength(1);
  });

  test('CON-78 also when the last child was verified while the parent was stale, parked or not yet divided', () => {
    const split = () => accepts(drafts(upTo('Clarified'), decomposed({ children: parts('one') })));
    const patchedLater = drafts(
      command(childTold(stale(split()), 13, 'one', 'Verified'), 'conduct'),
      patched(),
    );
    const parked = childTold(command(split(), 'park'), 13, 'one', 'Verified');
    const adopted = command(upTo('Clarified'), 'adopt', { id: 'B-20', title: 'Part one', state: 'Verified' });
    for (const [before, after] of [
      [patchedLater, accepts(patchedLater)],
      [patchedLater, answers(patchedLater, 'deny', 'we know')],
      [parked, command(parked, 'unpark')],
      [adopted, accepts(drafts(adopted, decomposed({ children: parts('one') })))],
    ] as const) {
      expect(stateOf(before).phase).not.toBe('Released');
      const rolled = settlePure(after, { kind: 'worked', calls: [] });
      expect(stateOf(rolled)).toMatchObject({ phase: 'Released', umbrella: true, brief: null });
      expect(rolled.step).toMatchObject({ kind: 'gate', gate: { name: 'umbrella' } });
    }
  });

  test('CON-79 on that marker a missing brief is normal: a person’s accept ends it, and conducting drafts a runbook', () => {
    let run = accepts(drafts(upTo('Clarified'), decomposed({ children: parts('one') })));
    run = childTold(run, 13, 'one', 'Verified');
    expect(run.step).toMatchObject({ kind: 'gate', gate: { name: 'umbrella' } });
    expect(Object.keys(run.def.gates.umbrella?.options ?? {})).toEqual(['accept']);
    expect(accepts(run).step).toMatchObject({ kind: 'end', outcome: { result: 'verified' } });
    expect(command(run, 'conduct').step).toMatchObject({ kind: 'work', calls: [{ role: 'verify' }] });
  });

  test('a parked child holds the parent; a cancelled one does not', () => {
    let run = accepts(drafts(upTo('Clarified'), decomposed({ children: parts('one', 'two') })));
    run = childTold(childTold(run, 13, 'one', 'Verified'), 14, 'two', 'Parked');
    expect(stateOf(run).phase).toBe('Decomposed');
    expect(stateOf(childTold(run, 14, 'two', 'Cancelled')).phase).toBe('Released');
  });

  test('CON-81 CON-82 tracks one at a time, the last moves on; a person may change which are needed', () => {
    for (const by of [ADA, UNATTENDED]) {
      for (const tracks of [
        ['technical'],
        ['product', 'technical'],
        ['product', 'technical', 'ux-ui'],
      ] as const) {
        let run = upTo('Decomposed', by);
        for (const [i] of tracks.entries()) {
          expect(stateOf(run).phase).toBe('Decomposed');
          run = accepts(drafts(run, designed({ tracks: [...tracks] })), by);
          expect(stateOf(run).tracks.done).toHaveLength(i + 1);
        }
        expect(stateOf(run).phase).toBe('Designed');
      }
    }
    const first = drafts(upTo('Decomposed'), designed({ tracks: ['product', 'technical'] }));
    expect(stateOf(accepts(first)).phase).toBe('Decomposed');
    expect(stateOf(accepts(command(first, 'tracks', { required: ['product'] }))).phase).toBe('Designed');
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
    run = childTold(run, 13, 'one', 'Planned');
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
    run = signalPure(passes(run), { type: 'message', from: 'de-1', name: 'built', data: BUILD });
    expect(run.step).toMatchObject({
      op: { op: 'open_pull_request', input: { replaces: [PULL.pr_number] } },
    });
  });

  test('CON-105 no worker, fault or stale decision parks a ticket', () => {
    const phases: ConductState['phase'][] = ['Idea', 'Clarified', 'Decomposed', 'Designed'];
    for (const phase of phases) {
      const working = settlePure(upTo(phase), { kind: 'looked', found: { entries: [], linked: [] } });
      for (const cause of ['deadline', 'silent', 'invalid']) {
        const kind = cause === 'invalid' ? 'parse_failed' : 'dispatch_failed';
        const bad = settlePure(working, {
          kind: 'worked',
          calls: [{ kind, detail: 'x', text: null, attempts: 2, cause }],
        });
        expect(stateOf(bad)).toMatchObject({
          phase,
          trouble: {
            fault:
              cause === 'deadline' ? 'worker-timeout' : cause === 'silent' ? 'dirty-exit' : 'no-progress',
          },
        });
      }
      expect(stateOf(stale(upTo(phase))).phase).toBe(phase);
    }
  });

  test('parked keeps where it stood, and only unpark brings it back there', () => {
    const parked = command(drafts(upTo('Clarified'), decomposed()), 'park', { why: 'later' });
    expect(stateOf(parked)).toMatchObject({ phase: 'Parked', prev_state: 'Clarified', brief: null });
    expect(refusedSignal(parked, told('conduct')).message.msg).toBe('conduct.is_parked');
    const back = command(parked, 'unpark');
    expect(stateOf(back)).toMatchObject({ phase: 'Clarified', prev_state: null });
    expect(command(back, 'conduct').step).toMatchObject({ kind: 'look' });
  });
});

describe('delegation on the ticket', () => {
  const ask = (run: PureRun, content = '') =>
    run.def.delegate?.(run.state, { mode: { kind: 'unattended' }, dial: 'balanced', content });

  test('CON-110 what a person reshaped or edited comes back to a person, and the next gate is asked as usual', () => {
    const shown = drafts(upTo('Decomposed'), designed());
    expect(ask(shown)).toEqual({ kind: 'accept' });
    const again = drafts(answers(shown, 'reshape', 'no migration'), designed());
    expect(ask(again)).toEqual({ kind: 'pause', cause: 'revised' });
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
      run.def.delegate?.(run.state, { mode: { kind: 'escalate' }, dial: 'balanced', content });
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
    expect(schema?.safeParse({ worth: true, signals: [], score: 7 }).success).toBe(false);
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
