import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { DriveHandle } from '../../src/runtime/views.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { callerOf } from '../support/caller.ts';
import { reopened } from '../support/handed-over.ts';
import { gateOf, type Lab, type LabOptions, until } from '../support/lab.ts';

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

/** A run whose process was killed while it deployed, and the process that can take it up. */
async function cutOff(script: readonly object[], lookup?: () => Promise<null | 'unknown'>) {
  const done: string[] = [];
  const killed = Promise.withResolvers<void>();
  const perform = () => {
    killed.resolve();
    return new Promise(() => undefined);
  };
  const opened = await lab({ wrap: (deps) => ({ ...deps, outside: { deploy: { perform } } }) });
  const drive = await opened.start('probe', { script });
  void drive.advance();
  await killed.promise;
  const dead = { host: 'elsewhere', pid: 1, start: 'x' };
  const deploy = {
    perform: async (op: { input: Readonly<Record<string, unknown>> }) =>
      void done.push(String(op.input.line)),
    ...(lookup ? { lookup } : {}),
  };
  const heir = await labs.other(opened, (deps) => ({
    ...deps,
    processes: { ...deps.processes, self: () => dead, isAlive: () => false },
    outside: { deploy },
    clock: { now: () => '2999-01-01T00:00:00.000Z' },
  }));
  return { heir, run: drive.run, done };
}

describe('other runs', () => {
  test('a spawned child is a row of the parent’s transaction and its end wakes the parent', async () => {
    const { start, api, row } = await lab();
    const drive = await start('probe', {
      script: [
        { do: 'spawn', key: 'kid', script: [{ do: 'gate', name: 'ask' }] },
        { do: 'children', count: 1 },
      ],
    });
    const gate = gateOf(await drive.advance());
    expect(await row(gate.run)).toMatchObject({ parent: drive.run, parent_key: 'kid' });
    expect((await row(drive.run)).status).toBe('sleeping');
    await api.as(callerOf({ person: 'T', surface: 'test', proof: 'composition' })).answer({
      gate: gate.id,
      answer: { option: 'go', text: null, fields: {}, typed: null, digest: gate.digest },
    });
    expect((await row(gate.run)).status).toBe('ended');
    expect((await drive.advance()).outcome).toBe('done');
  });

  test('a message written for another run is applied even if the sender dies right after its commit', async () => {
    const opened = await lab();
    const target = await opened.start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    await target.advance();
    await target.close();
    const dies = await labs.other(opened, (deps) => ({
      ...deps,
      store: {
        ...deps.store,
        // The sender never gets to deliver: what it committed is all there is.
        pending: async () => [],
      },
    }));
    const sender = await dies.start('probe', { script: [{ do: 'message', to: target.run }] });
    await sender.advance();
    expect((await opened.row(target.run)).state.nudges).toBe(0);
    const again = await opened.api.open({ run: target.run, attended: false });
    if ('rejection' in again) throw new Error('cannot be opened');
    await again.advance();
    expect((await opened.row(target.run)).state.nudges).toBe(1);
    expect(await opened.deps.store.pending()).toEqual([]);
  });

  test('a subject has one live owner; the second claim is told who has it', async () => {
    const { start, row } = await lab();
    const first = await start('probe', {
      script: [
        { do: 'claim', subject: 'spec:x' },
        { do: 'gate', name: 'ask' },
      ],
    });
    await first.advance();
    const second = await start('probe', {
      script: [
        { do: 'claim', subject: 'spec:x' },
        { do: 'gate', name: 'ask' },
      ],
    });
    await second.advance();
    expect((await row(first.run)).subject).toBe('spec:x');
    expect(await row(second.run)).toMatchObject({ subject: null, state: { last: `taken by ${first.run}` } });
  });
});

describe('waits and halts', () => {
  test('a run sleeps until its time and is woken once', async () => {
    const opened = await lab();
    const past = await opened.start('probe', {
      script: [{ do: 'sleep', until: '2020-01-01T00:00:00.000Z' }],
    });
    expect((await past.advance()).outcome).toBe('done');
    const future = await opened.start('probe', {
      script: [{ do: 'sleep', until: '2999-01-01T00:00:00.000Z' }],
    });
    expect((await future.advance()).status).toBe('sleeping');
  });

  test('a halt of the workflow is left only by the named command', async () => {
    const { start, api, row } = await lab();
    const drive = await start('probe', { script: [{ do: 'halt' }] });
    expect((await drive.advance()).status).toBe('halted');
    expect(await api.command({ run: drive.run, command: 'fly' })).toMatchObject({
      rejection: 'no_such_command',
    });
    expect((await row(drive.run)).status).toBe('halted');
    await api.command({ run: drive.run, command: 'resume' });
    expect((await row(drive.run)).status).toBe('ended');
  });

  test('stop ends running workers, keeps the step, and resume does it again from the same attempt', async () => {
    const { start, api, row, progress, deps } = await lab({ script: SAYS });
    const drive = await start('probe', { script: [{ do: 'work', roles: ['gamma'] }] });
    const resting = drive.advance();
    await until(() => progress.some((event) => event.type === 'call'));
    await api.stop({ run: drive.run });
    expect((await resting).status).toBe('halted');
    const effects = await deps.store.effects(drive.run, 1);
    expect(effects[0]).toMatchObject({ result: null, attempts: [] });
    await api.command({ run: drive.run, command: 'resume' });
    expect(await row(drive.run)).toMatchObject({ status: 'working', turn: 1, halt: null });
  });
});

