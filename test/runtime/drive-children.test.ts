import { describe, expect, test } from 'vitest';
import { isRejection, type Rejection } from '../../src/engine/rejection.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import type { DriveHandle } from '../../src/runtime/views.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { gateOf, type Lab, until } from '../support/lab.ts';

const labs = labsOfTest();
const lab = labs.open;

const SAYS = `
script: 1
language: en
roles:
  alpha: [{ result: { say: a } }]
  gamma: [{ hang: true }, { result: { say: g } }]
`;
const ASK = { do: 'gate', name: 'ask' } as const;
const HANG = { do: 'work', roles: ['gamma'] } as const;
const DEPLOY = { do: 'deploy', line: 'v1' } as const;

type Script = readonly Readonly<Record<string, unknown>>[];

/** A parent that waits for children with these scripts, and what it does afterwards. */
function family(kids: Readonly<Record<string, Script>>, after: Script = []) {
  const spawns = Object.entries(kids).map(([key, script]) => ({ do: 'spawn', key, script }));
  return { script: [...spawns, { do: 'children', count: spawns.length }, ...after] };
}

/** The same store as another process of this machine sees it. */
function another(opened: Lab): Promise<Lab> {
  const self = (deps: Deps) => ({ host: deps.processes.self().host, pid: 1, start: 'other' });
  return labs.other(opened, (deps) => ({
    ...deps,
    processes: { ...deps.processes, self: () => self(deps) },
  }));
}

function opened(handle: DriveHandle | Rejection): DriveHandle {
  if (isRejection(handle)) throw new Error(`cannot be opened: ${JSON.stringify(handle)}`);
  return handle;
}

async function childrenOf({ deps }: Lab, parent: string): Promise<string[]> {
  return (await deps.store.list({ parent })).map(({ id }) => id).sort();
}

describe('a run that waits for its children', () => {
  test('a question of the child is where the parent rests, and after the answer both go on', async () => {
    const here = await lab({ script: SAYS });
    const drive = await here.start(
      'probe',
      family({ kid: [ASK, { do: 'work', roles: ['alpha'] }, ASK] }, [ASK]),
    );
    const first = await drive.advance();
    const [kid] = await childrenOf(here, drive.run);
    expect(first).toMatchObject({ run: kid, parent: drive.run, status: 'waiting', gate: { run: kid } });
    await here.answer(gateOf(first), 'go');
    const second = await drive.advance();
    expect(second.gate?.id).toBe(`${kid}.g2`);
    await here.answer(gateOf(second), 'go');
    const own = await drive.advance();
    expect(own).toMatchObject({ run: drive.run, parent: null, gate: { run: drive.run } });
    await here.answer(gateOf(own), 'go');
    expect(await drive.advance()).toMatchObject({ run: drive.run, outcome: 'done' });
  });

  test('a child that is halted, or waits for a time, is shown as what it is', async () => {
    const here = await lab();
    const halted = await here.start('probe', family({ kid: [{ do: 'halt' }] }));
    const rest = await halted.advance();
    expect(rest).toMatchObject({ parent: halted.run, status: 'halted', wait: { kind: 'command' } });
    await here.api.command({ run: rest.run, command: 'resume' });
    expect((await halted.advance()).outcome).toBe('done');
    const sleeping = await here.start(
      'probe',
      family({ kid: [{ do: 'sleep', until: '2999-01-01T00:00:00.000Z' }] }),
    );
    expect(await sleeping.advance()).toMatchObject({ parent: sleeping.run, wait: { kind: 'time' } });
  });

  test('of several children a question comes first, and the parent goes on with the last end', async () => {
    const here = await lab();
    const drive = await here.start('probe', family({ one: [{ do: 'halt' }], two: [ASK], three: [] }));
    const asked = await drive.advance();
    expect(asked.gate?.name).toBe('ask');
    await here.answer(gateOf(asked), 'go');
    const halted = await drive.advance();
    expect(halted.status).toBe('halted');
    await here.api.command({ run: halted.run, command: 'resume' });
    expect(await drive.advance()).toMatchObject({ run: drive.run, outcome: 'done' });
  });

  test('a child of a child is driven from the top as well', async () => {
    const here = await lab();
    const drive = await here.start('probe', family({ kid: family({ grandkid: [ASK] }).script }));
    const rest = await drive.advance();
    const [kid] = await childrenOf(here, drive.run);
    expect(rest).toMatchObject({ parent: kid, gate: { name: 'ask' } });
    await here.answer(gateOf(rest), 'go');
    expect(await drive.advance()).toMatchObject({ run: drive.run, outcome: 'done' });
  });

  test('a write after the children’s end is not taken for one that may have happened', async () => {
    const done: string[] = [];
    const deploy = { perform: async () => void done.push('deployed') };
    const here = await lab({ wrap: (deps) => ({ ...deps, outside: { deploy } }) });
    const drive = await here.start('probe', family({ kid: [ASK] }, [DEPLOY]), { attended: true });
    await here.answer(gateOf(await drive.advance()), 'go');
    expect(await drive.advance()).toMatchObject({ outcome: 'done', gate: null });
    expect(done).toEqual(['deployed']);
  });

  test('without a live child it rests by itself', async () => {
    const here = await lab();
    const drive = await here.start('probe', { script: [{ do: 'children', count: 1 }] });
    expect(await drive.advance()).toMatchObject({ run: drive.run, parent: null, wait: { kind: 'children' } });
  });
});

