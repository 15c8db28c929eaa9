import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { deliverScript, HAPPY, NPM_PROJECT } from '../support/deliver-script.ts';
import { writePersonConfig } from '../support/person-config.ts';
import { type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { type Seat, sitDown } from './sit-down.ts';

const newWorld = worldsOfTest();
const LEAST = 'Answered at a terminal. Workers were not sandboxed; a program of yours could have done this.';
const BY_SUDO = 'Answered at a terminal and confirmed with sudo. Workers were not sandboxed.';
const BY_KEY = 'Answered at a terminal and confirmed with a security key. Workers were not sandboxed.';

let seats: Seat[] = [];
afterEach(() => {
  for (const seat of seats) seat.leave();
  seats = [];
});

interface Waiting {
  readonly id: string;
  readonly run: string;
  readonly digest: string;
}

/** A run that waits at its first gate; every terminal opened from now on is younger. */
async function waitingRun(world: World): Promise<Waiting> {
  await world.run('spec', 'Rename photos by date', '--mode', 'quick', '--no-input');
  const [gate] = world.openGates();
  if (!gate) throw new Error('no gate');
  return gate;
}

async function logOf(world: World, run: string): Promise<string> {
  return (await world.run('log', run)).stdout.replace(/\s+/g, ' ');
}

/** A file beside the folder of the world. */
function beside(world: World, name: string): string {
  return path.join(path.dirname(world.root), name);
}

/** A program that the world without a sandbox finds first. It writes what it was asked into `<name>.asked`. */
function fake(world: World, name: string, script: string): void {
  const text = `#!/bin/sh\necho "$*" >> '${beside(world, `${name}.asked`)}'\n${script}\n`;
  writeFileSync(beside(world, `bin/${name}`), text, { mode: 0o755 });
}

function askedOf(world: World, name: string): string[] {
  const file = beside(world, `${name}.asked`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** `sudo` that needs a password and takes it or not. */
const TAKES = 'case "$*" in *-n*) exit 1;; esac; exit 0';
const REFUSES = 'exit 1';
const NEEDS_NONE = 'exit 0';

function makeKey(file: string, passphrase = ''): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'ada', '-f', file]);
}

/** The person's own settings with a key of this world. */
function setKey(world: World, name: string): string {
  const key = beside(world, name);
  writePersonConfig(world.config, `proof: { security_key: ${key} }\n`);
  return key;
}

