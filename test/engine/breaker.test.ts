import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BACK_OFF_POLICY, backOffMs } from '../../src/engine/back-off.ts';
import { type AgentSign, admit, afterSign, type Breaker, CLOSED, FAULTS } from '../../src/engine/breaker.ts';

const cool = BACK_OFF_POLICY.breaker;
const moved = (breaker: Breaker, sign: AgentSign, probe = false, now = 0) =>
  afterSign(breaker, { sign, probe }, { now, cool });
const open: Breaker = { kind: 'open', until: 30_000, times: 1 };
const probing: Breaker = { kind: 'probing', times: 1 };

describe('a breaker', () => {
  test.each<[string, Breaker, Breaker]>([
    ['counts failures', moved(CLOSED, 'failed'), { kind: 'closed', faults: 1 }],
    ['forgets them with an answer', moved({ kind: 'closed', faults: 4 }, 'answered'), CLOSED],
    ['opens at the fifth in a row', moved({ kind: 'closed', faults: 4 }, 'failed'), open],
    [
      'is not moved by a call we ended',
      moved({ kind: 'closed', faults: 4 }, 'unknown'),
      { kind: 'closed', faults: 4 },
    ],
    ['is not opened longer by a call from before', moved(open, 'failed', false, 9), open],
    ['is closed by a late answer', moved(open, 'answered'), CLOSED],
    ['is closed by the answer of the probe', moved(probing, 'answered', true), CLOSED],
    [
      'opens twice as long when the probe fails',
      moved(probing, 'failed', true, 7),
      { kind: 'open', until: 60_007, times: 2 },
    ],
    [
      'lets another probe go when we ended the first',
      moved(probing, 'unknown', true, 7),
      { ...open, until: 7 },
    ],
    ['waits on when a call from before fails beside the probe', moved(probing, 'failed'), probing],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  test('lets nobody in before its time, then one probe, and nobody beside it', () => {
    expect(admit(open, 29_999)).toEqual({ go: false, wait: 30_000 });
    expect(admit(open, 30_000)).toEqual({ go: true, probe: true, breaker: probing });
    expect(admit(probing, 99_999)).toEqual({ go: false, wait: null });
  });

  test('waits only for a probe that runs, never stays shut for longer than ten minutes, and an answer opens the way for all', () => {
    const step = fc.record({
      do: fc.constantFrom('ask', 'answered', 'failed', 'unknown' as const),
      which: fc.nat(20),
      later: fc.nat(700_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        let breaker = CLOSED;
        let now = 0;
        const running: boolean[] = [];
        for (const { do: what, which, later } of steps) {
          now += later;
          if (what === 'ask') {
            const turn = admit(breaker, now);
            if (turn.go) {
              breaker = turn.breaker;
              running.push(turn.probe);
            } else if (turn.wait === null) expect(running).toContain(true);
            else expect(turn.wait - now).toBeLessThanOrEqual(cool.most_ms);
          } else if (running.length > 0) {
            const [probe = false] = running.splice(which % running.length, 1);
            breaker = moved(breaker, what, probe, now);
            if (what === 'answered') expect(admit(breaker, now)).toMatchObject({ go: true, probe: false });
          }
          const kind: string = breaker.kind;
          if (kind === 'probing') expect(running.filter(Boolean).length).toBeGreaterThan(0);
        }
      }),
    );
  });

  test(`takes ${FAULTS} failures and no fewer`, () => {
    let breaker = CLOSED;
    for (let n = 1; n < FAULTS; n++) breaker = moved(breaker, 'failed');
    expect(admit(breaker, 0).go).toBe(true);
    expect(admit(moved(breaker, 'failed'), 0).go).toBe(false);
  });
});

describe('a back-off', () => {
  test.each([
    [1, 60_000],
    [2, 120_000],
    [4, 480_000],
    [5, 900_000],
    [5000, 900_000],
  ])('time %d waits %d ms', (times, ms) => {
    expect(backOffMs(BACK_OFF_POLICY.limited, times)).toBe(ms);
  });

  test('chance takes a tenth off at most and never adds', () => {
    expect(backOffMs(BACK_OFF_POLICY.limited, 1, 1)).toBe(54_000);
    expect(backOffMs({ first_ms: 0, most_ms: 0 }, 3, 0.5)).toBe(0);
  });
});