describe('checks and writes', () => {
  test('a check is run by us: exit code decides, and what it started is ended', async () => {
    const { start, row } = await lab();
    for (const [command, result] of [
      ['true', 'pass'],
      ['exit 3', 'fail'],
      ['no-such-program-here', 'unavailable'],
      ['sleep 600 & true', 'pass'],
    ] as const) {
      const drive = await start('probe', { script: [{ do: 'check', command }] });
      await drive.advance();
      expect((await row(drive.run)).state.last).toEqual([result]);
    }
  });

  test('a deployment that may have happened is asked about, and each answer does what it says', async () => {
    for (const [option, expected] of [
      ['happened', 0],
      ['again', 1],
    ] as const) {
      const { heir, run, done } = await cutOff([{ do: 'deploy', line: 'v1' }]);
      const taken = await reopened(heir, run);
      const gate = gateOf(await taken.advance());
      expect(gate).toMatchObject({ name: 'trouble_unknown_effect', class: 'trouble' });
      await heir.answer(gate, option);
      expect((await (await reopened(heir, run)).advance()).outcome).toBe('done');
      expect(done).toHaveLength(expected);
    }
  });

  test('a deployment cut off by a crash is not done for a run that no longer wants it', async () => {
    for (const option of [null, 'again'] as const) {
      const script = [{ do: 'deploy', line: 'v1' }, { do: 'halt' }];
      const { heir, run, done } = await cutOff(script, async () => (option === null ? null : 'unknown'));
      await heir.api.command({ run, command: 'skip' });
      const taken = await reopened(heir, run);
      const rest = await taken.advance();
      if (option !== null) {
        await heir.answer(gateOf(rest), option);
        await taken.advance();
      }
      expect([option, ...done]).toEqual([option]);
      expect((await heir.row(run)).state.last).toBe('failed');
    }
  });

  test('an outside write is done once and names its effect', async () => {
    const { start, root } = await lab();
    const drive = await start('probe', { script: [{ do: 'append', file: 'log.txt', line: 'hello' }] });
    await drive.advance();
    expect(readFileSync(path.join(root, 'log.txt'), 'utf8')).toBe(`${drive.run}/1/0 hello\n`);
  });
});

describe('trouble', () => {
  test('an agent that cannot be run opens a trouble gate after its infrastructure tries, and retry goes on', async () => {
    const script = `
script: 1
language: en
roles:
  alpha: [{ crash: true, attempts: [{ crash: true }, { crash: true }, { result: { say: a } }] }]
`;
    const { start, answer, row, progress } = await lab({ script });
    const drive = await start('probe', { script: [{ do: 'work', roles: ['alpha'] }] });
    const gate = gateOf(await drive.advance());
    expect(gate.name).toBe('trouble_infrastructure');
    expect((await row(drive.run)).status).toBe('waiting');
    await answer(gate, 'retry');
    const again = await drive.advance();
    expect(again.outcome).toBe('done');
    // The try after the question had not begun: nothing of it was interrupted.
    expect(progress.filter(({ type }) => type === 'recovered')).toEqual([]);
  });

  test('a read-only worker that writes is stopped by a gate that names the file; go on keeps its result', async () => {
    const script = `
script: 1
language: en
roles:
  alpha: [{ edits: [{ path: sneaky.txt, content: hi }], result: { say: a } }]
`;
    const { start, answer, root, row } = await lab({ script, git: true });
    const drive = await start('probe', { script: [{ do: 'work', roles: ['alpha'] }] });
    const gate = gateOf(await drive.advance());
    expect(gate.name).toBe('trouble_tree_changed');
    expect(JSON.stringify(gate.brief.why)).toContain('sneaky.txt');
    expect(existsSync(path.join(root, 'sneaky.txt'))).toBe(true);
    await answer(gate, 'go_on');
    await drive.advance();
    expect((await row(drive.run)).state.last).toEqual(['ok']);
  });

  test('a used-up budget stops before the next worker and extending it lifts the stop', async () => {
    const { start, answer } = await lab({
      script: SAYS,
      wrap: (deps) => ({
        ...deps,
        policy: async () => ({
          ...(await deps.policy()),
          budget: { money_usd: null, tokens: null, worker_minutes: null, attempts: 1 },
        }),
      }),
    });
    const drive = await start('probe', {
      script: [
        { do: 'work', roles: ['alpha'] },
        { do: 'work', roles: ['beta'] },
      ],
    });
    const gate = gateOf(await drive.advance());
    expect(gate.name).toBe('trouble_budget');
    await answer(gate, 'extend');
    expect((await drive.advance()).outcome).toBe('done');
  });
});