describe('where workers had no sandbox and the terminal is younger than the run', () => {
  test.each([
    ['it takes the password', TAKES, 0],
    ['it does not take the password', REFUSES, 3],
    ['it needs no password, so it proves nothing', NEEDS_NONE, 3],
  ])('TRUST-06 proof: sudo, and %s', async (_name, script, code) => {
    const world = newWorld({ bare: true, personConfig: 'proof: sudo\n' });
    fake(world, 'sudo', script);
    const gate = await waitingRun(world);
    const done = await world.person('answer', gate.id, 'skip', '--no-drive');
    expect(done.code).toBe(code);
    const log = await logOf(world, gate.run);
    expect(log).not.toContain(LEAST);
    expect(log.includes(BY_SUDO)).toBe(code === 0);
    if (code === 0) return expect(askedOf(world, 'sudo')).toEqual(['-k -n -v', '-k -v']);
    expect(done.stdout.replace(/\s+/g, ' ')).toContain('your own settings have "proof: sudo"');
    expect(await world.json('gates')).toMatchObject([{ id: gate.id }]);
  });

  test.each<[string, (key: string) => void, number]>([
    ['it signs', (key) => makeKey(key), 0],
    ['there is no such key', () => undefined, 3],
    [
      'the signature is of another key',
      (key) => {
        for (const name of [key, `${key}.other`]) makeKey(name);
        writeFileSync(`${key}.pub`, readFileSync(`${key}.other.pub`));
      },
      3,
    ],
  ])('TRUST-06 proof: security_key, and %s', async (_name, make, code) => {
    const world = newWorld({ bare: true });
    make(setKey(world, 'key'));
    const gate = await waitingRun(world);
    const done = await world.person('answer', gate.id, 'skip', '--no-drive');
    expect(done.code).toBe(code);
    const log = await logOf(world, gate.run);
    expect(log).not.toContain(LEAST);
    expect(log.includes(BY_KEY)).toBe(code === 0);
    if (code === 0) return;
    expect(done.stdout.replace(/\s+/g, ' ')).toContain('your own settings have "proof: security_key"');
    expect(await world.json('gates')).toMatchObject([{ id: gate.id }]);
  });

  test('TRUST-06 the key asks on the terminal, for a text made for this gate and this moment', async () => {
    const world = newWorld({ bare: true });
    makeKey(setKey(world, 'key'), 'open sesame');
    const real = execFileSync('sh', ['-c', 'command -v ssh-keygen'], { encoding: 'utf8' }).trim();
    const signed = beside(world, 'signed');
    fake(
      world,
      'ssh-keygen',
      `for last; do :; done; [ "$2" = sign ] && cat "$last" >> '${signed}'; exec ${real} "$@"`,
    );
    const gate = await waitingRun(world);
    for (const [phrase, exit] of [
      ['wrong', 3],
      ['open sesame', 0],
    ] as const) {
      const seat = sitDown(
        world,
        `baton answer ${gate.id} skip --digest ${gate.digest} --no-input --no-drive`,
      );
      seats.push(seat);
      await seat.until(/passphrase.*: ?$/);
      seat.type(phrase);
      expect(await seat.done).toBe(exit);
    }
    const texts = readFileSync(signed, 'utf8').trim().split('\n');
    expect(texts).toHaveLength(2);
    expect(new Set(texts).size).toBe(2);
    for (const text of texts) expect(text).toContain(gate.digest);
    expect(await logOf(world, gate.run)).toContain(BY_KEY);
  });

  test('TRUST-06 a gate that was not shown yet is shown first, and the password is asked for once', async () => {
    const world = newWorld({ bare: true, personConfig: 'proof: sudo\n' });
    fake(world, 'sudo', TAKES);
    const gate = await waitingRun(world);
    const seat = sitDown(world, `baton answer ${gate.id} skip --no-drive`);
    seats.push(seat);
    await seat.until(/^› $/m);
    expect(askedOf(world, 'sudo')).toEqual([]);
    seat.type('skip');
    expect(await seat.done).toBe(0);
    expect(askedOf(world, 'sudo')).toEqual(['-k -n -v', '-k -v']);
    expect(await logOf(world, gate.run)).toContain(BY_SUDO);
  });

  test('TRUST-06 the trust level is not changed without it either', async () => {
    const world = newWorld({ bare: true, personConfig: 'proof: sudo\n' });
    fake(world, 'sudo', REFUSES);
    await waitingRun(world);
    expect(await world.typed('trust', 'autonomous')).toMatchObject({ code: 3 });
  });

  test('TRUST-06 settings that cannot be read give no weaker answer', async () => {
    const world = newWorld({ bare: true });
    const gate = await waitingRun(world);
    writePersonConfig(world.config, 'proof: password\n');
    const done = await world.person('answer', gate.id, 'skip', '--no-drive');
    expect(done.code).toBe(3);
    expect(await world.json('gates')).toMatchObject([{ id: gate.id }]);
  });

  test('TRUST-06 the evidence of a delivered change names the proof', async () => {
    const world = newWorld({
      bare: true,
      git: true,
      files: { ...NPM_PROJECT, 'script.yaml': deliverScript(HAPPY) },
      personConfig: 'proof: sudo\n',
    });
    fake(world, 'sudo', TAKES);
    const task = ['deliver', 'Add two numbers', '--mode', 'single', '--model-config', 'balanced'];
    await world.run(...task, '--script', 'script.yaml', '--no-input');
    for (const options of [{ conventions: 'skip' }, { spec: 'proceed' }, { finish: 'code_only' }]) {
      const [open] = world.openGates();
      const option = (options as Record<string, string>)[open?.name ?? ''];
      if (option) await world.person('answer', open?.id ?? '', option);
    }
    const [run] = await world.json<{ run: string }[]>('list', '--all');
    const { stdout } = await world.run('show', run?.run ?? '', 'evidence');
    expect(stdout).toContain(BY_SUDO);
    expect(stdout).not.toContain(LEAST);
  });
});

describe('where more than the terminal speaks for the person', () => {
  const personConfig = 'proof: { security_key: /nowhere/key }\n';

  test('TRUST-06 it is not asked for with a sandbox', async () => {
    const world = newWorld({ personConfig });
    const gate = await waitingRun(world);
    expect(await world.person('answer', gate.id, 'skip', '--no-drive')).toMatchObject({ code: 0 });
    expect(await logOf(world, gate.run)).toContain('Workers and checks were sandboxed');
  });

  test('TRUST-06 it is not asked for at a terminal opened before the work began', async () => {
    const world = newWorld({ bare: true, personConfig });
    const command = 'baton spec "Rename photos by date" --mode quick --no-input';
    const seat = sitDown(world, `${command}; baton answer sp skip --no-input; exit 7`);
    seats.push(seat);
    expect(await seat.done).toBe(7);
    const [run] = await world.json<{ run: string }[]>('list', '--all');
    expect(await logOf(world, run?.run ?? '')).toContain(
      'Answered at a terminal opened before the work began.',
    );
  });
});
