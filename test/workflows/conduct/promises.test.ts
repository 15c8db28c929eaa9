import { describe, expect, test } from 'vitest';
import type { PromisedWrite } from '../../../src/contract/promised-write.ts';
import { isRejection } from '../../../src/engine/rejection.ts';
import { awaitingOf } from '../../../src/workflows/conduct/row.ts';
import { answerOf, type PureRun, refusedSignal, settlePure, signalPure } from '../../support/pure-run.ts';
import {
  accepts,
  answers,
  BUILD,
  clarified,
  command,
  decomposed,
  delivers,
  drafts,
  entriesOf,
  PULL,
  passes,
  presented,
  recordsOf,
  releaseDrafted,
  runbook,
  SEEN,
  stateOf,
  upTo,
  verifyDrafted,
} from './fixture.ts';

const doc = { decide: 'Take this?', items: [], recommend: { text: 'Yes.', confidence: 'high' } };
const told = (name: string, args: Record<string, unknown> = {}) =>
  ({ type: 'command', command: name, by: 'tess', args }) as const;
const composes = (run: PureRun, more: Record<string, unknown>) => command(run, 'compose', { doc, ...more });
const refusedCompose = (run: PureRun, more: Record<string, unknown>) =>
  refusedSignal(run, told('compose', { doc, ...more })).message;

function refusedEdit(run: PureRun, given: object) {
  const outcome = answerOf(run, 'edit', { text: JSON.stringify(given) });
  if (outcome.kind !== 'answered') throw new Error('no answer');
  const move = run.def.settle(run.state, run.step, { ...outcome, at: outcome.answer.at });
  if (!isRejection(move)) throw new Error('it was taken');
  return move.message;
}

const child = (key: string, more: object = {}) => ({
  kind: 'child_ticket',
  key,
  title: `Part ${key}`,
  ...more,
});
const DECOMPOSE = { reason: 'decomposition-proposal', pending_activity: 'decomposing' };

describe('promised writes', () => {
  const WRITES = [
    { kind: 'label_add', label: 'ui' },
    { kind: 'ac_transfer', criterion: 'AC-1', child: 'one' },
    { kind: 'checklist_item', text: 'tell people' },
    child('one'),
    child('two', { priority: 'high' }),
    { kind: 'acceptance_criterion', text: 'it is fast' },
  ];

  test('CON-72 all five kinds are done once each, children before transfers and the state last', () => {
    const run = accepts(
      composes(upTo('Clarified'), { ...DECOMPOSE, doc: { ...doc, payload: [...WRITES, ...WRITES] } }),
    );
    const refs = entriesOf(run, 'ledger') as { brief: string; ref: string }[];
    const ofThis = refs.filter(({ brief }) => brief === 'B-12.b2');
    expect(ofThis.map(({ ref }) => ref.split(':')[0])).toEqual([
      'acceptance_criterion',
      'child_ticket',
      'child_ticket',
      'checklist_item',
      'ac_transfer',
      'label_add',
    ]);
    expect(new Set(ofThis.map(({ ref }) => ref)).size).toBe(6);
    const state = stateOf(run);
    expect(state.criteria.map(({ text }) => text)).toEqual(['it is fast']);
    expect(state.checklist.map(({ text }) => text)).toEqual(['tell people']);
    expect(state.children.map(({ key }) => key)).toEqual(['one', 'two']);
    expect(state.labels).toEqual(['ui']);
    const spawns = recordsOf(run, 'spawn');
    expect(spawns.map(({ input }) => input)).toMatchObject([
      { title: 'Part one', priority: 'medium', child: { parent: 'B-12', criteria: ['--json prints JSON'] } },
      { title: 'Part two', priority: 'high', child: { criteria: [] } },
    ]);
    const kinds = run.records.map((record) => ('name' in record ? record.name : record.kind));
    expect(kinds.lastIndexOf('history')).toBeGreaterThan(kinds.lastIndexOf('ledger'));
    expect(kinds.lastIndexOf('history')).toBeGreaterThan(kinds.lastIndexOf('spawn'));
    expect(state.phase).toBe('Decomposed');
  });

  test('CON-72 what cannot be a write, or could not be told from another, is refused before it is shown', () => {
    const at = (payload: unknown[]) =>
      refusedCompose(upTo('Clarified'), { ...DECOMPOSE, doc: { ...doc, payload } });
    expect(at([child('one'), { kind: 'merge' }]).args).toMatchObject({ field: 'payload.1' });
    expect(at([child('one'), child('one', { title: 'Other' })]).args).toMatchObject({ field: 'payload' });
    const shown = composes(upTo('Clarified'), { ...DECOMPOSE, doc: { ...doc, payload: [child('one')] } });
    expect(refusedEdit(shown, { payload: [child('one'), child('one', { title: 'B' })] }).args).toMatchObject({
      field: 'payload',
    });
  });

  test('CON-109 a child that is edited away takes nothing of the ticket with it', () => {
    const children = ['one', 'two'].map((key) => ({
      key,
      title: `Part ${key}`,
      description: '',
      priority: 'medium' as const,
      after: [],
      criteria: key === 'one' ? ['AC-1'] : [],
    }));
    const split = drafts(upTo('Clarified'), decomposed({ children }));
    const promised = (stateOf(split).brief?.doc.payload ?? []) as PromisedWrite[];
    const payload = promised.filter((write) => !(write.kind === 'child_ticket' && write.key === 'one'));
    const done = accepts(answers(split, 'edit', JSON.stringify({ payload })));
    expect(stateOf(done).children.map(({ key }) => key)).toEqual(['two']);
    expect(stateOf(done).criteria.map(({ id }) => id)).toEqual(['AC-1']);
  });

  test('CON-92 no brief brings the label in from the plan on', () => {
    const label = { ...doc, payload: [{ kind: 'label_add', label: 'decision-only' }] };
    expect(refusedEdit(releaseDrafted(upTo('Built')), { payload: label.payload }).args).toMatchObject({
      field: 'payload',
    });
    const early = composes(upTo('Idea'), {
      reason: 'clarification-draft',
      pending_activity: 'clarifying',
      doc: label,
    });
    expect(stateOf(accepts(early)).labels).toEqual(['decision-only']);
  });
});

