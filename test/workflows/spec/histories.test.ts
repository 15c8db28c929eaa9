import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Note, SpecState } from '../../../src/contract/spec.ts';
import { answerPure, entries, type PureRun, passPure, policy, workPure } from '../../support/pure-run.ts';
import { atApproval, begin, GIT, specDoc, stateOf } from './fixture.ts';
import { happen, happenings } from './histories.ts';

const live = {
  run: 'sp-old',
  workflow: 'spec',
  subject: 'spec:a-tool-that-renames-photos-by-date',
  phase: 'qa_active',
  status: 'waiting',
  title: 'earlier',
} as const;

/** Ways to begin: with and without git, over a live run, with a routing hint, unattended, with a reference. */
const BEGINNINGS: readonly (() => PureRun)[] = [
  () => begin(),
  () => begin({ mode: 'quick' }, { git: GIT }),
  () => begin({}, { live: [live] }),
  () => begin({ task: 'Fix the crash in the upload dialog' }, { git: GIT }),
  () => begin({ lang: 'ko' }, { policy: { ...policy, unattended: true } }),
  () => begin({ reference: 'g.md' }, { reference: { path: 'g.md', hash: `sha256:${'1'.repeat(64)}` } }),
];

/** A random history. Giving up is possible everywhere, so it is chosen only where a choice asks for it. */
const history = fc
  .tuple(fc.nat(BEGINNINGS.length - 1), fc.array(fc.nat(1000), { maxLength: 40 }))
  .map(([beginning, choices]) => {
    let run = (BEGINNINGS[beginning] as () => PureRun)();
    for (const choice of choices) {
      const possible = happenings(run).filter(({ name }) => name !== 'abandon' || choice > 980);
      const chosen = possible[choice % Math.max(1, possible.length)];
      if (!chosen) break;
      run = happen(run, chosen);
    }
    return run;
  });

const always = (check: (run: PureRun, states: readonly SpecState[]) => void) =>
  fc.assert(
    fc.property(history, (run) => check(run, run.states as unknown as SpecState[])),
    { numRuns: 400 },
  );

const FROM_QA = ['qa_active', 'qa_complete', 'gen_ready', 'spec_ready', 'completed'];

describe('invariants over random histories', () => {
  test('SP INV-3: rounds 1 to 3, at most 5 + 3 + 3 questions, qa_round never decreases', () => {
    always((run, states) => {
      const notes = entries(run, 'note') as Note[];
      const rounds = new Set(notes.map(({ round }) => round));
      const last = states.at(-1);
      if (last && ['qa_complete', 'gen_ready', 'spec_ready', 'completed'].includes(last.phase)) {
        expect(rounds.size).toBeGreaterThanOrEqual(1);
      }
      expect(rounds.size).toBeLessThanOrEqual(3);
      for (const round of rounds) {
        const asked = notes.filter((note) => note.round === round).length;
        expect(asked).toBeLessThanOrEqual(round === 1 ? 5 : 3);
      }
      expect(last?.asked).toBeLessThanOrEqual(11);
      for (const [n, state] of states.entries()) {
        expect(state.qa_round ?? 0).toBeGreaterThanOrEqual(states[n - 1]?.qa_round ?? 0);
      }
    });
  });

  test('SP INV-4: conventions are set in every phase from qa_active on, and an artefact named was recorded', () => {
    always((run, states) => {
      const recorded = run.records.flatMap((record) => (record.kind === 'artefact' ? [record.hash] : []));
      for (const { phase, conventions } of states) {
        if (FROM_QA.includes(phase)) expect(conventions).not.toBeNull();
        if (conventions && conventions !== 'skipped') expect(recorded).toContain(conventions.artefact);
      }
    });
  });

  test('SP INV-8: in quick mode the critic is null and no critic phase is entered', () => {
    always((_run, states) => {
      for (const { mode, critic, model_config, phase } of states) {
        expect([mode, critic, model_config]).toEqual(['quick', null, null]);
        expect(phase).not.toMatch(/critic|synthesis/);
      }
    });
  });

  test('SP INV-11: notes only grow, by whole rounds, and Modify never touches them', () => {
    always((run) => {
      const notes = entries(run, 'note') as Note[];
      expect(notes.map(({ id }) => id)).toEqual(notes.map((_, n) => `q${n + 1}`));
      const firstRequest = run.records.findIndex(
        (record) => record.kind === 'entry' && record.name === 'request',
      );
      const lastNote = run.records.findLastIndex(
        (record) => record.kind === 'entry' && record.name === 'note',
      );
      if (firstRequest !== -1) expect(lastNote).toBeLessThan(firstRequest);
    });
  });

  test('SP INV-16: the words of a request change neither the next phase, the next step nor the result', () => {
    const wordless = (run: PureRun) => {
      const { requests_shown, user_lang, ...rest } = stateOf(run);
      return { ...rest, words: requests_shown.length };
    };
    const plain = answerPure(atApproval(), 'modify', { text: 'Shorter.' });
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 400, unit: 'grapheme' }), (text) => {
        const run = answerPure(atApproval(), 'modify', { text });
        expect(wordless(run)).toEqual(wordless(plain));
        expect(entries(run, 'request')).toEqual([{ text }]);
        const written = workPure(passPure(run), specDoc());
        expect(stateOf(written).phase).toBe('spec_ready');
        const approved = answerPure(written, 'approve');
        expect(approved.step).toMatchObject({ op: { input: { docs_path: stateOf(plain).docs_path } } });
      }),
      { numRuns: 100 },
    );
  });

  test('a run is completed only by an approval of exactly the stored spec', () => {
    always((_run, states) => {
      for (const { phase, approved, spec } of states) {
        if (phase === 'completed') expect(approved?.spec).toBe(spec?.hash);
        if (approved) expect(['spec_ready', 'completed']).toContain(phase);
      }
    });
  });

  test('no step claims a subject before its setup commits, and none claims twice', () => {
    always((run, states) => {
      const claims = run.records.filter(({ kind }) => kind === 'claim');
      const begun = states.some(({ phase }) => phase !== 'setup');
      expect(claims).toHaveLength(begun ? 1 : 0);
    });
  });
});

