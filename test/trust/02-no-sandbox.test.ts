import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, test } from 'vitest';
import { renderBrief } from '../../src/engine/brief.ts';
import { enterStep } from '../../src/engine/enter-step.ts';
import { brief } from '../../src/engine/whole-brief.ts';
import { loadWorkflow } from '../../src/workflow-table.ts';
import { changing, SMALL, TASK } from '../scenario/deliver-lab.ts';
import { deliverScript } from '../support/deliver-script.ts';
import { translator } from '../support/texts.ts';
import { typeRun } from '../support/typed-run.ts';
import { type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { flat } from './flat.ts';
import { programsWithout } from './programs-without.ts';

const newWorld = worldsOfTest();
const without = programsWithout('bwrap');
afterAll(() => without.remove());

const NONE = 'No sandbox: bubblewrap is not installed. Workers and checks can read your keys';
const INSTALL = /Install it: .*bubblewrap|Install the package bubblewrap/;
const OFF = 'sandbox: off\n';
const REQUIRED = 'sandbox: required\n';

/** A project with a rehearsal that changes it, on a machine without bubblewrap unless told otherwise. */
function newProject(personConfig = '', PATH = without.dir): World {
  const script = deliverScript(changing());
  const files = { ...SMALL, 'script.json': script };
  return newWorld({ git: true, files, personConfig, env: { PATH } });
}

const DELIVER = [
  'deliver',
  TASK,
  '--mode',
  'single',
  '--model-config',
  'balanced',
  '--script',
  'script.json',
];

/** The run at a terminal, from its first line to its commit. */
function deliver({ root, home, config, main }: World, PATH: string) {
  const env = { ...process.env, PATH, BATON_HOME: home, XDG_CONFIG_HOME: config, LANG: 'C.UTF-8' };
  return typeRun([process.execPath, main, ...DELIVER], { cwd: root, env });
}

describe('without bubblewrap', () => {
  test.each(['agents', 'doctor', 'init'])(
    'TRUST-02 `baton %s` says so, with the command that installs it',
    async (command) => {
      const world = newProject();
      execFileSync('rm', [`${world.root}/baton.yaml`]);
      const { stdout } = await world.run(command);
      expect(flat(stdout)).toContain(NONE);
      expect(flat(stdout)).toMatch(INSTALL);
    },
  );

  test('TRUST-02 --json has it as data and as words', async () => {
    const found = await newProject().json<Record<string, unknown>>('doctor');
    expect(found).toMatchObject({
      warnings: [
        { msg: expect.stringContaining('engine.sandbox.'), rendered: expect.stringContaining(NONE) },
      ],
    });
  });

  test('TRUST-02 a run says it in its first lines, at its commit gate and in its evidence', async () => {
    const world = newProject();
    const { screen, code } = await deliver(world, without.dir);
    expect(code, screen).toBe(0);
    const [start = '', commit = ''] = screen
      .split(/^Spec · .*$|^Commit · .*$/m)
      .flatMap((part, n) => (n === 1 ? [] : [flat(part)]));
    expect(start.split(NONE).length - 1, start).toBe(1);
    expect(start).toMatch(INSTALL);
    expect(commit).toContain('! Not sandboxed: bubblewrap is not installed.');
    const [run = ''] = /de-\w+/.exec(screen) ?? [];
    const evidence = (await world.run('show', run, 'evidence')).stdout;
    expect(evidence).toContain('Not sandboxed: bubblewrap is not installed.');
    const json = JSON.parse((await world.run('show', run, 'evidence_json')).stdout);
    expect(json.containment).toEqual({ kind: 'none', check_network: false, why: 'not_installed' });
    expect((await world.run('log', run)).stdout).toContain('No sandbox: bubblewrap is not installed.');
  });

  test.each([
    ["the person's settings", REQUIRED, SMALL['baton.yaml'] ?? ''],
    ['baton.yaml', '', `${REQUIRED}${SMALL['baton.yaml']}`],
  ])('TRUST-02 `sandbox: required` of %s refuses to start', async (_, personConfig, yaml) => {
    const world = newProject(personConfig);
    world.file('baton.yaml', yaml);
    const { code, stderr } = await world.run(...DELIVER);
    expect({ code, stderr: flat(stderr) }).toEqual({
      code: 3,
      stderr: expect.stringMatching(
        /no sandbox: bubblewrap is not installed\. Nothing was started\. Install/,
      ),
    });
    expect(await world.json('list', '--all')).toEqual([]);
  });
});

test('TRUST-02 `sandbox: off` is said like a missing sandbox, with the file that says it', async () => {
  const world = newProject(OFF, process.env.PATH ?? '');
  const { stdout } = await world.run('doctor');
  expect(flat(stdout)).toContain(`No sandbox: ${world.config}/baton/config.yaml says "sandbox: off".`);
});

test('TRUST-02 with bubblewrap nothing is said, and the evidence names the sandbox', async () => {
  const world = newProject('', process.env.PATH ?? '');
  const { screen, code } = await deliver(world, process.env.PATH ?? '');
  expect(code, screen).toBe(0);
  expect(flat(screen)).not.toMatch(/No sandbox|Not sandboxed/);
  const [run = ''] = /de-\w+/.exec(screen) ?? [];
  const { stdout } = await world.run('show', run, 'evidence');
  expect(stdout).toContain('Sandbox: workers and checks ran in bubblewrap. Checks had no network.');
  expect((await world.run('agents')).stdout).not.toContain('No sandbox');
});

test('TRUST-02 of all gates exactly those that commit, release or merge say that nothing was sandboxed', async () => {
  const says = async (name: string) => {
    const gates = (await loadWorkflow(name))?.gates ?? {};
    const shown = (gate: string) => {
      const step = { kind: 'gate', gate: { name: gate, brief: brief({ decide: 'Do it?' }) } } as const;
      const entered = enterStep(step, {
        ...{ run: 'de-1', turn: 1, counters: {}, gates, again: null },
        ...{ hash: (text) => `sha256:${text}`, now: '2026-11-18T12:00:00.000Z', unsandboxed: 'blocked' },
      });
      return entered.gate ? renderBrief(entered.gate.brief, translator('en')) : '';
    };
    return Object.keys(gates).filter((gate) =>
      shown(gate).includes('! Not sandboxed: this system does not let bubblewrap create namespaces'),
    );
  };
  expect({
    spec: await says('spec'),
    deliver: await says('deliver'),
    conduct: await says('conduct'),
  }).toEqual({
    spec: [],
    deliver: ['commit'],
    conduct: ['release', 'approval'],
  });
});
