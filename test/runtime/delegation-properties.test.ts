import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TRUST_LEVELS, type TrustLevel } from '../../src/contract/ticket.ts';
import { fold } from '../../src/engine/fold.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import { coreOf } from '../../src/engine/write-change.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import type { DriveHandle } from '../../src/runtime/views.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { asProcess, flag, MINUTE, setting, stations, told, within } from '../support/handed-over.ts';
import type { Lab } from '../support/lab.ts';

const labs = labsOfTest();

const MODES = ['controlled', 'partial:decompose', 'unattended', 'escalate'] as const;
const actions = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant({ do: 'advance' } as const) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('answer' as const),
        with: fc.constantFrom('accept', 'reshape'),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('open' as const),
        mode: fc.constantFrom(null, ...MODES),
        one_shot: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('trust' as const), to: fc.constantFrom(...TRUST_LEVELS) }),
    },
    { weight: 2, arbitrary: fc.constant({ do: 'die' } as const) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('rival' as const), mode: fc.constantFrom(...MODES) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 9, 11) }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { do: 'stop' } as const,
        { do: 'resume' } as const,
        { do: 'park' } as const,
        { do: 'conduct' } as const,
      ),
    },
  ),
  { maxLength: 30 },
);
type Action =
  typeof actions extends fc.Arbitrary<infer A> ? (A extends readonly (infer One)[] ? One : never) : never;

/** A run in the hands of processes that come and go, with all that was asked of them. */
interface Play {
  readonly set: ReturnType<typeof setting>;
  lab: Lab;
  handle: DriveHandle | null;
  pid: number;
  readonly dead: Set<number>;
  readonly run: string;
  /** Delegating modes that were asked for, by the drive they led to. */
  readonly asked: Map<string, string>;
  /** Those of them that the trust level did not allow. */
  readonly denied: Set<string>;
  rivals: number;
  /** The trust level at each answer a drive gave. */
  readonly trusts: TrustLevel[];
}

async function begin(): Promise<Play> {
  const set = setting();
  const dead = new Set<number>();
  const trusts: TrustLevel[] = [];
  const lab = await labs.open({ wrap: within(set, noting(set, trusts, asProcess(1, dead))) });
  const way = stations('a', 'b migration', 'form', 'c', 'd', 'hard');
  const made = await lab.start('way', { stations: way });
  await made.close();
  return {
    set,
    lab,
    handle: null,
    pid: 1,
    dead,
    run: made.run,
    asked: new Map(),
    denied: new Set(),
    rivals: 0,
    trusts,
  };
}

function noting(set: Play['set'], trusts: TrustLevel[], more: (deps: Deps) => Deps) {
  return (deps: Deps): Deps => ({
    ...more(deps),
    store: {
      ...deps.store,
      commit: (changes) => {
        if (changes.some(({ answer }) => answer && 'agent' in answer.by)) trusts.push(set.trust);
        return deps.store.commit(changes);
      },
    },
  });
}

const COMMANDS: Readonly<Record<string, (play: Play) => Promise<unknown>>> = {
  stop: ({ lab, run }) => lab.api.stop({ run }),
  resume: ({ lab, run }) => lab.api.command({ run, command: 'resume' }),
  park: ({ lab, run }) => lab.api.command({ run, command: 'park' }),
  conduct: ({ lab, run }) => lab.api.command({ run, command: 'conduct' }),
  advance: async ({ handle }) => handle?.advance(),
};

async function act(play: Play, action: Action): Promise<void> {
  switch (action.do) {
    case 'open':
      return openIt(play, action.mode, action.one_shot);
    case 'answer':
      return answerIt(play, action.with);
    case 'rival':
      return rivalTries(play, action.mode);
    case 'trust':
      play.set.trust = action.to;
      return;
    case 'wait':
      play.set.now += action.minutes * MINUTE;
      return;
    case 'die':
      play.dead.add(play.pid);
      play.pid++;
      play.handle = null;
      play.lab = await labs.dying(
        play.lab,
        within(play.set, noting(play.set, play.trusts, asProcess(play.pid, play.dead))),
      );
      return;
    default:
      await COMMANDS[action.do]?.(play);
  }
}

async function openIt(play: Play, mode: string | null, one_shot: boolean): Promise<void> {
  const { lab, run } = play;
  const opened = await lab.api.open({
    run,
    attended: false,
    invocation: mode === null ? undefined : flag(mode, one_shot).invocation,
  });
  if (isRejection(opened)) return;
  play.handle = opened;
  const drive = await lab.deps.store.drive(run);
  if (mode === null || mode === 'controlled' || !drive) return;
  play.asked.set(drive.id, mode);
  // Dropped is what is not driven as it was asked for, whatever the row says of why.
  if (drive.mode !== mode) play.denied.add(drive.id);
}

/** Another process that lives wants to work the run too. */
async function rivalTries(play: Play, mode: string): Promise<void> {
  const { set, trusts, dead, lab, run, handle } = play;
  play.rivals++;
  const rival = await labs.dying(lab, within(set, noting(set, trusts, asProcess(1000 + play.rivals, dead))));
  const held = (await lab.row(run)).holder;
  const opened = await rival.api.open({ run, attended: false, invocation: flag(mode).invocation });
  if (isRejection(opened)) return;
  // It got the run: nobody alive may have had it.
  expect([held === null || dead.has(held.pid), handle !== null && held !== null]).toEqual([true, false]);
  await opened.close();
  const drive = await lab.deps.store.drive(run);
  if (mode === 'controlled' || !drive) return;
  play.asked.set(drive.id, mode);
  if (drive.mode !== mode) play.denied.add(drive.id);
}

async function answerIt({ lab, run }: Play, option: string): Promise<void> {
  const [gate] = await lab.deps.store.openGates(run);
  if (!gate) return;
  const text = option === 'reshape' ? 'reshaped' : null;
  const typed = gate.class === 'hard' ? 'way' : null;
  await lab.api.answer({ gate: gate.id, answer: { option, text, typed, fields: {}, digest: gate.digest } });
}

test('CON INV-05 CON INV-06 CON INV-08 CON INV-10 in any order of events nothing is accepted without a flag, nor under a cautious trust level, and one alone drives', async () => {
  await fc.assert(
    fc.asyncProperty(actions, async (sequence) => {
      const play = await begin();
      for (const action of sequence) await act(play, action);
      const { lab, run, asked } = play;
      const answers = (await lab.deps.store.answers(run)).filter(({ by }) => 'agent' in by);
      for (const { by, option, gate } of answers) {
        if (!('agent' in by)) continue;
        expect(by.agent).toBe(asked.get(by.drive));
        expect(option).toBe('accept');
        expect((await lab.deps.store.gate(gate))?.class).toBe('forward');
      }
      expect(await told(lab, run, 'auto_accepted')).toHaveLength(answers.length);
      expect(play.trusts).not.toContain('cautious');
      const overrides = await told(lab, run, 'dial_override');
      const overridden = overrides.map(({ drive }) => drive);
      expect(new Set(overridden).size).toBe(overridden.length);
      expect(overridden).toEqual(expect.arrayContaining([...play.denied]));
      expect((await lab.deps.store.openGates(run)).length).toBeLessThanOrEqual(1);
      const pauses = (await told(lab, run, 'gate_paused')).map(
        ({ gate, digest, drive }) => `${gate} ${digest} ${drive}`,
      );
      expect(new Set(pauses).size).toBe(pauses.length);
      expect(fold(await lab.deps.store.events(run, 0, 10_000))).toEqual(coreOf(await lab.row(run)));
    }),
    { numRuns: 40 },
  );
}, 120_000);
