import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/contract/event.ts';
import { diff, fold } from '../../src/engine/fold.ts';

/** A document whose fields come, change and go. */
const document = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.oneof(fc.nat(3), fc.constant(null)), {
  noNullPrototype: true,
});

describe('the log alone rebuilds the row', () => {
  test('WF-05 WF INV-1: whatever came, changed or went, every prefix of the log folds to what stood there', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(document, document), { minLength: 1, maxLength: 8 }), (rows) => {
        let [row, state]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
        const events: RunEvent[] = [];
        for (const [nextRow, nextState] of rows) {
          events.push({ row: diff(row, nextRow), patch: diff(state, nextState) } as RunEvent);
          [row, state] = [nextRow, nextState];
          expect(fold(events)).toEqual({ ...row, state });
        }
      }),
    );
  });
});
