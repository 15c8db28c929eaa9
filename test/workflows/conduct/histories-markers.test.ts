import { describe, expect, test } from 'vitest';
import type { TicketState } from '../../../src/contract/ticket.ts';
import { happenings } from './histories.ts';
import { decisions, entries, HISTORIES, type History, MOMENTS } from './random-histories.ts';
import { happen, recordsIn, type Scene, stateOf } from './scene.ts';

/** What every history says, in order: moves of the ticket, deploys, and words of people. */
function storyOf({ moments }: History) {
  return moments.flatMap((moment) =>
    recordsIn(moment).flatMap((record): { what: string; data: Record<string, unknown> }[] =>
      record.kind === 'entry' || record.kind === 'decision'
        ? [{ what: record.name, data: record.data as Record<string, unknown> }]
        : [],
    ),
  );
}

describe('invariants over random histories', () => {
  test('CON INV-13 Released has a deploy after the last Built, or all its children; Verified a person’s accept', () => {
    const seen = { Released: 0, 'rolling-up': 0, Verified: 0, 'fast-forwarding': 0 };
    for (const history of HISTORIES) {
      let deployed = false;
      let word: Record<string, unknown> | null = null;
      for (const { what, data } of storyOf(history)) {
        if (what === 'deploy') deployed = true;
        if (what === 'brief_resolved') word = data;
        if (what !== 'history') continue;
        const to = data.to as TicketState;
        if (to === 'Built') deployed = false;
        if (to === 'Released' && data.activity === 'releasing') {
          expect(deployed).toBe(true);
          seen.Released++;
        }
        if (to === 'Released' && data.activity === 'rolling-up') seen['rolling-up']++;
        if (to !== 'Verified') continue;
        seen.Verified++;
        if (data.activity === 'fast-forwarding') seen['fast-forwarding']++;
        expect(word).toMatchObject({ command: 'accept', provenance: expect.stringMatching(/^human:/) });
      }
    }
    for (const [way, times] of Object.entries(seen)) expect([way, times > 0]).toEqual([way, true]);
    // Nothing but these four leads there.
    for (const moment of MOMENTS)
      for (const { to, activity } of entries(moment, 'history')) {
        if (to === 'Released') expect(['releasing', 'rolling-up', 'unparking']).toContain(activity);
        if (to === 'Verified') expect(['verifying', 'fast-forwarding']).toContain(activity);
      }
  });

  test('CON INV-14 a reshape, a remark and a round of answers are taken up once, by the next draft', () => {
    for (const { moments } of HISTORIES) {
      const given: string[] = [];
      const answered = new Set<unknown>();
      for (const moment of moments) {
        for (const { command, detail, brief } of decisions(moment, 'brief_resolved')) {
          if (command === 'iterate') given.push(`reshape ${detail}`);
          if (command === 'accept' && detail) given.push(`remark ${brief} ${detail}`);
        }
        for (const { marker, detail, brief, text } of entries(moment, 'consumed')) {
          const key = marker === 'reshape' ? `reshape ${detail}` : `remark ${brief} ${text}`;
          expect(given).toContain(key);
          given.splice(given.indexOf(key), 1);
        }
        const drafted = entries(moment, 'brief').length > 0 && moment.change?.answer === null;
        if (drafted) expect(stateOf(moment.after)).toMatchObject({ pending: null, remark: null });
        for (const { round } of entries(moment, 'answers')) {
          if (round === undefined) continue;
          expect(answered.has(round)).toBe(false);
          answered.add(round);
        }
      }
    }
  });

  test('CON INV-14 what was given is taken up if the engine runs: at the latest when it next waits for a person', () => {
    const flagged = MOMENTS.map(({ after }) => after).filter((scene) => stateOf(scene).pending !== null);
    expect(flagged.length).toBeGreaterThan(50);
    for (const first of flagged) {
      let scene: Scene = first;
      for (let n = 0; n < 12 && stateOf(scene).pending !== null; n++) {
        // Workers do well, a person answers what is asked and lets what failed be tried again.
        const [good] = happenings(scene).filter(
          (one) => one.good && !/^(conduct|unpark|child|drive)/.test(one.name),
        );
        if (!good) break;
        scene = happen(scene, good)?.after ?? scene;
      }
      const { pending, phase, idle_because, reopening } = stateOf(scene);
      // Parked, or nobody conducts it: the engine does not run. Going back ends the gate, and the marker with it.
      const stands = phase === 'Parked' || idle_because !== null || reopening !== null;
      if (!stands) expect(pending).toBeNull();
    }
  });

  test('CON INV-16 the iteration of a brief never falls, grows with every change of its text, and the gate shows that text', () => {
    let changed = 0;
    for (const { before, after } of MOMENTS) {
      const [was, is] = [stateOf(before).brief, stateOf(after).brief];
      const { gate } = after.at;
      if (was && is && was.id === is.id) {
        expect(is.iteration).toBeGreaterThanOrEqual(was.iteration);
        if (JSON.stringify(is.doc) !== JSON.stringify(was.doc)) {
          changed++;
          expect(is.iteration).toBeGreaterThan(was.iteration);
        }
      } else if (is) expect(is.iteration).toBe(1);
      const own = gate && !['round', 'trouble', 'parent_ticket', 'build_go', 'approval'].includes(gate.name);
      if (own && is && !stateOf(after).reopening) {
        expect(gate.brief).toEqual(is.doc);
        expect(gate.iteration).toBeGreaterThanOrEqual(1);
      }
    }
    expect(changed).toBeGreaterThan(50);
    const drafts = MOMENTS.flatMap((moment) => decisions(moment, 'brief_resolved'));
    expect(drafts.every(({ iteration, brief }) => brief === null || Number(iteration) >= 1)).toBe(true);
  });
});