describe('the entry a brief points to', () => {
  const cites = (run: PureRun) =>
    composes(run, {
      reason: 'clarification-draft',
      pending_activity: 'clarifying',
      decision_ref: { type: 'architecture', id: 'D-1' },
    });

  test('CON-71 deny puts the ticket’s own draft away, and never an entry that was there before', () => {
    const own = answers(drafts(upTo('Idea'), clarified()), 'deny', 'not this year');
    expect(recordsOf(own, 'knowledge_status')).toMatchObject([{ id: 'B-12.d1', status: 'Archived' }]);
    const cited = answers(cites(upTo('Idea')), 'deny', 'not this year');
    expect(stateOf(cited).phase).toBe('Parked');
    expect(recordsOf(cited, 'knowledge_status')).toEqual([]);
  });

  test('a redraft has an entry of its own and leaves the other as it was', () => {
    const again = drafts(answers(cites(upTo('Idea')), 'reshape', 'shorter'), clarified());
    expect(recordsOf(again, 'knowledge').map(({ entry }) => entry.id)).toEqual(['B-12.d1']);
    expect(stateOf(again).brief).toMatchObject({ iteration: 2, decision_ref: { id: 'B-12.d1' } });
    const once = drafts(answers(drafts(upTo('Idea'), clarified()), 'reshape', 'shorter'), clarified());
    expect(recordsOf(once, 'knowledge').map(({ entry }) => entry.id)).toEqual(['B-12.d1', 'B-12.d1']);
    expect(stateOf(once).counts.decisions).toBe(1);
  });

  test('CON-71 the deferral says why, when to look again and whose it is, and is there before the ticket is parked', () => {
    const run = answers(drafts(upTo('Idea'), clarified()), 'deny', ' not this year ');
    expect(recordsOf(run, 'knowledge').at(-1)?.entry).toEqual({
      id: 'B-12.d2',
      type: 'deferral',
      status: 'Accepted',
      title: 'Deferred: Export as JSON',
      body: 'not this year',
      domains: ['process'],
      source_type: 'ticket',
      source_activity: 'defer',
      source_task_id: 'B-12',
      review_by: '2027-02-13',
    });
    const at = (match: (record: PureRun['records'][number]) => boolean) => run.records.findLastIndex(match);
    const linked = at((record) => record.kind === 'knowledge_link' && record.id === 'B-12.d2');
    const parked = at((record) => record.kind === 'entry' && record.name === 'history');
    expect(linked).toBeGreaterThan(at((record) => record.kind === 'knowledge'));
    expect(parked).toBeGreaterThan(linked);
  });
});

