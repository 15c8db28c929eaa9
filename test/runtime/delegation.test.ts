import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../src/engine/errors.ts';
import { fold } from '../../src/engine/fold.ts';
import { coreOf } from '../../src/engine/write-change.ts';
import { apply } from '../../src/runtime/apply.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { callerOf } from '../support/caller.ts';
import { accepted, flag, reopened, setting, stations, told, within } from '../support/handed-over.ts';
import { gateOf, type Lab } from '../support/lab.ts';

const labs = labsOfTest();
const open = (set = setting(), more?: (deps: Deps) => Deps): Promise<Lab> =>
  labs.open({ wrap: within(set, more) });

describe('a drive that may accept for the person', () => {
  test('CON-55 each gate it accepts has one event with gate and mode, and the loop goes on without a pause', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('a', 'b', 'hard') }, flag('unattended'));
    const rest = await drive.advance();
    expect(rest).toMatchObject({
      status: 'waiting',
      mode: 'unattended',
      gate: { name: 'hard' },
      pause: { cause: 'hard-floor', classes: [], signals: [] },
    });
    const audit = await told(lab, drive.run, 'auto_accepted');
    expect(audit).toMatchObject([
      { gate: `${drive.run}.g1`, name: 'forward', mode: 'unattended' },
      { gate: `${drive.run}.g2`, name: 'forward', mode: 'unattended' },
    ]);
    expect(lab.progress.filter(({ type }) => type === 'auto_accepted')).toHaveLength(2);
    expect(await accepted(lab, drive.run)).toEqual(['a', 'b']);
    const answers = await lab.deps.store.answers(drive.run);
    const { id } = (await lab.deps.store.drive(drive.run)) ?? {};
    expect(answers.map(({ option, by }) => [option, by])).toEqual([
      ['accept', { agent: 'unattended', drive: id }],
      ['accept', { agent: 'unattended', drive: id }],
    ]);
    expect(await told(lab, drive.run, 'gate_answered')).toHaveLength(2);
    await lab.answer(gateOf(rest), 'accept', { typed: 'way' });
    expect((await drive.advance()).outcome).toBe('done');
  });

  test('leaves the same rows and records as a person who accepts every gate (CON-53)', async () => {
    const input = { stations: stations('a', 'b', 'c') };
    const handed = await open();
    const unattended = await handed.start('way', input, flag('unattended'));
    await unattended.advance();
    const led = await open();
    const controlled = await led.start('way', input);
    for (;;) {
      const rest = await controlled.advance();
      if (!rest.gate) break;
      await led.answer(rest.gate, 'accept');
    }
    const rowOf = async (lab: Lab, run: string) => (await lab.row(run)).state;
    expect(await rowOf(handed, unattended.run)).toEqual(await rowOf(led, controlled.run));
    expect(await accepted(handed, unattended.run)).toEqual(await accepted(led, controlled.run));
    const phases = async (lab: Lab, run: string) =>
      (await lab.deps.store.events(run, 0, 100)).flatMap(({ patch }) =>
        'pos' in patch.set ? [patch.set.pos] : [],
      );
    expect(await phases(handed, unattended.run)).toEqual(await phases(led, controlled.run));
  });

  test.each([
    ['partial:decompose', ['a'], 'pause-at', []],
    ['partial:design', ['a', 'b'], 'pause-at', []],
    ['partial:release', ['a', 'b', 'c'], 'hard-floor', []],
    ['unattended', ['a', 'b', 'c'], 'hard-floor', []],
    ['controlled', [], 'controlled', []],
  ])('in mode %s it accepts %j and pauses with cause %s', async (mode, gates, cause, classes) => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('a', 'b', 'c', 'hard') }, flag(mode));
    expect((await drive.advance()).pause).toMatchObject({ cause, classes });
    expect(await accepted(lab, drive.run)).toEqual(gates);
  });

  test('only the gate that is floored pauses: once a person answered it, the next is delegated again', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('a', 'a migration', 'c') }, flag('unattended'));
    const rest = await drive.advance();
    expect(rest.pause).toMatchObject({ cause: 'risk-floor', classes: ['data-migration'] });
    await lab.answer(gateOf(rest), 'accept');
    expect((await drive.advance()).outcome).toBe('done');
    expect((await told(lab, drive.run, 'gate_paused')).map(({ cause }) => cause)).toEqual(['risk-floor']);
  });

  test('a judged gate goes through the judge once, then is accepted or paused with the signals', async () => {
    const lab = await open();
    const input = { stations: [{ text: 'routine' }, { text: 'worth it', worth: true }] };
    const drive = await lab.start('way', input, flag('escalate'));
    const rest = await drive.advance();
    expect(rest.pause).toMatchObject({ cause: 'escalate', signals: ['novel'] });
    expect(await accepted(lab, drive.run)).toEqual(['routine']);
    const judged = (await told(lab, drive.run, 'signal_received')) as unknown as {
      signal: { type: string };
    }[];
    expect(judged.map(({ signal }) => signal.type)).toEqual(['judge', 'judge']);
    expect((await drive.advance()).pause?.cause).toBe('escalate');
    expect(await told(lab, drive.run, 'signal_received')).toHaveLength(2);
  });

  test('never answers a gate of another class, even where the workflow says so', async () => {
    const lab = await open();
    const drive = await lab.start(
      'way',
      { stations: stations('review', 'form', 'hard') },
      flag('unattended'),
    );
    const causes: (string | undefined)[] = [];
    for (;;) {
      const rest = await drive.advance();
      if (!rest.gate) break;
      causes.push(rest.pause?.cause);
      await lab.answer(rest.gate, 'accept', rest.gate.class === 'hard' ? { typed: 'way' } : {});
    }
    expect(causes).toEqual(['review', 'question', 'hard-floor']);
    expect(await told(lab, drive.run, 'auto_accepted')).toEqual([]);
  });

  test('an accept the workflow refuses is left to a person, and the run is not halted', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('refused') }, flag('unattended'));
    expect(await drive.advance()).toMatchObject({
      status: 'waiting',
      halt: null,
      pause: { cause: 'trouble' },
    });
    expect(await told(lab, drive.run, 'gate_answered', 'auto_accepted')).toEqual([]);
  });

  test.each([
    ['a policy that throws', { stations: stations('a'), broken: true }, 'unattended'],
    ['a judge that leaves the gate open', { stations: stations('unjudged') }, 'escalate'],
  ])('%s halts the run as our own bug, once', async (_name, input, mode) => {
    const lab = await open();
    const drive = await lab.start('way', input, flag(mode));
    expect(await drive.advance()).toMatchObject({ status: 'halted', halt: { kind: 'invariant' } });
    expect(await told(lab, drive.run, 'run_halted')).toHaveLength(1);
  });

  test('INV-05 a policy that accepts everything accepts nothing in a controlled drive', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('careless') });
    expect((await drive.advance()).pause?.cause).toBe('controlled');
    expect(await told(lab, drive.run, 'auto_accepted')).toEqual([]);
  });

  test.each([
    ['a', 'a migration', 'risk-floor'],
    ['a migration', 'a', undefined],
  ])('decides on the row it commits against: %s that becomes %s in between', async (text, becomes, cause) => {
    let meanwhile = async (): Promise<unknown> => null;
    const lab = await open(setting(), (deps) => ({
      ...deps,
      store: {
        ...deps.store,
        commit: async (changes) => {
          const decides = changes[0]?.answer || changes[0]?.events[0]?.type === 'gate_paused';
          if (decides) {
            const change = meanwhile;
            meanwhile = async () => null;
            await change();
          }
          return deps.store.commit(changes);
        },
      },
    }));
    const drive = await lab.start('way', { stations: stations(text) }, flag('unattended'));
    meanwhile = () => lab.api.command({ run: drive.run, command: 'retell', args: { text: becomes } });
    expect((await drive.advance()).pause?.cause).toBe(cause);
    expect(await accepted(lab, drive.run)).toEqual(cause === undefined ? [becomes] : []);
    expect(await told(lab, drive.run, 'gate_paused')).toHaveLength(cause === undefined ? 0 : 1);
  });

  test('INV-08 folding the log of a delegated run gives its row', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('a', 'a migration', 'b') }, flag('escalate'));
    await lab.answer(gateOf(await drive.advance()), 'reshape', { text: 'no more' });
    await drive.advance();
    const row = await lab.row(drive.run);
    expect(fold(await lab.deps.store.events(drive.run, 0, 1000))).toEqual(coreOf(row));
    expect((await lab.api.doctor(true)).problems).toEqual([]);
  });
});

