import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { changing } from '../scenario/deliver-lab.ts';
import { isRunning, worldsOfTest } from '../surfaces/end-to-end.ts';
import { existing, hostileWorlds, type Paths } from './hostile-world.ts';

const hostile = hostileWorlds(worldsOfTest());

const YAML = "checks: { build: null, test: 'sh check.sh', lint: null, type_check: null }\n";

/** A check that tries everything it must not be able to do, and notes in `seen` what it got. */
function attack({ person, outside, home, sleep }: Paths): string {
  const got = (what: string, command: string) => `(${command}) > /dev/null 2>&1 && echo '${what}' >> seen`;
  return [
    'echo ran >> seen',
    got('read a key', 'cat "$HOME/.ssh/id"'),
    got('read the state', `ls ${home}/*/baton.db`),
    got('unmounted', `umount ${person} || umount -l ${person}; cat ${person}/.ssh/id`),
    got('remounted', `mount -o remount,rw,bind /; echo x > ${outside}/remounted`),
    got('killed a process outside', `kill -0 ${process.pid}`),
    `echo x > ${person}/.bashrc`,
    `echo x > ${outside}/written`,
    `env -i setsid -f sh -c 'cd /; exec ${sleep}' > /dev/null 2>&1`,
    'true',
    '',
  ].join('\n');
}

describe('a check of `deliver`', () => {
  test('TRUST-01 reads no key and no state, writes nothing outside its tree and leaves nothing running', async () => {
    const world = hostile((at) => ({
      'baton.yaml': YAML,
      'check.sh': attack(at),
      'greeting.txt': 'hello\n',
    }));
    await world.deliver(changing());
    expect({
      seen: [...new Set(world.seen())],
      written: existing(
        path.join(world.person, '.bashrc'),
        path.join(world.outside, 'written'),
        path.join(world.outside, 'remounted'),
      ),
      left: isRunning(world.sleep),
    }).toEqual({ seen: ['ran'], written: [], left: false });
  });

  test('TRUST-01 does not answer the commit gate from a detached process with a terminal of its own', async () => {
    const world = hostile(({ home, sleep }) => ({
      'baton.yaml': YAML,
      'greeting.txt': 'hello\n',
      'main.txt': '',
      'check.sh': [
        'run=$(basename "$(dirname "$PWD")")',
        `answer="BATON_HOME=${home} ${process.execPath} $(cat main.txt) answer $run.g3 code_only"`,
        `env -i PATH="$PATH" HOME="$HOME" setsid -f sh -c "cd /; until script -qec '$answer' /dev/null; do ${sleep} & sleep 0.2; done" > /dev/null 2>&1`,
        'true',
        '',
      ].join('\n'),
    }));
    world.file('main.txt', world.main);
    execFileSync('git', ['commit', '-qam', 'main'], { cwd: world.root });
    const { screen } = await world.typed_deliver(changing(), { 'Convention scan': 'skip', Spec: 'proceed' });
    const gates = world.openGates();
    expect({ gates: gates.map(({ name }) => name), left: isRunning(world.sleep) }, screen).toEqual({
      gates: ['commit'],
      left: false,
    });
  });

  test('TRUST-01 installs packages into a cache of its own, and listens on loopback without a network', async () => {
    const note =
      "const note = (...what) => require('node:fs').appendFileSync('seen', what.concat('\\n').join(' '));";
    const world = hostile(() => ({
      'baton.yaml':
        "checks: { build: null, test: 'node check.js', lint: null, type_check: null, install: 'sh install.sh' }\n",
      'install.sh': 'npm install && test -d "$npm_config_cache/_logs" && echo cached >> seen\n',
      'package.json': JSON.stringify({ name: 'app', version: '1.0.0', dependencies: { dep: 'file:./dep' } }),
      'dep/package.json': JSON.stringify({ name: 'dep', version: '1.0.0' }),
      'dep/index.js': "module.exports = 'dep';\n",
      'greeting.txt': 'hello\n',
      '.gitignore': 'seen\nnode_modules\n',
      'check.js': [
        note,
        "note('installed', require('dep'));",
        "const server = require('node:net').createServer().listen(0, '127.0.0.1', () => {",
        "  note('listens on', Object.keys(require('node:os').networkInterfaces()).join());",
        '  server.close();',
        '});',
        '',
      ].join('\n'),
    }));
    await world.deliver(changing());
    expect([...new Set(world.seen().map((line) => line.trim()))]).toEqual([
      'cached',
      'installed dep',
      'listens on lo',
    ]);
    expect(existing(path.join(world.person, '.npm'))).toEqual([]);
  });
});
