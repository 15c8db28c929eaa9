import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fold } from '../../src/engine/fold.ts';
import { coreOf } from '../../src/engine/write-change.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { callerOf } from '../support/caller.ts';
import { gateOf, until } from '../support/lab.ts';

const labs = labsOfTest();
const lab = labs.open;

const SAYS = `
script: 1
language: en
roles:
  alpha: [{ result: { say: a } }]
  beta: [{ result: { say: b } }]
  gamma: [{ hang: true }]
`;

describe('the loop', () => {
  test('a run works, waits at its gate, takes an answer and ends, one commit per transition', async () => {
    let commits = 0;
    const { start, answer, row } = await lab({
      script: SAYS,
      wrap: (deps) => ({
        ...deps,
        store: {
          ...deps.store,
          commit: (changes) => {
            commits++;
            return deps.store.commit(changes);
          },
        },
      }),
    });
    const drive = await start('probe', {
      script: [
        { do: 'work', roles: ['alpha'] },
        { do: 'gate', name: 'ask' },
        { do: 'work', roles: ['beta'] },
      ],
    });
    const rest = await drive.advance();
    expect(rest.status).toBe('waiting');
    await answer(gateOf(rest), 'go');
    expect((await drive.advance()).outcome).toBe('done');
    expect((await row(drive.run)).state.last).toEqual(['ok']);
    expect(commits).toBe(4);
  });

  test('folding the log gives the row, and every prefix is a valid run', async () => {
    const { start, answer, deps } = await lab({ script: SAYS });
    const drive = await start('probe', {
      script: [
        { do: 'work', roles: ['alpha', 'beta'] },
        { do: 'gate', name: 'ask' },
      ],
    });
    await answer(gateOf(await drive.advance()), 'change', { text: 'more' });
    await drive.advance();
    const row = await deps.store.load(drive.run);
    const events = await deps.store.events(drive.run, 0, 100);
    expect(fold(events)).toEqual(row && coreOf(row));
    for (let length = 1; length <= events.length; length++) {
      const prefix = fold(events.slice(0, length));
      expect(['working', 'waiting', 'ended']).toContain(prefix.status);
      expect(prefix.phase).toBe(prefix.state.phase);
    }
  });

  test('calls of a parallel step settle once, in declared order, whatever order they end in', async () => {
    const script = `
script: 1
language: en
roles:
  alpha: [{ delay: 300ms, result: { say: a } }]
  beta: [{ garbage: nothing, attempts: [{ garbage: no }, { garbage: never }] }]
`;
    const { start, row } = await lab({ script });
    const drive = await start('probe', { script: [{ do: 'work', roles: ['alpha', 'beta'] }] });
    await drive.advance();
    expect((await row(drive.run)).state.last).toEqual(['ok', 'parse_failed']);
  });

  test('a broken invariant halts that run with its stack and leaves the others alone', async () => {
    const { start, row, api } = await lab();
    const bad = await start('probe', { script: [{ do: 'illegal' }] });
    const good = await start('probe', { script: [{ do: 'query', path: 'x' }] });
    const rest = await bad.advance();
    expect(rest.status).toBe('halted');
    expect((await row(bad.run)).halt?.kind).toBe('invariant');
    expect((await good.advance()).outcome).toBe('done');
    expect((await api.doctor(true)).problems).toEqual([]);
  });
});