describe('an answer by an agent', () => {
  const AGENT = { agent: 'unattended', drive: 'dr-1' };

  test('is no answer of a surface', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('a') });
    const { id, digest } = gateOf(await drive.advance());
    const input = { option: 'accept', text: null, fields: {}, typed: null, digest };
    await expect(lab.api.as(callerOf(AGENT as never)).answer({ gate: id, answer: input })).rejects.toThrow(
      InvariantError,
    );
    expect(await lab.deps.store.answers(drive.run)).toEqual([]);
  });

  test.each([
    ['hard', 'accept'],
    ['review', 'accept'],
    ['form', 'accept'],
    ['a', 'deny'],
    ['a', 'reshape'],
  ])('is refused by the engine at the gate %s with %s', async (station, option) => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations(station) });
    const { id: gate, iteration, digest } = gateOf(await drive.advance());
    const said = { option, text: null, fields: {}, digest, by: AGENT, at: lab.deps.clock.now() };
    const answer = { receipt: 'an-1', gate, run: drive.run, iteration, ...said };
    const answering = apply(lab.deps, drive.run, { input: () => ({ kind: 'answer', answer }) });
    await expect(answering).rejects.toThrow(InvariantError);
    expect((await lab.deps.store.gate(gate))?.status).toBe('open');
  });
});

