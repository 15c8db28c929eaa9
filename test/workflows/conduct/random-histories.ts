import fc from 'fast-check';
import type { Gate } from '../../../src/contract/gate.ts';
import { happenings } from './histories.ts';
import { begin, type Happening, happen, type Moment, recordsIn, type Scene } from './scene.ts';

export interface History {
  readonly first: ReturnType<typeof begin>;
  readonly moments: readonly Moment[];
}

/** Ways to begin: plain, decision-only, with a word that trips a class, and with a judge that only looks on. */
const BEGINNINGS = [
  () => begin({ description: 'People want the export in JSON.' }),
  () => begin({ labels: ['decision-only'] }),
  () => begin({ description: 'Needs a migration.' }),
  () => begin({}, { shadow_judge: true }),
] as const;

/** Six of ten choices go the usual way, so that tickets get far. */
const history = fc
  .tuple(fc.nat(9), fc.array(fc.nat(99_999), { minLength: 40, maxLength: 110 }))
  .map(([beginning, choices]): History => {
    const first = (BEGINNINGS[beginning] ?? BEGINNINGS[0])();
    const moments: Moment[] = [];
    let scene = first.scene;
    for (const choice of choices) {
      const one = choose(happenings(scene), choice);
      if (!one) break;
      const moment = happen(scene, one);
      if (!moment) continue;
      moments.push(moment);
      scene = moment.after;
    }
    return { first, moments };
  });

function choose(possible: readonly Happening[], choice: number): Happening | undefined {
  const usual = possible.filter(({ good }) => good);
  const own = possible.filter(({ input }) => input && 'kind' in input && input.kind !== 'signal');
  const pick = (from: readonly Happening[]) => from[Math.floor(choice / 10) % from.length];
  if (choice % 10 < 6 && usual.length > 0) return usual[0];
  return choice % 10 < 8 && own.length > 0 ? pick(own) : pick(choice % 10 < 7 ? usual : possible);
}

export const HISTORIES = fc.sample(history, { numRuns: 240, seed: 7 });
export const MOMENTS = HISTORIES.flatMap(({ moments }) => moments);
/** Scenes with an open gate, each once. */
export const GATES = MOMENTS.flatMap(({ change, after }): { scene: Scene; gate: Gate }[] =>
  change?.gate_opened ? [{ scene: after, gate: change.gate_opened }] : [],
);
export const decisions = (moment: Moment, name: string) =>
  recordsIn(moment).flatMap((record) =>
    record.kind === 'decision' && record.name === name ? [record.data as Record<string, unknown>] : [],
  );
export const entries = (moment: Moment, name: string) =>
  recordsIn(moment).flatMap((record) =>
    record.kind === 'entry' && record.name === name ? [record.data as Record<string, unknown>] : [],
  );