describe('lines of ours', () => {
  const contextOf = (run: PureRun) =>
    (stateOf(run).brief?.doc.context ?? []).map((text) => (typeof text === 'string' ? text : text.msg));

  test('CON-87 an edit keeps what the host reports; nobody composes a release brief before the host was asked', () => {
    const shown = releaseDrafted(upTo('Built'), { paths: ['db/migrations/7.sql'] });
    const ours = contextOf(shown);
    expect(ours).toEqual([
      'conduct.context.pull',
      'conduct.context.diff',
      'conduct.context.build',
      'conduct.context.checks',
      'conduct.context.classes',
    ]);
    const edited = answers(shown, 'edit', JSON.stringify({ context: ['All is well.'] }));
    expect(contextOf(edited)).toEqual([...ours, 'All is well.']);
    const release = { reason: 'release-decision-pending' };
    expect(refusedCompose(upTo('Built'), release).msg).toBe('conduct.compose_unlooked');
    expect(contextOf(composes(shown, release))).toEqual(ours);
  });

  test('CON-91 an edit, and a brief from outside, have the evidence and the runbook', () => {
    const shown = verifyDrafted(upTo('Released'));
    expect(contextOf(shown)).toContain('conduct.context.evidence');
    const edited = answers(shown, 'edit', JSON.stringify({ context: [] }));
    expect(contextOf(edited)).toEqual(contextOf(shown));
    const outside = composes(upTo('Released'), {
      reason: 'verification-ack-pending',
      pending_activity: 'verifying',
    });
    expect(contextOf(outside)).toContain('conduct.context.evidence');
    expect(awaitingOf(stateOf(outside))).toMatchObject({ reason: 'verification-ack-pending' });
  });

  test('CON-91 a criterion that cannot be verified here is said to be so', () => {
    const observed = settlePure(upTo('Released'), { kind: 'queried', found: SEEN });
    const steps = [{ criterion: 'AC-1', do: 'wait a year', expect: 'no complaint', unverifiable: true }];
    const shown = delivers(observed, { ...runbook(), steps });
    expect(stateOf(shown).brief?.doc.context).toContainEqual({
      msg: 'conduct.context.runbook_unverifiable',
      args: { id: 'AC-1', text: '--json prints JSON', steps: 'wait a year -> no complaint' },
    });
    expect(JSON.stringify(verifyDrafted(upTo('Released')).step)).not.toContain('runbook_unverifiable');
  });

  test('CON-92 that accepting ends the ticket cannot be edited away', () => {
    const shown = drafts(
      upTo('Idea', undefined, { labels: ['decision-only'] }),
      clarified({ deliverable: true }),
    );
    expect(stateOf(shown).brief?.doc.banners).toEqual([{ msg: 'conduct.banner.deliverable' }]);
    expect(refusedEdit(shown, { banners: [] }).args).toMatchObject({ field: 'banners' });
  });

  test('CON-66 a bot’s release is not edited into one that asks for no person', () => {
    const told = signalPure(presented(passes(upTo('Planned'))), {
      type: 'message',
      from: 'de-1',
      name: 'built',
      data: BUILD,
    });
    const pushed = settlePure(told, { kind: 'written', result: { ...PULL, author_is_bot: true } });
    const shown = releaseDrafted(pushed, { author_is_bot: true });
    expect(contextOf(shown)).toContain('engine.brief.human_approval');
    const edited = answers(shown, 'edit', JSON.stringify({ context: ['No one needs to look.'] }));
    expect(contextOf(edited)).toContain('engine.brief.human_approval');
  });
});