describe('budgets of many attempts', () => {
  const limited = (attempts: number): LabOptions => ({
    wrap: (deps) => ({
      ...deps,
      policy: async () => ({
        ...(await deps.policy()),
        budget: { money_usd: null, tokens: null, worker_minutes: null, attempts },
      }),
    }),
  });

  test('parallel calls do not start beyond the limit together', async () => {
    const { start, deps } = await lab({ script: SAYS, ...limited(1) });
    const drive = await start('probe', { script: [{ do: 'work', roles: ['alpha', 'beta'] }] });
    expect(gateOf(await drive.advance()).name).toBe('trouble_budget');
    expect((await deps.store.spend(drive.run)).attempts).toBe(1);
  });

  test('an attempt that was interrupted counts beside the one made again', async () => {
    const { start, api, progress, deps } = await lab({ script: SAYS });
    const drive = await start('probe', { script: [{ do: 'work', roles: ['gamma'] }] });
    for (const times of [1, 2]) {
      const resting = drive.advance();
      await until(() => progress.filter((event) => event.type === 'call').length >= times);
      await api.stop({ run: drive.run });
      await resting;
      expect((await deps.store.spend(drive.run)).attempts).toBe(times);
      await api.command({ run: drive.run, command: 'resume' });
    }
  });
});

describe('a damaged store', () => {
  test('a run whose gate is gone is refused with what is missing, by every operation, and nothing is written', async () => {
    const { start, api, row, home } = await lab();
    const drive = await start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    await drive.advance();
    await drive.close();
    const before = await row(drive.run);
    const db = new DatabaseSync(path.join(home, 'baton.db'));
    db.exec('delete from gates');
    db.close();
    const refused = { rejection: 'state_corrupt', message: { args: { field: 'gate' } } };
    expect(await api.open({ run: drive.run, attended: false })).toMatchObject(refused);
    expect(await api.command({ run: drive.run, command: 'nudge' })).toMatchObject(refused);
    expect(await api.view(drive.run)).toMatchObject(refused);
    expect(await row(drive.run)).toEqual(before);
  });
});

describe('two processes', () => {
  test('a living holder is respected, its lease is fenced, and a drive that was taken over writes nothing', async () => {
    const opened = await lab({ script: SAYS });
    const drive = await opened.start(
      'probe',
      {
        script: [
          { do: 'gate', name: 'ask' },
          { do: 'work', roles: ['alpha'] },
        ],
      },
      { attended: true },
    );
    const gate = gateOf(await drive.advance());
    const second = await labs.other(opened, (deps) => ({
      ...deps,
      processes: {
        ...deps.processes,
        self: () => ({ host: deps.processes.self().host, pid: 1, start: 'other' }),
      },
    }));
    expect(await second.api.open({ run: drive.run, attended: false })).toMatchObject({
      rejection: 'held_elsewhere',
    });
    const changed = drive.changed(AbortSignal.timeout(60_000));
    const receipt = await second.answer(gate, 'go');
    expect(receipt.driven_elsewhere).not.toBeNull();
    await changed;
    expect((await drive.advance()).outcome).toBe('done');
  });

  test('an answer does not take the lease of a drive that was opened while it was on its way', async () => {
    const opened = await lab({ script: SAYS });
    const drive = await opened.start('probe', {
      script: [
        { do: 'gate', name: 'ask' },
        { do: 'work', roles: ['alpha'] },
      ],
    });
    const gate = gateOf(await drive.advance());
    await drive.close();
    let faster: Awaited<ReturnType<Lab['api']['open']>> | null = null;
    const second = await labs.other(opened, (deps) => ({
      ...deps,
      store: {
        ...deps.store,
        commit: async (changes) => {
          faster ??= await opened.api.open({ run: gate.run, attended: false });
          return deps.store.commit(changes);
        },
      },
    }));
    const { id, digest } = gate;
    const input = { option: 'go', text: null, fields: {}, typed: null, digest };
    const receipt = await second.api.answer({ gate: id, answer: input, drive: { attended: false } });
    expect(receipt).toMatchObject({ ok: true, handle: null });
    expect(await (faster as unknown as DriveHandle).advance()).toMatchObject({
      outcome: 'done',
      elsewhere: null,
    });
  });
});