describe('signals', () => {
  test('running work goes on and settles against the state a signal changed', async () => {
    const script = 'script: 1\nlanguage: en\nroles:\n  alpha: [{ delay: 300ms, result: { say: a } }]\n';
    const { start, api, row } = await lab({ script });
    const drive = await start('probe', {
      script: [
        { do: 'work', roles: ['alpha'] },
        { do: 'gate', name: 'ask' },
      ],
    });
    const resting = drive.advance();
    await api.command({ run: drive.run, command: 'nudge' });
    await resting;
    expect((await row(drive.run)).state).toMatchObject({ nudges: 1, pos: 1 });
  });

  test('a move that interrupts ends the worker and its processes and goes on', async () => {
    const { start, api, row, deps, progress } = await lab({ script: SAYS });
    const drive = await start('probe', {
      script: [
        { do: 'work', roles: ['gamma'] },
        { do: 'gate', name: 'ask' },
      ],
    });
    const resting = drive.advance();
    await until(() => progress.some((event) => event.type === 'call'));
    await api.command({ run: drive.run, command: 'skip' });
    expect((await resting).gate?.name).toBe('ask');
    expect((await row(drive.run)).state.pos).toBe(1);
    expect((await deps.processes.killLeftovers(`${drive.run}/1/0`)).ended).toEqual([]);
  });

  test('a signal that changes what a gate shows withdraws it in the same commit: same gate, next iteration', async () => {
    const { start, api, answerRefused, answer } = await lab();
    const drive = await start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    const before = gateOf(await drive.advance());
    await api.command({ run: drive.run, command: 'nudge' });
    const after = gateOf(await drive.advance());
    expect(after).toMatchObject({ id: before.id, iteration: 2 });
    expect(after.digest).not.toBe(before.digest);
    expect((await answerRefused(before, 'go')).rejection).toBe('stale_digest');
    await answer(after, 'go');
  });

  test('a watched fact withdraws the gate and never answers it', async () => {
    const opened = await lab();
    const drive = await opened.start(
      'probe',
      { script: [{ do: 'gate', name: 'ask', watch: 'flag' }] },
      { attended: true },
    );
    const before = gateOf(await drive.advance());
    writeFileSync(path.join(opened.root, 'flag'), 'up');
    const after = gateOf(await drive.advance());
    expect(after.iteration).toBe(before.iteration + 1);
    expect((await opened.row(drive.run)).status).toBe('waiting');
  });

  test('an unknown command is refused with what is allowed and writes nothing', async () => {
    const { start, api, row } = await lab();
    const drive = await start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    await drive.advance();
    const before = await row(drive.run);
    expect(await api.command({ run: drive.run, command: 'fly' })).toMatchObject({
      rejection: 'no_such_command',
    });
    expect(await row(drive.run)).toEqual(before);
  });
});

