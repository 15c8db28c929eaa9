import { describe, expect, test } from 'vitest';
import {
  accepts,
  answers,
  built,
  command,
  decomposed,
  drafts,
  entriesOf,
  recordsOf,
  released,
  stateOf,
  ticket,
  upTo,
  verifyDrafted,
} from './fixture.ts';

describe('a ticket', () => {
  test('CON-26 conducting a captured ticket promotes it once without a brief, and then it is clarified', () => {
    const run = command(ticket(), 'conduct');
    expect(stateOf(run).phase).toBe('Idea');
    expect(run.step).toMatchObject({ kind: 'query', what: { what: 'knowledge' } });
    expect(entriesOf(run, 'history')).toMatchObject([
      { to: 'Captured' },
      { activity: 'promoting', to: 'Idea' },
    ]);
  });

  test('goes from Captured to Verified, every gate answered by a person', () => {
    const seen = verifyDrafted(released(built(upTo('Planned'))));
    expect(seen.step).toMatchObject({ kind: 'gate', gate: { name: 'verify', typed: 'B-12' } });
    const done = accepts(seen);
    expect(done.step).toMatchObject({ kind: 'end', outcome: { result: 'verified' } });
    expect(recordsOf(done, 'knowledge').map(({ entry }) => entry.type)).toEqual([
      'specification',
      'architecture',
      'technical-design',
      'specification',
    ]);
    expect(recordsOf(done, 'knowledge_status').map(({ status }) => status)).toEqual(
      Array(4).fill('Accepted'),
    );
  });

  test('CON-83 after a person accepted the plan and the build was clean, nothing waits before release', () => {
    let run = upTo('Planned');
    const from = run.steps.length;
    run = built(run);
    expect(run.steps.slice(from).filter((step) => step.kind === 'gate')).toEqual([]);
    expect(stateOf(run).phase).toBe('Built');
  });

  test('CON-75 a reshape changes no state, is redrafted once with its text, and comes back as the next draft', () => {
    const shown = drafts(upTo('Clarified'), decomposed());
    const asked = answers(shown, 'reshape', 'split it in two');
    expect(stateOf(asked).phase).toBe('Clarified');
    expect(asked.step).toMatchObject({ kind: 'query' });
    const again = drafts(asked, decomposed());
    expect(stateOf(again).brief).toMatchObject({ iteration: 2, revised: true });
    expect(stateOf(again).pending).toBeNull();
  });
});