describe('a pause', () => {
  test('is on record once per digest and drive, however often one looks and whoever takes the run over', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('a migration') }, flag('unattended'));
    const rest = await drive.advance();
    const before = await lab.row(drive.run);
    expect(before.holder).toBeNull();
    expect(await drive.advance()).toEqual(rest);
    await drive.close();
    const heir = await lab.other(within(setting()));
    try {
      expect(await (await reopened(heir, drive.run)).advance()).toMatchObject({ pause: rest.pause });
    } finally {
      await heir.close();
    }
    expect(await told(lab, drive.run, 'gate_paused')).toEqual([
      {
        type: 'gate_paused',
        gate: `${drive.run}.g1`,
        name: 'forward',
        digest: rest.gate?.digest,
        cause: 'risk-floor',
        classes: ['data-migration'],
        signals: [],
        mode: 'unattended',
        drive: (await lab.deps.store.drive(drive.run))?.id,
      },
    ]);
    expect((await lab.row(drive.run)).revision).toBe(before.revision);
    expect(lab.progress.filter(({ type }) => type === 'paused')).toHaveLength(1);
  });

  test('of a brief that was changed is on record again, under its new digest', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('a migration') }, flag('unattended'));
    await drive.advance();
    await lab.api.command({ run: drive.run, command: 'retell', args: { text: 'another migration' } });
    expect((await drive.advance()).gate?.iteration).toBe(2);
    const paused = await told(lab, drive.run, 'gate_paused');
    expect(new Set(paused.map(({ digest }) => digest)).size).toBe(2);
  });

  test('is found in a log that has grown long since', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('a migration') }, flag('unattended'));
    await drive.advance();
    for (let n = 0; n < 120; n++) {
      const tried = { call_id: `m${n}`, command: 'answer', target: drive.run };
      const input = { kind: 'worker_refused', tried } as const;
      await apply(lab.deps, drive.run, { input: () => input });
    }
    await drive.advance();
    expect(await told(lab, drive.run, 'gate_paused')).toHaveLength(1);
  });

  test('CON-60 a controlled gate left alone for a week makes no transition', async () => {
    const set = setting();
    const lab = await open(set);
    const drive = await lab.start('way', { stations: stations('a') });
    const rest = await drive.advance();
    expect(rest.pause).toEqual({ cause: 'controlled', classes: [], signals: [], until: null });
    const before = await lab.row(drive.run);
    for (let day = 0; day < 7; day++) {
      set.now += 24 * 60 * 60_000;
      await drive.advance();
    }
    expect(await lab.row(drive.run)).toEqual(before);
  });

  test('of a workflow whose gates are never delegated leaves no trace', async () => {
    const lab = await open();
    const drive = await lab.start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    expect(await drive.advance()).toMatchObject({ pause: null, mode: null });
    const types = (await lab.deps.store.events(drive.run, 0, 10)).map(({ type }) => type);
    expect(types).toEqual(['run_created', 'gate_opened']);
  });

  test.each(['unattended', 'sometimes', 'partial:desing', 'partial:', ''])(
    'the mode "%s" is refused where gates are never delegated, and nothing is created',
    async (mode) => {
      const lab = await open();
      const refused = await lab.refused('probe', { script: [] }, flag(mode));
      expect(refused).toMatchObject({ rejection: 'bad_input', message: { args: { limit: 'controlled' } } });
      expect(await lab.api.list(true)).toEqual([]);
    },
  );

  test.each(['sometimes', 'partial:desing', 'partial', 'unattended:now', ''])(
    'the unknown mode "%s" is refused and changes nothing',
    async (mode) => {
      const lab = await open();
      expect(await lab.refused('way', { stations: stations('a') }, flag(mode))).toMatchObject({
        rejection: 'bad_input',
      });
      const drive = await lab.start('way', { stations: stations('a') });
      await drive.close();
      const before = await lab.deps.store.drive(drive.run);
      expect(
        await lab.api.open({ run: drive.run, attended: false, invocation: { mode, one_shot: false } }),
      ).toMatchObject({
        rejection: 'bad_input',
      });
      expect(await lab.deps.store.drive(drive.run)).toEqual(before);
    },
  );
});
