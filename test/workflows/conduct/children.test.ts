import { describe, expect, test } from 'vitest';
import { ConductInput } from '../../../src/contract/conduct.ts';
import { ticketRow } from '../../../src/workflows/conduct/row.ts';
import { settlePure, startFacts, startPure } from '../../support/pure-run.ts';
import {
  ADA,
  accepts,
  answers,
  childNotice,
  command,
  decomposed,
  designed,
  drafts,
  entriesOf,
  LEDGER,
  parts,
  patched,
  recordsOf,
  stale,
  stateOf,
  UNATTENDED,
  upTo,
} from './fixture.ts';

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
    run = childNotice(childNotice(run, 13, 'one', 'Idea'), 14, 'two', 'Idea');
    run = childNotice(run, 13, 'one', 'Verified');
    expect(stateOf(run).phase).toBe('Decomposed');
    run = childNotice(run, 14, 'two', 'Verified');
    expect(stateOf(run)).toMatchObject({ phase: 'Released', parent_ticket: true, brief: null });
    expect(ticketRow(stateOf(run), '')).toMatchObject({
      awaiting_human_input: true,
      awaiting_human_reason: 'verification-ack-pending',
      awaiting_human_ref: { kind: 'umbrella-auto-verify' },
    });
    run = childNotice(run, 14, 'two', 'Verified');
    expect(
      entriesOf(run, 'history').filter((entry) => (entry as { activity: string }).activity === 'rolling-up'),
    ).toHaveLength(1);
  });

  test('CON-78 also when the last child was verified while the parent was stale, parked or not yet divided', () => {
    const split = () => accepts(drafts(upTo('Clarified'), decomposed({ children: parts('one') })));
    const patchedLater = drafts(
      command(childNotice(stale(split()), 13, 'one', 'Verified'), 'conduct'),
      patched(),
    );
    const parked = childNotice(command(split(), 'park'), 13, 'one', 'Verified');
    const adopted = command(upTo('Clarified'), 'adopt', { id: 'B-20', title: 'Part one', state: 'Verified' });
    for (const [before, after] of [
      [patchedLater, accepts(patchedLater)],
      [patchedLater, answers(patchedLater, 'deny', 'we know')],
      [parked, command(parked, 'unpark')],
      [adopted, accepts(drafts(adopted, decomposed({ children: parts('one') })))],
    ] as const) {
      expect(stateOf(before).phase).not.toBe('Released');
      const rolled = settlePure(after, { kind: 'worked', calls: [] });
      expect(stateOf(rolled)).toMatchObject({ phase: 'Released', parent_ticket: true, brief: null });
      expect(rolled.step).toMatchObject({ kind: 'gate', gate: { name: 'parent_ticket' } });
    }
  });

  test('CON-79 on that marker a missing brief is normal: a person’s accept ends it, and conducting drafts a runbook', () => {
    let run = accepts(drafts(upTo('Clarified'), decomposed({ children: parts('one') })));
    run = childNotice(run, 13, 'one', 'Verified');
    expect(run.step).toMatchObject({ kind: 'gate', gate: { name: 'parent_ticket' } });
    expect(Object.keys(run.def.gates.parent_ticket?.options ?? {})).toEqual(['accept']);
    expect(accepts(run).step).toMatchObject({ kind: 'end', outcome: { result: 'verified' } });
    expect(command(run, 'conduct').step).toMatchObject({ kind: 'work', calls: [{ role: 'verify' }] });
  });

  test('a parked child holds the parent; a cancelled one does not', () => {
    let run = accepts(drafts(upTo('Clarified'), decomposed({ children: parts('one', 'two') })));
    run = childNotice(childNotice(run, 13, 'one', 'Verified'), 14, 'two', 'Parked');
    expect(stateOf(run).phase).toBe('Decomposed');
    expect(stateOf(childNotice(run, 14, 'two', 'Cancelled')).phase).toBe('Released');
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
    expect(recordsOf(first, 'knowledge').at(-1)?.entry.type).toBe('product-design');
    // Another ticket's accepted design is something to rest on, and no design of this one.
    const peer = { ...LEDGER.entries[0], id: 'B-9.d3', type: 'technical-design', title: 'A flag' };
    const known = { entries: [...LEDGER.entries, peer], linked: ['B-9.d3'] };
    const second = drafts(accepts(first), designed({ tracks: ['technical'], grounds: ['B-9.d3'] }), known);
    expect(stateOf(second)).toMatchObject({
      phase: 'Decomposed',
      tracks: { done: ['product'] },
      brief: { track: 'technical' },
    });
    expect(recordsOf(second, 'knowledge').at(-1)?.entry.type).toBe('technical-design');
    const linked = drafts(
      command(upTo('Decomposed'), 'reference', { decision: 'B-9.d3' }),
      designed(),
      known,
    );
    expect(stateOf(linked).tracks.done).toEqual([]);
    expect(stateOf(accepts(second)).phase).toBe('Designed');
    expect(stateOf(accepts(command(first, 'tracks', { required: ['product'] }))).phase).toBe('Designed');
  });
});
