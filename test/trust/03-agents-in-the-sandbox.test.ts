import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { changing, SMALL, TASK } from '../scenario/deliver-lab.ts';
import { changeNotes, deliverScript } from '../support/deliver-script.ts';
import { writePersonConfig } from '../support/person-config.ts';
import { typeRun } from '../support/typed-run.ts';
import { type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { flat } from './flat.ts';

const newWorld = worldsOfTest();

/** A person whose home is empty, and one program of theirs with these lines of shell. */
function personWith(program: string, script: string, personConfig: string): World & { theirs: string } {
  // A world of its own for home and programs: the environment is known before the other one is made.
  const base = path.dirname(newWorld().root);
  const [person, bin] = [path.join(base, 'person'), path.join(base, 'bin')];
  for (const folder of [person, bin]) mkdirSync(folder);
  writeFileSync(path.join(bin, program), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(bin, program), 0o755);
  const PATH = `${bin}${path.delimiter}${process.env.PATH}`;
  const config = path.join(person, '.config');
  writePersonConfig(config, personConfig);
  // Ignored here; a version that still starts programs named by a repository fails for want of its folders.
  const files = { ...SMALL, 'baton.yaml': personConfig };
  const world = newWorld({ files, env: { HOME: person, XDG_CONFIG_HOME: config, PATH } });
  return { ...world, config, theirs: person };
}

const spec = (world: World) =>
  world.run('spec', 'A tool that renames photos', '--agent', 'mine', '--mode', 'quick', '--no-input');

describe('a program keeps what it needs in its own folders', () => {
  test.each([
    ['copilot', 'acp', '.copilot/logs'],
    ['copilot', 'command', '.copilot/session-state'],
    ['kimi', 'command', '.kimi/sessions'],
    ['kimi', 'command', '.kimi-code'],
    ['qwen', 'command', '.qwen/tmp'],
    ['goose', 'command', '.config/goose'],
    ['goose', 'command', '.local/share/goose/sessions'],
    ['goose', 'acp', '.local/state/goose/logs'],
  ])('TRUST-03 %s as %s, never started here before, writes ~/%s', async (program, kind, folder) => {
    const script = `mkdir -p "$HOME/${folder}" && echo kept > "$HOME/${folder}/x"; exit 1`;
    const config = `agents: { mine: { kind: ${kind}, command: [${program}] } }\n`;
    const world = personWith(program, script, config);
    const { stdout } = await spec(world);
    const kept = path.join(world.theirs, folder, 'x');
    expect(existsSync(kept) && readFileSync(kept, 'utf8'), stdout).toBe('kept\n');
  });

  test.each([['~/.my-agent'], ['HOME/.my-agent']])(
    'TRUST-03 another program writes the folders its person lists: %s',
    async (listed) => {
      const script = 'mkdir -p "$HOME/.my-agent/logs" && echo kept > "$HOME/.my-agent/logs/x"; exit 1';
      const world = personWith('my-agent', script, '');
      const folder = listed.replace('HOME', world.theirs);
      const mine = `{ kind: command, command: [my-agent], folders: ['${folder}'] }`;
      writePersonConfig(world.config, `agents: { mine: ${mine} }\n`);
      const { stdout } = await spec(world);
      expect(existsSync(path.join(world.theirs, '.my-agent/logs/x')), stdout).toBe(true);
    },
  );
});

test('TRUST-03 a worker that the sandbox stopped says so, with the key that helps', async () => {
  const script = 'echo "Error: EROFS: read-only file system, mkdir \'$HOME/.my-agent\'" >&2; exit 1';
  const world = personWith('my-agent', script, 'agents: { mine: { kind: command, command: [my-agent] } }\n');
  const { stdout } = await spec(world);
  const told = `the sandbox does not let it use ${world.theirs}/.my-agent: list its folder under agents.mine.folders`;
  expect(flat(stdout)).toContain(told);
  const [run = ''] = /sp-\w+/.exec(stdout) ?? [];
  expect(flat((await world.run('log', run)).stdout)).toContain('agents.mine.folders');
});

describe('a check that fails for lack of something in the sandbox says which setting allows it', () => {
  const NETWORK =
    'In the sandbox checks have no network. If it needs the network, set "sandbox_network: checks"';
  const DOCKER = 'In the sandbox there is no docker. If it needs docker, only "sandbox: off"';

  /** The run at a terminal up to the gate that nobody answers. */
  async function deliver(says: string, before: 'fails' | 'passes', personConfig = '') {
    const check = `${before === 'fails' ? '' : 'grep -q hello greeting.txt || '}{ echo '${says}'; exit 1; }\n`;
    const again = {
      edits: [{ path: 'greeting.txt', content: 'HI\n' }],
      result: changeNotes({ files: ['greeting.txt'] }),
    };
    const roles = { ...changing(), generator_single: [again, again, again, again] };
    const files = { ...SMALL, 'check.sh': check, 'script.json': deliverScript(roles) };
    const { root, home, config, main } = newWorld({ git: true, files, personConfig });
    const env = { ...process.env, BATON_HOME: home, XDG_CONFIG_HOME: config, LANG: 'C.UTF-8' };
    const words = [
      'deliver',
      TASK,
      '--mode',
      'single',
      '--model-config',
      'balanced',
      '--script',
      'script.json',
    ];
    return typeRun([process.execPath, main, ...words], { cwd: root, env });
  }

  test.each([
    ['Error: getaddrinfo ENOTFOUND db.example.org', NETWORK],
    ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is it running?', DOCKER],
  ])('TRUST-03 in the progress and at gate Verify: %s', async (says, told) => {
    const { screen, answered } = await deliver(says, 'passes');
    expect(answered, screen).toContain('Verify');
    const [progress = '', gate = ''] = screen.split(/^Verify · .*$/m).map(flat);
    expect(progress).toContain(`test: ${told}`);
    expect(gate).toContain(`test: ${told}`);
  });

  test('TRUST-03 on the untouched tree too, where the failure would count as old', async () => {
    const { screen } = await deliver('curl: (6) Could not resolve host: example.org', 'fails');
    expect(flat(screen.split(/^Convention scan/m)[0] ?? '')).toContain(`test: ${NETWORK}`);
  });

  test('TRUST-03 not where checks have the network', async () => {
    const says = 'Error: getaddrinfo ENOTFOUND db.example.org';
    const { screen } = await deliver(says, 'fails', 'sandbox_network: checks\n');
    expect(screen).not.toContain('sandbox_network');
  });
});
