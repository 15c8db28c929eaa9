import { describe, expect, test } from 'vitest';
import type { Outcome, Signal } from '../../src/contract/outcome.ts';
import type { Step } from '../../src/contract/step.ts';
import { RULES, type Rule } from './rule-break.ts';
import { search } from './search.ts';
import { ASK, DRAFT, moved, type Tiny, type TinyMove, type TinyState, tiny, tinyWorld } from './tiny.ts';
import type { World } from './world.ts';
import { WORLDS } from './worlds.ts';

/** What the search says of a tiny workflow that is broken in one place. */
function told(def: Partial<Tiny>, changes: Partial<World<TinyState>> = {}): string[] {
  const { violations } = search(tinyWorld(def, changes), { limit: 500 });
  return violations.map(({ rule, what }) => `${rule}: ${what}`);
}

/** The tiny workflow with another answer where `when` holds. */
const settling = (
  when: (state: TinyState, outcome: Outcome) => boolean,
  give: (state: TinyState) => TinyMove,
) => ({
  settle: (state: TinyState, step: Step, outcome: Outcome) =>
    when(state, outcome) ? give(state) : tiny.settle(state, step, outcome),
});
const asking = (when: (state: TinyState) => boolean, step: Step) => ({
  next: (state: TinyState) => (when(state) ? step : tiny.next(state)),
});
const receiving = (
  when: (state: TinyState, signal: Signal) => boolean,
  give: (state: TinyState) => TinyMove,
) => ({
  receive: (state: TinyState, signal: Signal) =>
    when(state, signal) ? give(state) : tiny.receive(state, signal),
});
const isNudge = (_: TinyState, signal: Signal) => signal.type === 'message';
const failed = (_: TinyState, { kind }: Outcome) => kind === 'failed';
const worked = (_: TinyState, { kind }: Outcome) => kind === 'worked';
const phases = {
  ...tiny.phases,
  drafting: { ...tiny.phases.drafting, to: ['asking', 'sending'] },
} as Tiny['phases'];
const gateOf = (changes: Partial<Tiny['gates'][string]>) =>
  ({ send: { ...tiny.gates.send, ...changes } }) as Tiny['gates'];

let answers = 0;

