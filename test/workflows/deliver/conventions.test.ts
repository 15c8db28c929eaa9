import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ScanResult } from '../../../src/contract/conventions.ts';
import { DeliverState } from '../../../src/contract/deliver.ts';
import {
  answerPure,
  hashOf,
  notices,
  refusedSignal,
  settlePure,
  signalPure,
} from '../../support/pure-run.ts';
import {
  begin,
  failedCalls,
  keep,
  keyOf,
  NO_HANDOVER,
  play,
  promptOf,
  rolesOf,
  stateOf,
  withState,
} from './fixture.ts';

const looking = (found: unknown) => ({ 'query conventions': () => ({ kind: 'queried', found }) as const });
const handed = (conventions: string) => ({
  'query handover': () => ({ kind: 'queried', found: { ...NO_HANDOVER, conventions } }) as const,
});

describe('conventions', () => {
  test('WF-34: unset, skipped or an artefact of this run; nothing else can be stored', () => {
    const state = stateOf(play(begin(), {}, ['work planner_single']));
    const good = fc.oneof(
      fc.constant(null),
      fc.constant('skipped'),
      fc.string().map((text) => ({ artefact: hashOf(text) })),
    );
    const bad = fc.oneof(fc.string(), fc.integer(), fc.object(), fc.constant({ artefact: 'conventions.md' }));
    fc.assert(
      fc.property(good, (conventions) => DeliverState.safeParse({ ...state, conventions }).success),
      { numRuns: 50 },
    );
    fc.assert(
      fc.property(
        bad,
        (value) => value === 'skipped' || !DeliverState.safeParse({ ...state, conventions: value }).success,
      ),
      { numRuns: 200 },
    );
  });

  test('WF-34: an artefact is injected as its text, skipped as empty text', () => {
    const artefact = keep('RULES-MARK');
    const used = play(begin(), handed(artefact), ['work planner_single']);
    const call = used.step.kind === 'work' ? used.step.calls[0] : undefined;
    expect(call && promptOf(used, call)).toContain('RULES-MARK');
    const skipped = play(begin(), looking({ source: 'none' }), ['work planner_single']);
    expect(stateOf(skipped).conventions).toBe('skipped');
    expect(skipped.step).toMatchObject({ calls: [{ slots: { conventions: { text: '' } } }] });
  });

  test('WF-34: a missing artefact is unset and looked for again in one move, before any planner', () => {
    const run = play(begin({ mode: 'standard' }), {}, ['work architect+senior_dev']);
    const { conventions } = stateOf(run);
    const value = conventions && conventions !== 'skipped' ? conventions.artefact : '';
    const other = { type: 'fact', what: 'artefact_missing', value: hashOf('another text') } as const;
    expect(refusedSignal(run, other).rejection).toBe('wrong_moment');
    const gone = signalPure(run, { type: 'fact', what: 'artefact_missing', value });
    expect(stateOf(gone)).toMatchObject({
      conventions: null,
      convention_stage: { at: 'query' },
      phase: 'planning',
    });
    expect(keyOf(gone.step)).toBe('query conventions');
    const again = play(gone, {}, ['work architect+senior_dev']);
    expect(stateOf(again).conventions).not.toBeNull();
    expect(keyOf(withState(run, { conventions: null, convention_stage: null }).step)).toBe('work');
  });

  test.each([
    ['handed over', { handover: hashOf('h') }, 'work planner_single', 'handed over by an earlier run'],
    [
      'rich CLAUDE.md',
      { source: 'claude_md', artefact: hashOf('c'), lines: 50 },
      'work planner_single',
      'CLAUDE.md',
    ],
    ['none', { source: 'none' }, 'gate conventions', ''],
  ])('WF-88: where conventions come from: %s', (_name, found, step, told) => {
    const over = 'handover' in found ? handed(found.handover) : looking(found);
    const run = play(begin(), over, ['work planner_single', 'gate conventions']);
    expect(keyOf(run.step)).toBe(step);
    expect(notices(run, 'en').join()).toContain(told);
    if ('handover' in found) expect(rolesOf(run)).toEqual(['planner_single']);
  });

  test('a live value is never overwritten by what is handed over', () => {
    const run = play(begin(), {}, ['query handover']);
    const live = withState(run, { conventions: { artefact: hashOf('live') } });
    const on = settlePure(live, { kind: 'queried', found: { ...NO_HANDOVER, conventions: hashOf('other') } });
    expect(stateOf(on)).toMatchObject({ conventions: { artefact: hashOf('live') }, phase: 'planning' });
  });

  test('WF-36: the scan has four areas, each with findings or N/A, and the file structure always', () => {
    const area = ['One noun per file.'];
    const whole = { db: 'N/A', api: 'N/A', files: area, tests: area };
    expect(ScanResult.safeParse(whole).success).toBe(true);
    for (const name of Object.keys(whole)) {
      const { [name as 'db']: _, ...without } = whole;
      expect(ScanResult.safeParse(without).success, name).toBe(false);
      expect(ScanResult.safeParse({ ...whole, [name]: [] }).success, name).toBe(false);
      expect(ScanResult.safeParse({ ...whole, [name]: 'N/A' }).success, name).toBe(name !== 'files');
    }
  });

  test('a scanner that never delivers leads to skipped with a warning', () => {
    const gate = play(begin(), looking({ source: 'none' }), ['gate conventions']);
    const scanning = answerPure(gate, 'scan');
    const run = settlePure(scanning, failedCalls(scanning));
    expect(stateOf(run)).toMatchObject({ conventions: 'skipped', phase: 'planning' });
    expect(notices(run, 'en', 'warning').join()).toContain('skipped');
  });
});