describe('stopping and closing', () => {
  test('stop of the parent ends the child’s workers; resume of the parent goes on with the child', async () => {
    const here = await lab({ script: SAYS });
    const drive = await here.start('probe', family({ kid: [HANG] }));
    const resting = drive.advance();
    await until(() => here.progress.some(({ type }) => type === 'call'));
    const [kid = ''] = await childrenOf(here, drive.run);
    await here.api.stop({ run: drive.run });
    expect(await resting).toMatchObject({ run: drive.run, status: 'halted' });
    expect(await here.row(kid)).toMatchObject({ status: 'working', holder: null, halt: null });
    expect((await here.deps.processes.killLeftovers(`${kid}/1/0`)).left).toEqual([]);
    await here.api.command({ run: drive.run, command: 'resume' });
    const again = drive.advance();
    const calls = () => here.progress.filter((event) => event.type === 'call' && event.state === 'started');
    await until(() => calls().length === 2);
    await drive.close();
    await again;
  });

  test('another process stops the parent: its drive sees it and lets the child go', async () => {
    const here = await lab({ script: SAYS });
    const drive = await here.start('probe', family({ kid: [HANG] }));
    const resting = drive.advance();
    await until(() => here.progress.some(({ type }) => type === 'call'));
    const other = await another(here);
    expect(await other.api.open({ run: drive.run, attended: false })).toMatchObject({
      rejection: 'held_elsewhere',
    });
    await other.api.stop({ run: drive.run });
    expect(await resting).toMatchObject({ run: drive.run, status: 'halted' });
    const [kid = ''] = await childrenOf(here, drive.run);
    expect((await here.row(kid)).holder).toBeNull();
  });

  test('closing the parent’s drive closes the child’s, at work and at rest', async () => {
    const here = await lab({ script: SAYS });
    const other = await another(here);
    for (const script of [[HANG], [ASK]]) {
      const drive = await here.start('probe', family({ kid: script }), { attended: true });
      const resting = drive.advance();
      await until(async () => {
        const [kid] = await here.deps.store.list({ parent: drive.run });
        return kid !== undefined && kid.holder !== null;
      });
      if (script[0] === ASK) gateOf(await resting);
      const [kid = ''] = await childrenOf(here, drive.run);
      expect((await here.row(kid)).holder).not.toBeNull();
      expect(await other.api.open({ run: kid, attended: false })).toMatchObject({
        rejection: 'held_elsewhere',
      });
      await drive.close();
      await resting;
      expect(await here.row(kid)).toMatchObject({ holder: null });
      expect(await here.row(drive.run)).toMatchObject({ holder: null, status: 'sleeping' });
    }
  });
});

describe('from another process', () => {
  test('nobody drives: an answer to the child’s gate carries the child to its end and the parent on', async () => {
    const here = await lab();
    const drive = await here.start('probe', family({ kid: [ASK] }, [ASK]));
    const gate = gateOf(await drive.advance());
    await drive.close();
    const other = await another(here);
    const input = { option: 'go', text: null, fields: {}, typed: null, digest: gate.digest };
    const receipt = await other.api.answer({ gate: gate.id, answer: input, drive: { attended: false } });
    if (isRejection(receipt) || !receipt.handle) throw new Error('nothing to drive');
    expect(receipt.run).toBe(gate.run);
    expect(await receipt.handle.advance()).toMatchObject({ run: drive.run, gate: { run: drive.run } });
  });

  test('the child is opened: it is driven from the parent', async () => {
    const here = await lab({ script: SAYS });
    const drive = await here.start('probe', family({ kid: [ASK, { do: 'work', roles: ['alpha'] }] }, [ASK]));
    const gate = gateOf(await drive.advance());
    await drive.close();
    const other = await another(here);
    await other.answer(gate, 'go');
    const taken = opened(await other.api.open({ run: gate.run, attended: false }));
    expect(taken.run).toBe(drive.run);
    expect(await taken.advance()).toMatchObject({ run: drive.run, gate: { name: 'ask' } });
  });

  test('somebody else answers the child’s gate that is shown here: the drive hears of it', async () => {
    const here = await lab();
    const drive = await here.start('probe', family({ kid: [ASK, ASK] }), { attended: true });
    const gate = gateOf(await drive.advance());
    const other = await another(here);
    const changed = drive.changed(AbortSignal.timeout(10_000));
    const receipt = await other.answer(gate, 'change', { text: 'more' });
    expect(receipt.driven_elsewhere).not.toBeNull();
    await changed;
    expect((await drive.advance()).gate?.id).toBe(`${gate.run}.g2`);
  });

  test('a child that another process drives is told as such', async () => {
    const here = await lab();
    const drive = await here.start('probe', family({ kid: [ASK] }));
    const gate = gateOf(await drive.advance());
    await drive.close();
    await here.api.stop({ run: drive.run });
    const alone = opened(await here.api.open({ run: gate.run, attended: true }));
    expect(alone.run).toBe(gate.run);
    const other = await another(here);
    await other.api.command({ run: drive.run, command: 'resume' });
    const rest = await opened(await other.api.open({ run: drive.run, attended: false })).advance();
    const { host, pid } = here.deps.processes.self();
    expect(rest).toMatchObject({ run: gate.run, parent: drive.run, elsewhere: `${host}:${pid}` });
  });
});
