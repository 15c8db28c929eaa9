import { describe, expect, test } from 'vitest';
import {
  answerOf,
  offered,
  type PureRun,
  refusedSignal,
  settlePure,
  signalPure,
} from '../../support/pure-run.ts';
import {
  ADA,
  accepts,
  answers,
  BUILD,
  command,
  decomposed,
  delivers,
  designed,
  drafts,
  HOST,
  LEDGER,
  patched,
  planned,
  presented,
  recordsOf,
  releaseDrafted,
  runbook,
  stateOf,
  upTo,
} from './fixture.ts';

describe('what a ticket that changed under its workers does', () => {
  const built = () => settlePure(upTo('Planned'), { kind: 'worked', calls: [] });
  const parked = (run: PureRun) => command(command(command(run, 'park'), 'unpark'), 'conduct');

  test('the end of a build that was given up says nothing about the one that is waited for', () => {
    const again = settlePure(parked(built()), { kind: 'worked', calls: [] });
    expect(stateOf(again)).toMatchObject({ building: 'child', builds: 2 });
    const old = signalPure(again, { type: 'run_ended', run: 'de-1', key: 'build-1', result: 'abandoned' });
    expect(stateOf(old)).toMatchObject({ building: 'child', trouble: null });
  });

  test('a build is given up when its ticket goes back over the plan', () => {
    const told = signalPure(built(), { type: 'message', from: 'de-7', name: 'building', data: null });
    const back = settlePure(accepts(command(told, 'reopen', { to: 'design', why: 'x' })), {
      kind: 'worked',
      calls: [],
    });
    expect(stateOf(back)).toMatchObject({ phase: 'Decomposed', building: null });
    expect(recordsOf(back, 'command')).toEqual([{ kind: 'command', to: 'de-7', command: 'abandon' }]);
    const late = signalPure(back, { type: 'message', from: 'de-8', name: 'building', data: null });
    expect(recordsOf(late, 'command').at(-1)).toMatchObject({ to: 'de-8' });
  });

  test('a word to release counts only until the ticket leaves Built', () => {
    const merged = settlePure(
      settlePure(accepts(releaseDrafted(upTo('Built'))), { kind: 'queried', found: HOST }),
      {
        kind: 'written',
        result: { merged_sha: 'beef', base: 'main' },
      },
    );
    expect(merged.step).toMatchObject({ kind: 'deploy' });
    const back = parked(merged);
    expect(stateOf(back).release).toMatchObject({ accepted: null, merged_sha: 'beef' });
    const go = accepts(releaseDrafted(back));
    expect(settlePure(go, { kind: 'queried', found: HOST }).step).toMatchObject({ kind: 'deploy' });
  });

  test('CON-92 a design becomes the deliverable when its ticket or its tracks change, and then it is a person’s', () => {
    const ask = (run: PureRun) =>
      run.def.delegate?.(run.state, { mode: { kind: 'unattended' }, trust: 'balanced', content: '' });
    const labelled = command(drafts(upTo('Decomposed'), designed()), 'edit', {
      labels_add: ['decision-only'],
    });
    expect(stateOf(labelled).brief).toMatchObject({ deliverable: true, iteration: 2 });
    expect(labelled.step).toMatchObject({
      gate: { brief: { banners: [{ msg: 'conduct.banner.deliverable' }] } },
    });
    expect(ask(labelled)).toEqual({ kind: 'pause', cause: 'hard-floor' });
    const first = drafts(
      upTo('Decomposed', ADA, { labels: ['decision-only'] }),
      designed({ tracks: ['product', 'technical'] }),
    );
    expect(ask(first)).toEqual({ kind: 'accept' });
    expect(ask(command(first, 'tracks', { required: ['product'] }))).toEqual({
      kind: 'pause',
      cause: 'hard-floor',
    });
    const off = command(labelled, 'edit', { labels_remove: ['decision-only'] });
    expect(stateOf(off).brief).toMatchObject({ deliverable: false, iteration: 3, doc: { banners: [] } });
  });

  test('a proposal to go back is done or dropped by the person who answers it', () => {
    const doc = { decide: 'Back?', items: [], recommend: { text: 'Yes.', confidence: 'high' } };
    const proposed = command(upTo('Designed'), 'compose', {
      reason: 'revise-scope-review',
      doc,
      pending_activity: 'revising-decomposing',
    });
    expect(stateOf(accepts(proposed))).toMatchObject({ phase: 'Decomposed', brief: null });
    const dropped = answers(proposed, 'deny');
    expect(stateOf(dropped)).toMatchObject({ phase: 'Designed', brief: null });
  });

  test('CON-70 accepted without an activity the state stays and nobody waits', () => {
    const doc = { decide: 'So?', items: [], recommend: { text: 'Yes.', confidence: 'high' } };
    const run = accepts(command(upTo('Idea'), 'compose', { reason: 'clarification-draft', doc }));
    expect(stateOf(run)).toMatchObject({ phase: 'Idea', brief: null });
    expect(run.step.kind).toBe('query');
  });

  test('a parent that was rolled up has no build to go back to, by no way', () => {
    const parts = [
      { key: 'one', title: 'Part', description: '', priority: 'medium', after: [], criteria: [] },
    ];
    const split = accepts(drafts(upTo('Clarified'), decomposed({ children: parts as never })));
    const data = { key: 'one', id: 'B-13', title: 'Part', state: 'Verified', archived: false };
    const rolled = signalPure(split, { type: 'message', from: 'B-13', name: 'child', data });
    const told = { type: 'command', command: 'reopen', by: 'ada', args: { to: 'build', why: 'x' } } as const;
    expect(refusedSignal(rolled, told).message.msg).toBe('conduct.reopen.not_from');
    const shown = delivers(command(rolled, 'conduct'), runbook(['AC-1']));
    expect(offered(shown)).toEqual(['accept', 'reshape', 'edit', 'deny']);
    const stale = signalPure(rolled, {
      type: 'fact',
      what: 'superseded',
      value: { type: 'convention', id: 'D-1', superseded_by: null },
    });
    expect(stale.step).toMatchObject({ kind: 'wait' });
    const check = stale.def.roles.stale_patch?.check as (
      result: unknown,
      state: unknown,
    ) => readonly string[];
    const queried = settlePure(command(stale, 'conduct'), { kind: 'queried', found: LEDGER });
    expect(check(patched({ rework: 'revising-building' }), queried.state)).toHaveLength(1);
    expect(check(patched(), queried.state)).toEqual([]);
  });

  test('work that is done again after a patch begins anew: no step of the old plan is left', () => {
    const value = { type: 'convention', id: 'D-1', superseded_by: null };
    const stale = signalPure(upTo('Planned'), { type: 'fact', what: 'superseded', value });
    const back = accepts(drafts(stale, patched({ rework: 'revising-designing' })));
    expect(stateOf(back)).toMatchObject({ phase: 'Designed', plan: null, checklist: [], stale: null });
    const again = accepts(drafts(back, planned()));
    expect(stateOf(again).checklist).toHaveLength(2);
  });

  test('a word why there are no tests is about one build', () => {
    const bare = signalPure(presented(built()), {
      type: 'message',
      from: 'de-1',
      name: 'built',
      data: { ...BUILD, checks: [] },
    });
    const exempt = settlePure(
      bare,
      answerOf(bare, 'answer', { fields: { q1: 'only words changed' } }) as never,
    );
    expect(stateOf(exempt).exemption).toBe('only words changed');
    const again = settlePure(parked(exempt), { kind: 'worked', calls: [] });
    expect(stateOf(again)).toMatchObject({ building: 'child', exemption: null });
  });

  test('CON-86 what was merged while the ticket was parked and brought back is not deployed without a new word', () => {
    const merging = settlePure(accepts(releaseDrafted(upTo('Built'))), { kind: 'queried', found: HOST });
    const back = { ...command(command(merging, 'park'), 'unpark'), step: merging.step };
    const late = settlePure(back, { kind: 'written', result: { merged_sha: 'beef', base: 'main' } });
    expect(stateOf(late).release).toMatchObject({ merged_sha: 'beef', accepted: null });
    expect(command(late, 'conduct').step).toMatchObject({ kind: 'query', what: { what: 'host.release' } });
  });
});