/** One broken workflow per row; each is caught by its rule, and the whole one by none. */
const BROKEN: readonly (readonly [Rule, string, string, () => string[]])[] = [
  [
    'person_first',
    'a worker whose draft is sent at once',
    "sending without an answer at the gate 'send'",
    () => told({ phases, ...settling(worked, (state) => moved(state, { phase: 'sending' })) }),
  ],
  [
    'person_first',
    'a drive that answers for the person what only a person may',
    "sending without an answer at the gate 'send'",
    () =>
      told(
        {
          gates: gateOf({ class: 'forward', options: { accept: tiny.gates.send?.options.send as never } }),
          delegate: () => ({ kind: 'accept' }),
          ...settling(
            (_, { kind }) => kind === 'answered',
            (state) => moved(state, { phase: 'sending' }),
          ),
        },
        { drives: [{ mode: { kind: 'unattended' }, trust: 'autonomous' }] },
      ),
  ],
  [
    'next_step',
    'a gate without an option',
    "the gate 'send' offers nothing",
    () =>
      told(asking(({ phase }) => phase === 'asking', { ...ASK, gate: { ...ASK.gate, offers: [] } } as Step)),
  ],
  [
    'next_step',
    'a call of nobody',
    "there is no role 'ghost'",
    () =>
      told(
        asking(({ phase }) => phase === 'drafting', {
          ...DRAFT,
          calls: [{ role: 'ghost', slots: {}, tier: 'inherit' }],
        } as Step),
      ),
  ],
  [
    'next_step',
    'a slot the role does not have',
    "the role 'helper' has no slot 'secret'",
    () =>
      told(
        asking(({ phase }) => phase === 'drafting', {
          ...DRAFT,
          calls: [{ role: 'helper', slots: { secret: { text: 'x' } }, tier: 'inherit' }],
        } as Step),
      ),
  ],
  [
    'next_step',
    'an option that is offered and refused',
    "answer send send at 'gate send' is refused: no_such_option",
    () =>
      told(
        settling(
          (_, outcome) => outcome.kind === 'answered' && outcome.answer.option === 'send',
          () => ({ rejection: 'no_such_option', message: { msg: 'x' } }),
        ),
      ),
  ],
  [
    'next_step',
    'a wait for a command that is refused',
    "command resume at 'wait command' is refused: wrong_moment",
    () => told({ receive: (state, signal) => tiny.receive({ ...state, halted: false }, signal) }),
  ],
  [
    'next_step',
    'a write the world does not know',
    "nothing can come of 'workspace send'",
    () => told({}, { writes: {} }),
  ],
  [
    'stable',
    'a next that changes its mind',
    "next answers 'gate send' once only",
    () =>
      told({
        next: (state) => {
          answers += 1;
          const shown = state.phase === 'asking' && !state.ended && answers % 2 === 0;
          return shown ? ({ ...ASK, gate: { ...ASK.gate, artefacts: {} } } as Step) : tiny.next(state);
        },
      }),
  ],
  [
    'stable',
    'a message that moves a run away from a worker',
    "message at 'work helper' leads to 'gate send' beside it",
    () =>
      told(
        receiving(
          (state, signal) => isNudge(state, signal) && state.phase === 'drafting',
          (state) => moved(state, { phase: 'asking' }),
        ),
      ),
  ],
  [
    'bounded',
    'a failed write that is tried for ever',
    'goes round without a person: sending: workspace send',
    () => told(settling(failed, (state) => moved(state, {}))),
  ],
  [
    'bounded',
    'two states that follow each other for ever',
    'goes round without a person: drafting: work helper -> drafting: work helper',
    () => {
      const { send, drop } = (tiny.gates.send as Tiny['gates'][string]).options;
      const flip = (state: TinyState) => moved(state, { drafts: 1 - state.drafts });
      const isBad = (_: TinyState, outcome: Outcome) =>
        outcome.kind === 'worked' && outcome.calls[0]?.kind === 'parse_failed';
      return told(
        { gates: gateOf({ options: { send, drop } as never }), ...settling(isBad, flip) },
        { seen: {} },
      );
    },
  ],
  [
    'bounded',
    'a way longer than its cap',
    '1 steps without a person, more than 0',
    () => told({}, { turns: 0 }),
  ],
  [
    'bounded',
    'a count above its cap',
    'drafts: more than 1',
    () =>
      told(
        {},
        {
          tallies: [
            {
              what: 'drafts',
              cap: 1,
              counts: (_, { opened }) => opened.some(({ role }) => role === 'helper'),
            },
          ],
        },
      ),
  ],
  [
    'way_out',
    'a gate that can only be held',
    "nobody can leave 'asking: gate send'",
    () =>
      told({
        gates: gateOf({ options: { stop: tiny.gates.send?.options.stop as never } }),
        receive: () => ({ rejection: 'wrong_moment', message: { msg: 'x' } }),
      }),
  ],
  [
    'way_out',
    'a run that can only be given up',
    "'drafting: work helper' can only be given up",
    () =>
      told(
        settling(
          (_, { kind }) => kind !== 'worked',
          (state) => moved(state, { halted: true }),
        ),
      ),
  ],
  [
    'legal',
    'a phase that is jumped over',
    "helper: a draft at 'work helper' throws: InvariantError: tiny: drafting -> sending is not in the phase table",
    () => told(settling(worked, (state) => moved(state, { phase: 'sending' }))),
  ],
  [
    'legal',
    'a state that does not fit its schema',
    'the state does not fit: drafts Too big: expected number to be <=3',
    () => told({}, { seen: {} }),
  ],
  [
    'total',
    'an outcome nobody thought of',
    "send failed at 'workspace send' throws: Error: what now?",
    () =>
      told(
        settling(failed, () => {
          throw new Error('what now?');
        }),
      ),
  ],
  [
    'total',
    'an outcome that is refused',
    "send failed at 'workspace send' throws: InvariantError: ti-1: settle refused an outcome: wrong_moment",
    () => told(settling(failed, () => ({ rejection: 'wrong_moment', message: { msg: 'x' } }))),
  ],
  [
    'total',
    'a signal that throws',
    "message at 'work helper' throws: Error: who?",
    () =>
      told(
        receiving(isNudge, () => {
          throw new Error('who?');
        }),
      ),
  ],
  [
    'over',
    'a write that brings a run back which was given up beside it',
    "send: sent at 'workspace send' makes 'end sent' of 'end abandoned'",
    () =>
      told(
        settling(
          (_, { kind }) => kind === 'written',
          (state) => moved(state, { phase: 'over', ended: 'sent' }),
        ),
      ),
  ],
  [
    'faithful',
    'a key that forgets what decides',
    "two states with the key of 'drafting: work helper' go different ways",
    () =>
      told(
        settling(
          ({ drafts }, { kind }) => kind === 'worked' && drafts > 0,
          (state) => moved(state, { ended: 'dropped' }),
        ),
      ),
  ],
  [
    'met',
    'a role nobody calls',
    'role ghost is never met',
    () => told({ roles: { ...tiny.roles, ghost: tiny.roles.helper as never } }),
  ],
  [
    'whole',
    'a search that is cut short',
    'more than 3 states',
    () => search(tinyWorld(), { limit: 3 }).violations.map(({ rule, what }) => `${rule}: ${what}`),
  ],
];

describe('the search can fail', () => {
  test('a whole workflow breaks no rule', () => {
    const { states, violations } = search(tinyWorld());
    expect(violations).toEqual([]);
    expect(states).toBeGreaterThan(8);
  });

  test.each(BROKEN)('%s: %s', (rule, _, what, broken) => {
    const found = broken();
    expect(found.filter((one) => one.startsWith(`${rule}: ${what}`))).not.toEqual([]);
  });

  test('every rule is seen broken', () => {
    expect([...new Set(BROKEN.map(([rule]) => rule))].sort()).toEqual(Object.keys(RULES).sort());
  });

  test('a violation is told with the shortest way to it', () => {
    const { violations } = search(
      tinyWorld(settling(failed, () => ({ rejection: 'wrong_moment', message: { msg: 'x' } }))),
    );
    expect(violations[0]?.path).toEqual([
      'start tiny -> drafting: work helper',
      'helper: a draft -> asking: gate send',
      'answer send send -> sending: workspace send',
      'send failed',
    ]);
  });
});

describe('the workflows keep the rules', () => {
  test.each(['spec', 'approve'])('%s in every state it can reach', (name) => {
    const { states, violations } = search(WORLDS[name] as World);
    expect(violations).toEqual([]);
    expect(states).toBeGreaterThan(name === 'spec' ? 2_000 : 5);
  });
});
