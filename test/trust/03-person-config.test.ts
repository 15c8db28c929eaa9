import { chmodSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { SMALL, TASK } from '../scenario/deliver-lab.ts';
import { type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { flat } from './flat.ts';

const newWorld = worldsOfTest();

interface Warning {
  readonly msg: string;
  readonly args: Readonly<Record<string, string>>;
  readonly rendered: string;
}

interface Event {
  readonly type: string;
  readonly text?: Pick<Warning, 'args'>;
}

const file = ({ config }: World) => path.join(config, 'baton', 'config.yaml');
const warningsOf = async (world: World) =>
  (await world.json<{ warnings?: readonly Warning[] }>('doctor')).warnings ?? [];

/** Every setting that a repository may not have. */
const FOREIGN = `sandbox: off
sandbox_show: [/etc]
sandbox_network: checks
agents:
  mine: { kind: command, command: [./agent.sh], env: [HOME], folders: [~/.mine] }
`;
const KEYS = [
  ...['sandbox: off', 'sandbox_show', 'sandbox_network'],
  ...['agents.mine.command', 'agents.mine.env', 'agents.mine.folders'],
];

describe("settings in baton.yaml that belong in the person's own", () => {
  test('TRUST-03 are ignored, each with one warning that names the key, the file and where it belongs', async () => {
    const world = newWorld({ files: { 'baton.yaml': FOREIGN } });
    const warnings = await warningsOf(world);
    expect(warnings.map(({ rendered }) => rendered)).toEqual(
      KEYS.map((key) =>
        expect.stringMatching(new RegExp(`^baton.yaml: "${key}" is ignored.*${file(world)}$`)),
      ),
    );
    const stdout = flat((await world.run('doctor')).stdout);
    for (const key of KEYS) expect(stdout.split(`"${key}" is ignored`).length - 1, key).toBe(1);
  });

  test('TRUST-03 are said once in the first lines of a run, also with --json', async () => {
    const world = newWorld({ files: { ...SMALL, 'baton.yaml': `${FOREIGN}${SMALL['baton.yaml']}` } });
    const { stdout } = await world.run('spec', 'A tool that renames photos', '--no-input');
    const first = flat(stdout.split(/^.*·.*\.g1$/m)[0] ?? '');
    for (const key of KEYS) expect(first.split(`"${key}" is ignored`).length - 1, key).toBe(1);
    const { stdout: lines } = await world.run('spec', 'A tool that sorts photos', '--no-input', '--json');
    const events = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Event);
    const told = events.flatMap(({ type, text }) => (type === 'notice' && text ? [text.args] : []));
    expect(told.map(({ key, value }) => key ?? `sandbox: ${value}`)).toEqual(KEYS);
  });

  test('TRUST-03 a program named in baton.yaml is never started', async () => {
    const world = newWorld({
      files: { ...SMALL, 'baton.yaml': FOREIGN, 'agent.sh': '#!/bin/sh\necho ran > ran.txt\n' },
    });
    chmodSync(path.join(world.root, 'agent.sh'), 0o755);
    const { code, stderr } = await world.run('deliver', TASK, '--agent', 'mine');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('agents.mine.command') });
  });
});

describe('the sandbox that counts', () => {
  test.each([
    ['', 'off', 'weaker'],
    ['', 'auto', null],
    ['', 'required', null],
    ['auto', 'off', 'weaker'],
    ['required', 'auto', 'weaker'],
    ['required', 'off', 'weaker'],
    ['off', 'required', null],
    ['required', 'required', null],
  ])("TRUST-03 the person says '%s' and baton.yaml '%s': %s", async (person, project, warning) => {
    const personConfig = person === '' ? '' : `sandbox: ${person}\n`;
    const world = newWorld({ files: { 'baton.yaml': `sandbox: ${project}\n` }, personConfig });
    const found = (await warningsOf(world)).map(({ msg }) => msg).filter((msg) => /settings/.test(msg));
    expect(found).toEqual(warning === null ? [] : [`engine.settings.${warning}`]);
  });
});

describe("a wrong value in the person's settings is refused like one of baton.yaml", () => {
  test.each([
    ['sandbx: off', 'sandbx "off": there is no such setting. Allowed: sandbox, sandbox_show, '],
    ['sandbox: yes', 'sandbox "yes": not allowed. Allowed: auto, off, required.'],
    ['sandbox_network: all', 'sandbox_network "all": not allowed. Allowed: checks.'],
    ['sandbox_show: [.npmrc]', 'sandbox_show.0 ".npmrc": must be an absolute path or begin with ~/.'],
    ['agents: { x: { comand: [a] } }', '. Did you mean "command"?'],
    [
      'agents: { x: { models: {} } }',
      'agents.x.models "{}": there is no such setting. Allowed: kind, command, ',
    ],
    ['agents: { x: { env: [A-B] } }', 'agents.x.env.0 "A-B": must be the name of an environment variable.'],
    ['{', 'Flow map'],
  ])('TRUST-03 %s', async (personConfig, told) => {
    const world = newWorld({ files: SMALL, personConfig });
    const { code, stderr } = await world.run('deliver', TASK);
    expect({ code, stderr: flat(stderr) }).toEqual({
      code: 3,
      stderr: expect.stringContaining(told),
    });
    expect(flat(stderr)).toContain(`${file(world)}: `);
  });
});

describe("who can read and write the person's settings", () => {
  test('TRUST-03 `baton init` writes them for their owner alone, and never over others', async () => {
    const world = newWorld();
    expect((await world.run('init')).stdout).toContain(file(world));
    expect(statSync(file(world)).mode & 0o777).toBe(0o600);
    const other = newWorld({ personConfig: 'sandbox: auto\n' });
    await other.run('init');
    expect(statSync(file(other)).size).toBe('sandbox: auto\n'.length);
  });

  test.each([
    [0o600, 0, []],
    [0o644, 0, ['engine.settings.readable']],
    [0o640, 0, ['engine.settings.readable']],
    [0o660, 3, ['engine.settings.refused']],
    [0o602, 3, ['engine.settings.refused']],
  ])('TRUST-03 mode %o: exit %i, %j', async (mode, exit, told) => {
    const world = newWorld({ files: SMALL, personConfig: 'sandbox: auto\n' });
    chmodSync(file(world), mode);
    expect((await warningsOf(world)).map(({ msg }) => msg)).toEqual(told);
    const { code, stdout, stderr } = await world.run('spec', 'A tool that renames photos', '--no-input');
    expect({ refused: code === 3, chmod: flat(`${stdout}${stderr}`).includes('chmod 600') }).toEqual({
      refused: exit === 3,
      chmod: told.length > 0,
    });
  });
});
