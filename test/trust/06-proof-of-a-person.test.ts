import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { deliverScript, HAPPY, NPM_PROJECT } from '../support/deliver-script.ts';
import { TERMINAL, type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { type Seat, sitDown } from './sit-down.ts';

const newWorld = worldsOfTest();
const SPEC = 'spec "Rename photos by date" --mode quick';
const ASKS = 'roles:\n  interviewer:\n    - result: { questions: [{ text: Which?, why: it decides }] }\n';
/** A hard limit that only a worker or check has; Baton sets one like it on every process it starts for them. */
const TAG = 2n ** 61n + 4096n * 77n;
const TAGGED = `prlimit --fsize=${TAG}`;

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

/** A run that waits at its first gate; nobody drives it. */
async function waitingRun(world: World): Promise<{ id: string; run: string; digest: string }> {
  await world.run('spec', 'Rename photos by date', '--mode', 'quick', '--no-input');
  const [gate] = world.openGates();
  if (!gate) throw new Error('no gate');
  return gate;
}

function openGates(world: World): string[] {
  return world.openGates().map(({ id }) => id);
}

async function logOf(world: World, run: string): Promise<string> {
  return (await world.run('log', run)).stdout.replace(/\s+/g, ' ');
}

function batonIn(world: World): string {
  return `BATON_HOME=${world.home} ${process.execPath} ${world.main}`;
}

/** Runs a command on a terminal of its own, below a program that changes what kind of process it is. */
function typedBelow(world: World, below: string, command: string) {
  const line = `${below} ${process.execPath} ${world.main} ${command}`;
  const done = spawnSync(TERMINAL, ['-qec', line, '/dev/null'], {
    cwd: world.root,
    env: world.env,
    encoding: 'utf8',
    input: '',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  return { code: done.status, said: done.stdout.replace(/\s+/g, ' ') };
}

describe('a worker without a sandbox', () => {
  test.each([
    ['with the tag that Baton gave it', '', true],
    ['in the sandbox', '', false],
    [
      'with another tag',
      `prlimit --fsize=$(($(awk '/^Max file size/ { print $5 }' /proc/self/limits) - ${2n ** 28n}))`,
      true,
    ],
  ])(
    'TRUST-06 that clears its environment and makes itself a terminal answers no gate, %s',
    async (_name, below, bare) => {
      const world = newWorld({ bare });
      const gate = await waitingRun(world);
      const answer = `${batonIn(world)} answer ${gate.id} skip --digest ${gate.digest} --no-input; echo exit $? > ended`;
      // The worker waits, because what it started ends with it.
      const attack = `${below} env -i HOME=$HOME PATH=$PATH setsid -f -w script -qec '${answer}' said`;
      world.file(
        'hostile.yaml',
        `script: 1\n${ASKS.replace('- result', `- runs: ${JSON.stringify(attack)}\n      result`)}`,
      );
      await world.run('spec', 'Sort mails', '--mode', 'quick', '--script', 'hostile.yaml', '--no-input');
      expect(openGates(world)).toContain(gate.id);
      // In the sandbox there is no state directory: nothing to answer, and no way to record the try.
      if (!bare) return;
      expect(readFileSync(path.join(world.root, 'ended'), 'utf8')).toBe('exit 3\n');
      expect(await logOf(world, gate.run)).toMatch(/worker or check \(.*\) gave the command "answer"/);
      expect(readFileSync(path.join(world.root, 'said'), 'utf8')).toContain('Only a person');
    },
  );

  test.each([
    ['answer <run> skip --no-input', 'answer'],
    ['answer <run>', 'answer'],
    ['stop <run>', 'stop'],
    ['resume <run> --abandon --no-input', 'abandon'],
    ['resume <run> --no-input', 'resume'],
    ['trust autonomous', null],
    ['project manual', null],
    ['ticket create Mine', null],
    ['spec Mine --mode quick --no-input', null],
    ['deliver Mine --mode single --model-config balanced --no-input', null],
    ['call create_task {\\"title\\":\\"Mine\\"}', null],
  ])('TRUST-06 its process tag gives it away at: baton %s', async (command, recorded) => {
    const world = newWorld();
    const gate = await waitingRun(world);
    const before = await world.json('list', '--all');
    const { code, said } = typedBelow(world, TAGGED, command.replace('<run>', gate.run));
    expect(said).toMatch(
      /Only a person (answers gates|decides this): this process was started by a worker or check/,
    );
    expect(code).toBe(3);
    expect(openGates(world)).toEqual([gate.id]);
    expect(await world.json('list', '--all')).toMatchObject(
      (before as { run: string; status: string }[]).map(({ run, status }) => ({ run, status })),
    );
    if (recorded) expect(await logOf(world, gate.run)).toContain(`gave the command "${recorded}"`);
  });

  test.each([
    ['a lower limit than a tag', `prlimit --fsize=${10n ** 12n}`, 'the hard limit on file size'],
    ['a namespace of its own', 'unshare --user --map-current-user', 'in another user namespace'],
  ])('TRUST-06 hiding behind %s does not help', async (_name, below, says) => {
    const world = newWorld();
    const gate = await waitingRun(world);
    const { code, said } = typedBelow(
      world,
      below,
      `answer ${gate.id} skip --digest ${gate.digest} --no-input`,
    );
    expect(openGates(world)).toEqual([gate.id]);
    expect(said).toContain(says);
    expect(code).toBe(3);
  });

  test('TRUST-06 without a terminal the refusal says to open a shell first, in the language of the person', async () => {
    const world = newWorld();
    const gate = await waitingRun(world);
    const english = await world.run('answer', gate.id, 'skip', '--no-input');
    expect(english.stderr.replace(/\s+/g, ' ')).toContain('Open a shell first');
    const korean = execFileSync(
      'sh',
      ['-c', `LANG=ko_KR.UTF-8 ${batonIn(world)} trust cautious 2>&1; true`],
      {
        cwd: world.root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    expect(korean.replace(/\s+/g, ' ')).toContain('먼저 셸을 열고');
    expect(korean).not.toContain('terminal');
  });
});

describe('what is claimed of an answer', () => {
  test('TRUST-06 at a terminal opened after the work began: the least claim', async () => {
    const world = newWorld({ bare: true });
    const gate = await waitingRun(world);
    await world.person('answer', gate.id, 'skip');
    expect(await logOf(world, gate.run)).toContain(
      'Answered at a terminal. Workers were not sandboxed; a program of yours could have done this.',
    );
  });

  test('TRUST-06 with a sandbox: what the sandbox leaves in reach', async () => {
    const world = newWorld();
    const gate = await waitingRun(world);
    await world.person('answer', gate.id, 'skip');
    expect(await logOf(world, gate.run)).toMatch(
      /Answered at a terminal by .+\. Workers and checks were sandboxed with network: services on this machine were in reach\./,
    );
  });

  test('TRUST-06 at the terminal the run was started in: opened before the work began', async () => {
    const world = newWorld({ bare: true });
    const seat = sit(
      world,
      `${SPEC.replace('spec', 'baton spec')} --no-input; baton answer sp skip --no-input; exit 7`,
    );
    expect(await seat.done).toBe(7);
    const [run] = await world.json<{ run: string }[]>('list', '--all');
    expect(await logOf(world, run?.run ?? '')).toContain(
      'Answered at a terminal opened before the work began. Workers were not sandboxed.',
    );
  });

  test('TRUST-06 the evidence of a delivered change says the same', async () => {
    const world = newWorld({
      bare: true,
      git: true,
      files: { ...NPM_PROJECT, 'script.yaml': deliverScript(HAPPY) },
    });
    const task = ['deliver', 'Add two numbers', '--mode', 'single', '--model-config', 'balanced'];
    await world.run(...task, '--script', 'script.yaml', '--no-input');
    for (const [gate, option] of [
      ['conventions', 'skip'],
      ['spec', 'proceed'],
      ['finish', 'code_only'],
    ] as const) {
      const [open] = world.openGates();
      if (open?.name === gate || gate !== 'conventions') await world.person('answer', open?.id ?? '', option);
    }
    const [run] = await world.json<{ run: string }[]>('list', '--all');
    const { stdout } = await world.run('show', run?.run ?? '', 'evidence');
    expect(stdout).toContain(
      'Answered at a terminal. Workers were not sandboxed; a program of yours could have done this.',
    );
  });
});

describe('while a terminal drives the run', () => {
  async function driven(world: World): Promise<{ seat: Seat; gate: string; code: string }> {
    const seat = sit(world, SPEC.replace('spec', 'baton spec'));
    const [, gate = ''] = await seat.until(/ · (sp-\w+\.g\d+)$/m);
    await seat.until(/^› $/m);
    expect(seat.screen()).toMatch(/code [A-Z]{6}$/m);
    return { seat, gate, code: /code ([A-Z]{6})$/m.exec(seat.screen())?.[1] ?? '' };
  }

  test('TRUST-06 an answer elsewhere needs the code on its screen, which is stored nowhere', async () => {
    const world = newWorld();
    const seat = sit(world, SPEC.replace('spec', 'baton spec'));
    const [, gate = ''] = await seat.until(/ · (sp-\w+\.g\d+)$/m);
    await seat.until(/^› $/m);
    const without = await world.person('answer', gate, 'skip');
    expect(openGates(world)).toEqual([gate]);
    expect(without.code).toBe(3);
    expect(without.stdout).toMatch(/type\s+here\s+the\s+code/);
    const code = /code ([A-Z]{6})$/m.exec(seat.screen())?.[1] ?? '';
    expect(code).toMatch(/^[A-Z]{6}$/);

    expect((await world.person('answer', gate, 'skip', '--code', 'AAAAAA')).stdout).toContain('not the code');
    expect(spawnSync('grep', ['-rlF', code, world.home]).status).toBe(1);
    expect(await world.person('answer', gate, 'skip', '--code', code.toLowerCase())).toMatchObject({
      code: 0,
    });
    await seat.until(/answered by/);
    expect(await logOf(world, gate.split('.')[0] ?? '')).toContain(
      'confirmed with the code of the driving terminal.',
    );
  });

  test('TRUST-06 the code is asked for on a terminal, and after three wrong ones no code is taken', async () => {
    const world = newWorld();
    const { seat, gate, code } = await driven(world);
    const elsewhere = sit(world, `baton answer ${gate}`);
    await elsewhere.until(/^› $/m);
    elsewhere.type('skip');
    await elsewhere.until(/here\s+the\s+code[\s\S]*^› $/m);
    for (const wrong of ['AAAAAA', 'BBBBBB']) {
      elsewhere.type(wrong);
      await elsewhere.until(/not\s+the\s+code[\s\S]*^› $/m);
    }
    elsewhere.type('CCCCCC');
    await elsewhere.until(/Too\s+many\s+wrong\s+codes/);
    expect(await elsewhere.done).toBe(3);
    expect(await world.person('answer', gate, 'skip', '--code', code)).toMatchObject({ code: 3 });
    expect(openGates(world)).toEqual([gate]);
    seat.type('skip');
    await seat.until(/answered: Skip/i);
  });

  test('TRUST-06 a driver that is stopped is named, with how to end it', async () => {
    const world = newWorld();
    const { gate, code } = await driven(world);
    const run = gate.split('.')[0] ?? '';
    const pid = driverOf(world);
    process.kill(pid, 'SIGSTOP');
    try {
      const refused = await world.person('answer', gate, 'skip', '--code', code);
      expect(refused.code).toBe(3);
      expect(refused.stdout.replace(/\s+/g, ' ')).toContain(
        `Process ${pid} drives ${run} and does not answer`,
      );
      expect(refused.stdout).toContain(`baton stop ${run}`);
      expect(openGates(world)).toEqual([gate]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});

/** The process that drives a run in this world: its socket is named by its id. */
function driverOf(world: World): number {
  const [socket = ''] = globSync('*/drivers/*.sock', { cwd: world.home });
  return Number(path.basename(socket, '.sock'));
}
