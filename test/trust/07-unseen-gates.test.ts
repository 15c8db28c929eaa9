import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { TERMINAL, type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { type Seat, sitDown } from './sit-down.ts';

const newWorld = worldsOfTest();
const TASK = ['spec', 'Rename photos by date', '--mode', 'quick', '--no-input'];

interface Shown {
  readonly id: string;
  readonly run: string;
  readonly digest: string;
  readonly iteration: number;
}

let seats: Seat[] = [];
afterEach(() => {
  for (const seat of seats) seat.leave();
  seats = [];
});
function sit(world: World, command: string): Seat {
  const seat = sitDown(world, command);
  seats.push(seat);
  return seat;
}

function openGate(world: World): Shown {
  const [gate] = world.openGates();
  if (!gate) throw new Error('no gate');
  return gate;
}

/** A run that waits for approval of its first draft; nobody has seen that gate. */
async function atApproval(world: World): Promise<Shown> {
  await world.run(...TASK);
  const questions = openGate(world);
  await world.typed('answer', questions.id, 'skip', '--digest', questions.digest, '--no-input', '--json');
  return openGate(world);
}

/** On a terminal, and nothing can be asked. */
function answer(world: World, ...args: string[]) {
  return world.typed('answer', ...args, '--no-input');
}

describe('a gate that this person was not shown', () => {
  test('TRUST-07 a draft that was reshaped elsewhere is not accepted unseen', async () => {
    const world = newWorld();
    const first = await atApproval(world);
    expect((await world.typed('gates')).stdout).toContain(first.id);
    const elsewhere = ['modify', '--text', 'Add videos.', '--digest', first.digest, '--json'];
    await answer(world, first.id, ...elsewhere);
    const second = openGate(world);

    const late = await answer(world, first.run, 'approve');
    expect(openGate(world)).toMatchObject({ id: second.id, digest: second.digest });
    expect(late.code).toBe(3);
    const said = late.stdout.replace(/\s+/g, ' ');
    expect(said).toContain(`· ${second.id}`);
    expect(said).toContain('You have not seen');
    expect(said).toContain(`baton answer ${second.id} approve --digest ${second.digest}`);
    expect(await answer(world, second.id, 'approve', '--digest', second.digest)).toMatchObject({ code: 4 });
  });

  test('TRUST-07 is shown on a terminal and asked again, and what was typed with it is kept as a draft', async () => {
    const world = newWorld();
    const gate = await atApproval(world);
    const seat = sit(world, `baton answer ${gate.run} modify --text 'Add sounds.'`);
    const [first] = await seat.until(/You\s+have\s+not\s+seen|answered:/);
    expect(first).toMatch(/^You/);
    await seat.until(new RegExp(` · ${gate.id}`));
    await seat.until(/you had typed: Add sounds\.[\s\S]*^› $/m);
    expect(openGate(world)).toMatchObject({ id: gate.id, digest: gate.digest });
    seat.type('approve');
    await seat.until(/answered: Approve/);
  });

  test('TRUST-07 is told to a machine with its digest, and nothing is answered', async () => {
    const world = newWorld();
    const gate = await atApproval(world);
    const { stdout, code } = await world.typed('answer', gate.run, 'approve', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      rejection: 'gate_unseen',
      current: { id: gate.id, digest: gate.digest },
      exit: 3,
    });
    expect(openGate(world)).toMatchObject({ id: gate.id });
  });
});

const tagged = (world: World, command: string) => {
  const line = `prlimit --fsize=${2n ** 61n} ${process.execPath} ${world.main} ${command}`;
  return spawnSync(TERMINAL, ['-qec', line, '/dev/null'], { cwd: world.root, env: world.env });
};

describe('a gate counts as shown', () => {
  test.each<[string, number, (world: World, gate: Shown) => unknown]>([
    ['after baton gates on a terminal', 4, (world) => world.typed('gates')],
    ['after baton gates <run> on a terminal', 4, (world, { run }) => world.typed('gates', run)],
    [
      'where a drive came to rest on a terminal',
      4,
      (world, { run }) => world.typed('resume', run, '--no-input'),
    ],
    [
      'after baton answer showed it and the person left',
      4,
      async (world, { run }) => {
        const seat = sit(world, `baton answer ${run}`);
        await seat.until(/^› $/m);
        seat.type('\x03');
        await seat.done;
      },
    ],
    ['not after a listing for machines', 3, (world) => world.typed('gates', '--json')],
    ['not after a listing into a pipe', 3, (world) => world.run('gates')],
    ['not after baton status', 3, (world, { run }) => world.typed('status', run)],
    ['not after a worker printed it', 3, (world) => tagged(world, 'gates')],
  ])('TRUST-07 %s', async (_name, code, show) => {
    const world = newWorld();
    const gate = await atApproval(world);
    expect((await world.typed('answer', gate.run, 'approve', '--json')).code).toBe(3);
    await show(world, gate);
    const before = openGate(world);
    const end = await answer(world, before.run, 'approve');
    expect(end.code).toBe(code);
    expect(openGate(world).id === gate.id).toBe(code === 3);
  });
});