describe('gates', () => {
  test('hold records the answer, leaves the gate open under the same digest and halts the run', async () => {
    const { start, answer, api, row, deps } = await lab();
    const drive = await start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    const gate = gateOf(await drive.advance());
    await answer(gate, 'hold');
    expect(await row(drive.run)).toMatchObject({ status: 'halted', halt: { kind: 'held' } });
    expect(await deps.store.gate(gate.id)).toEqual(gate);
    expect(await deps.store.records(drive.run, 'decision')).toHaveLength(1);
    await api.command({ run: drive.run, command: 'resume' });
    expect((await row(drive.run)).status).toBe('waiting');
    await answer(gate, 'go');
    expect((await row(drive.run)).status).toBe('ended');
  });

  test('WF-33 of two answers at once one wins, the other is told who was first; a repeat gets the same receipt', async () => {
    const opened = await lab();
    const second = await labs.other(opened);
    const drive = await opened.start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    const gate = gateOf(await drive.advance());
    const ada = { person: 'Ada', surface: 'test', proof: 'composition' } as const;
    const input = { option: 'go', text: null, fields: {}, typed: null, digest: gate.digest };
    const results = await Promise.all([
      opened.api.as(callerOf(ada)).answer({ gate: gate.id, answer: input }),
      second.api
        .as(callerOf({ ...ada, person: 'Bob' }))
        .answer({ gate: gate.id, answer: { ...input, option: 'change', text: 'x' } }),
    ]);
    const won = results.filter((result) => 'ok' in result);
    expect(won).toHaveLength(1);
    expect(results.find((result) => !('ok' in result))).toMatchObject({
      rejection: 'gate_closed',
      message: { args: { option: expect.any(String), by: expect.any(String) } },
      current: { by: expect.any(String) },
    });
    expect(await opened.deps.store.answers(drive.run)).toHaveLength(1);
    const winner = won[0];
    if (!winner || !('ok' in winner)) throw new Error('nobody won');
    const again = await opened.api.as(callerOf(winner.answer.by as never)).answer({
      gate: gate.id,
      answer: {
        option: winner.answer.option,
        text: winner.answer.text,
        fields: {},
        typed: null,
        digest: gate.digest,
      },
    });
    expect(again).toMatchObject({ repeated: true, receipt: winner.receipt });
  });

  test('WF-33 the same answer by somebody else is no repeat: it is refused and the first one stands', async () => {
    const { api, start } = await lab();
    const drive = await start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    const gate = gateOf(await drive.advance());
    const by = (person: string) => ({ person, surface: 'test', proof: 'composition' }) as const;
    const input = { option: 'go', text: null, fields: {}, typed: null, digest: gate.digest };
    expect(await api.as(callerOf(by('Ada'))).answer({ gate: gate.id, answer: input })).toMatchObject({
      ok: true,
      repeated: false,
    });
    expect(await api.as(callerOf(by('Bob'))).answer({ gate: gate.id, answer: input })).toMatchObject({
      rejection: 'gate_closed',
      current: { option: 'go', by: 'Ada' },
    });
    const other = { ...input, option: 'hold' };
    expect(await api.as(callerOf(by('Ada'))).answer({ gate: gate.id, answer: other })).toMatchObject({
      rejection: 'gate_closed',
    });
    const stale = { ...input, digest: `sha256:${'0'.repeat(64)}` };
    expect(await api.as(callerOf(by('Ada'))).answer({ gate: gate.id, answer: stale })).toMatchObject({
      rejection: 'gate_closed',
    });
  });

  test('the same option with other answers is no repeat: it is refused and the first ones stand', async () => {
    const { start, answer, answerRefused, deps } = await lab();
    const drive = await start('probe', { script: [{ do: 'gate', name: 'form' }] });
    const form = gateOf(await drive.advance());
    await answer(form, 'go', { fields: { one: 'first' } });
    expect((await answerRefused(form, 'go', { fields: { one: 'second' } })).rejection).toBe('gate_closed');
    expect((await deps.store.answers(drive.run))[0]?.fields).toEqual({ one: 'first' });
  });

  test.each(['', '.', '.g1', 'x.g1.z', 'sp.'])(
    'the name %j means no run, even when there is only one',
    async (name) => {
      const { start, api } = await lab();
      await (await start('probe', { script: [{ do: 'gate', name: 'ask' }] })).advance();
      expect(await api.find(name)).toMatchObject({ rejection: 'no_such_run' });
      expect(await api.findGate(name)).toMatchObject({ rejection: 'no_such_run' });
    },
  );

  test('a hard gate is only answered by typing its word; a form names a missing or unknown field', async () => {
    const { start, answer, answerRefused } = await lab();
    const drive = await start('probe', {
      name: 'B-12',
      script: [
        { do: 'gate', name: 'hard' },
        { do: 'gate', name: 'form' },
      ],
    });
    const hard = gateOf(await drive.advance());
    expect((await answerRefused(hard, 'go', { typed: 'b-12' })).rejection).toBe('typed_wrong');
    await answer(hard, 'go', { typed: 'B-12' });
    const form = gateOf(await drive.advance());
    expect((await answerRefused(form, 'go', { fields: { two: 'x' } })).rejection).toBe('field_required');
    expect((await answerRefused(form, 'go', { fields: { one: 'x', three: 'y' } })).rejection).toBe(
      'no_such_field',
    );
    await answer(form, 'go', { fields: { one: 'x', two: null } });
  });

  test.each([
    ['nonsense', {}, 'no_such_option'],
    ['toString', {}, 'no_such_option'],
    ['go', { text: 'surplus' }, 'text_not_allowed'],
    ['change', {}, 'text_required'],
    ['change', { text: '  ' }, 'text_required'],
    ['go', { digest: `sha256:${'0'.repeat(64)}` }, 'stale_digest'],
    ['go', { digest: 'sha256:short' }, 'bad_input'],
  ])('the answer %s %o is refused as %s and nothing is written', async (option, more, code) => {
    const { start, answerRefused, row } = await lab();
    const drive = await start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    const gate = gateOf(await drive.advance());
    const before = await row(drive.run);
    expect((await answerRefused(gate, option, more)).rejection).toBe(code);
    expect(await row(drive.run)).toEqual(before);
  });
});
