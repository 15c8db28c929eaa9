import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask, draft, script } from '../scenario/quick-lab.ts';
import { until } from '../support/lab.ts';
import { isRunning, terminalRefusal, uniqueSleep, type World, worldsOfTest } from './end-to-end.ts';

const newWorld = worldsOfTest();
const noTerminal = terminalRefusal();
const SPEC = ['spec', 'Rename photos by date', '--mode', 'quick'];

interface LogLine {
  readonly type: string;
  readonly input: { readonly gate?: string; readonly option?: string } | null;
}

describe.skipIf(noTerminal !== null)(
  `two processes and one run${noTerminal ? `: ${noTerminal}` : ''}`,
  () => {
    test('of several people who answer at once exactly one wins; the others are told and change nothing', async () => {
      const world = newWorld({ files: { 'script.yaml': SCRIPT } });
      await world.run(...SPEC, '--script', 'script.yaml');
      await world.person('answer', 'sp', 'skip');
      const answers = [
        ['approve'],
        ['modify', '--text', 'Add videos.'],
        ['stop'],
        ['modify', '--text', 'Add sounds.'],
      ];
      const [gate] = await world.json<{ id: string }[]>('gates');
      const ends = await Promise.all(
        answers.map((answer) => world.person('answer', gate?.id ?? '', ...answer)),
      );
      const refused = ends.filter(({ code }) => code === 3);
      expect(ends.map(({ code }) => code).filter((code) => ![0, 3, 4].includes(code ?? -1))).toEqual([]);
      expect(refused).toHaveLength(3);
      const given = (await log(world)).filter(({ type }) => type === 'gate_answered');
      expect(given).toHaveLength(2);
      await expectSound(world);
    });

    test('of two that resume one interrupted run exactly one performs the step', async () => {
      const entry = { delay: '1s', ...ask('Which formats?') };
      const world = newWorld({ files: { 'script.yaml': script({ interviewer: [entry] }) } });
      const first = world.start(...SPEC, '--script', 'script.yaml');
      await until(() => isRunning(world.home));
      first.child.kill('SIGKILL');
      await first.done;
      const ends = await Promise.all([1, 2, 3].map(() => world.run('resume', 'sp')));
      const codes = ends.map(({ code }) => code).sort();
      expect(codes.filter((code) => code === 4).length).toBeGreaterThanOrEqual(1);
      expect(codes.filter((code) => code !== 4 && code !== 3)).toEqual([]);
      const settled = (await log(world)).filter(({ type }) => type === 'gate_opened');
      expect(settled).toHaveLength(1);
      expect(callsOf(world)).toHaveLength(1);
      await expectSound(world);
    });

    test('a stop from elsewhere ends the worker of the one that drives, which says so and exits 5', async () => {
      const marker = uniqueSleep();
      const entry = { leaves_process: marker, hang: true };
      const world = newWorld({ files: { 'script.yaml': script({ interviewer: [entry] }) } });
      const driving = world.start(...SPEC, '--script', 'script.yaml');
      await until(() => isRunning(marker));
      expect(await world.run('resume', 'sp')).toMatchObject({ code: 3 });
      expect(await world.run('stop', 'sp')).toMatchObject({ code: 0 });
      expect(await driving.done).toMatchObject({ code: 5 });
      expect(isRunning(marker)).toBe(false);
      expect(await world.json('status')).toMatchObject({ halted: [{ halt: { kind: 'stopped' } }] });
      await expectSound(world);
    });

    test('driving, answering, stopping and resuming all at once comes to one sound end, each gate answered once', async () => {
      const world = newWorld({ files: { 'script.yaml': SCRIPT } });
      await world.run(...SPEC, '--script', 'script.yaml');
      const moves: string[][] = [
        ['answer', 'sp', 'skip'],
        ['answer', 'sp', 'approve'],
        ['answer', 'sp', 'modify', '--text', 'Add videos.'],
        ['resume', 'sp'],
        ['stop', 'sp'],
        ['status', 'sp'],
      ];
      for (let round = 0; round < 3; round++) {
        const ends = await Promise.all(
          moves.map(([command = '', ...args]) =>
            command === 'answer' || command === 'resume'
              ? world.person(command, ...args)
              : world.run(command, ...args),
          ),
        );
        for (const end of ends) {
          expect([0, 2, 3, 4, 5], end.stdout + end.stderr).toContain(end.code);
          expect(end.stdout + end.stderr).not.toMatch(/bug in Baton|^\s+at /m);
        }
        await expectSound(world);
      }
      await finish(world);
      const answered = (await log(world)).flatMap(({ type, input }) =>
        type === 'gate_answered' ? [input?.gate] : [],
      );
      expect(new Set(answered).size).toBe(answered.length);
      await expectSound(world);
    });
  },
);

const writers = Array.from({ length: 20 }, () => ({ delay: '200ms', ...draft(['q1']) }));
const SCRIPT = script({ interviewer: [ask('Which formats?')], writer: writers });

/** Carries the run to its end, wherever the others left it. */
async function finish(world: World): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    const { code } = await world.person('resume', 'sp');
    if (code === 0 || code === 3) return;
    await world.person('answer', 'sp', 'skip');
    await world.person('answer', 'sp', 'approve');
    await world.person('answer', 'sp', 'done');
  }
  throw new Error('the run does not come to an end');
}

async function log(world: World): Promise<LogLine[]> {
  const { stdout } = await world.run('log', 'sp', '--json');
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return all.flat();
}

async function expectSound(world: World): Promise<void> {
  const { code, stdout } = await world.run('doctor', '--deep');
  expect(stdout, stdout).not.toContain('not what the log says');
  expect(code).toBe(0);
}

function callsOf(world: World): string[] {
  const [id = ''] = readdirSync(world.home);
  const calls = path.join(world.home, id, 'calls');
  return readdirSync(calls).flatMap((run) => readdirSync(path.join(calls, run)));
}