describe('walk over the whole graph', () => {
  const keyOf = (run: PureRun): string => {
    const s = stateOf(run);
    return JSON.stringify([
      s.phase,
      s.setup?.stage ?? null,
      Boolean(s.setup?.routing),
      Boolean(s.setup?.other),
      s.convention_stage?.at ?? null,
      s.round !== null,
      s.qa_round,
      typeof s.conventions,
      Math.min(2, s.requests),
      s.approved !== null,
      s.halted?.why.msg ?? null,
      s.ended?.result ?? null,
      s.unattended,
      s.overwrite,
    ]);
  };

  /** Every kind of state that can be reached, with what follows each. The harness checks each move on the way. */
  function walk() {
    const seen = new Map<string, { run: PureRun; to: Set<string> }>();
    const queue = BEGINNINGS.map((start) => start());
    for (let run = queue.shift(); run; run = queue.shift()) {
      const key = keyOf(run);
      if (seen.has(key)) continue;
      const to = new Set<string>();
      seen.set(key, { run, to });
      for (const happening of happenings(run)) {
        const after = happen(run, happening);
        if (happening.name !== 'abandon') to.add(keyOf(after));
        queue.push(after);
      }
    }
    return seen;
  }
  const seen = walk();

  test('every phase of quick mode is reached, and every state has a next step', () => {
    const phases = new Set([...seen.values()].map(({ run }) => run.state.phase));
    expect([...phases].sort()).toEqual([...FROM_QA, 'convention_scan_active', 'setup'].sort());
    for (const { run } of seen.values()) expect(run.step.kind).toBeTypeOf('string');
    expect(seen.size).toBeGreaterThan(60);
  });

  test('every state that has not ended can be left by a person', () => {
    for (const [key, { run }] of seen) {
      if (run.step.kind === 'end') continue;
      const left = happenings(run).filter(({ name }) => name === 'abandon');
      expect(left, key).toHaveLength(1);
      for (const way of left) expect(happen(run, way).step.kind).toBe('end');
      if (run.step.kind !== 'gate') continue;
      expect(happenings(run).some((one) => 'outcome' in one)).toBe(true);
    }
  });

  test('every state reaches an end also when nobody gives up', () => {
    const ending = new Set([...seen].filter(([, { run }]) => run.step.kind === 'end').map(([key]) => key));
    for (let grown = true; grown; ) {
      grown = false;
      for (const [key, { to }] of seen) {
        if (ending.has(key) || ![...to].some((next) => ending.has(next))) continue;
        ending.add(key);
        grown = true;
      }
    }
    expect([...seen.keys()].filter((key) => !ending.has(key))).toEqual([]);
  });

  test('the state stays small, whatever happened', () => {
    for (const { run } of seen.values()) expect(JSON.stringify(run.state).length).toBeLessThan(8_000);
  });
});
