import { describe, expect, test } from 'vitest';
import type { Deps } from '../../src/runtime/deps.ts';
import { classifyWatch, type WatchedRun, watchDelay } from '../../src/runtime/watch.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { MINUTE, setting, stations, within } from '../support/handed-over.ts';
import { gateOf, type Lab } from '../support/lab.ts';

const labs = labsOfTest();
const never = new AbortController().signal;

describe('a watch', () => {
  test.each([
    [0, 10],
    [59_999, 10],
    [60_000, 30],
    [179_999, 30],
    [180_000, 60],
    [9 * MINUTE, 60],
  ])('CON-74 after %d ms the next look is %d seconds away', (elapsed, seconds) => {
    expect(watchDelay(elapsed)).toBe(seconds * 1000);
  });

  const open = { id: 'wa-1.g1', class: 'forward', iteration: 1 } as const;
  const paused: WatchedRun = { phase: 'Idea', status: 'waiting', gate: open, answered: null };
  const gone: WatchedRun = { phase: 'Idea', status: 'working', gate: null, answered: 'accept' };
  const form = { ...paused, gate: { ...open, class: 'question' as const } };
  test.each<[string, WatchedRun, WatchedRun, string | null]>([
    ['the gate is still open', paused, paused, null],
    ['no gate was open', { ...paused, gate: null }, gone, null],
    ['the flag has risen since', { ...paused, gate: null }, paused, null],
    ['the ticket was parked', paused, { ...gone, phase: 'Parked', answered: 'deny' }, 'parked'],
    ['the state is another', paused, { ...gone, phase: 'Clarified' }, 'state-advanced'],
    ['the run has ended', paused, { ...gone, status: 'ended' }, 'state-advanced'],
    ['a redraft was asked for', paused, { ...gone, answered: 'reshape' }, 'reshape'],
    ['it was drafted anew meanwhile', paused, { ...paused, gate: { ...open, iteration: 2 } }, 'reshape'],
    ['a talk was asked for', paused, { ...gone, answered: 'discuss' }, 'discuss'],
    ['questions were answered', form, gone, 'answers'],
    ['questions were withdrawn', form, { ...gone, answered: null }, 'resolved'],
    ['it was resolved', paused, gone, 'resolved'],
    [
      'it was resolved and the next is open',
      paused,
      { ...paused, gate: { ...open, id: 'wa-1.g2' }, answered: 'accept' },
      'resolved',
    ],
  ])('CON-74 %s', (_name, before, after, expected) => {
    expect(classifyWatch(before, after)).toBe(expected);
  });
});

describe('a client that waits', () => {
  /** Time moves with each look; `at` says what happens to the world at the n-th. */
  async function watching(
    at: (lab: Lab, query: number) => Promise<unknown>,
  ): Promise<{ lab: Lab; delays: number[] }> {
    const set = setting();
    const delays: number[] = [];
    let lab: Lab | null = null;
    const sleep: Deps['sleep'] = async (until) => {
      delays.push(Date.parse(until) - set.now);
      set.now = Date.parse(until);
      if (lab) await at(lab, delays.length);
    };
    lab = await labs.open({ wrap: within(set, (deps) => ({ ...deps, sleep })) });
    return { lab, delays };
  }

  test('CON-74 looks often, then seldom, and gives up when the watch is over; the pause stays', async () => {
    const { lab, delays } = await watching(async () => null);
    const drive = await lab.start('way', { stations: stations('a') });
    const gate = gateOf(await drive.advance());
    expect(await lab.api.watch(drive.run, never)).toBe('expired');
    const expected = [...Array(6).fill(10), ...Array(4).fill(30), ...Array(7).fill(60)];
    expect(delays.map((ms) => ms / 1000)).toEqual(expected);
    expect(await lab.deps.store.gate(gate.id)).toEqual(gate);
  });

  test('CON-74 a flag that rises after the watch began is caught when it falls', async () => {
    const { lab } = await watching(async (now, query) => {
      if (query === 2) return drive.advance();
      const [gate] = await now.deps.store.openGates();
      return query === 4 && gate ? now.answer(gate, 'reshape', { text: 'b' }) : null;
    });
    const drive = await lab.start('way', { stations: stations('a', 'b') });
    expect(await lab.api.watch(drive.run, never)).toBe('reshape');
  });

  test('a run nobody knows is refused, and whoever gives up is told so', async () => {
    const { lab } = await watching(async () => null);
    expect(await lab.api.watch('wa-none', never)).toMatchObject({ rejection: 'no_such_run' });
    const drive = await lab.start('way', { stations: stations('a') });
    expect(await lab.api.watch(drive.run, AbortSignal.abort())).toBe('expired');
  });
});
