import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hardFileLimit, isTagged } from '../../src/adapters/processes/process-tag.ts';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import { findBwrap, outsidePath } from '../../src/adapters/sandbox/outside-path.ts';
import { reasonOf } from '../../src/adapters/sandbox/probe.ts';
import { enterRoom, type Surroundings } from '../../src/adapters/sandbox/room.ts';
import { toolPaths } from '../../src/adapters/sandbox/tools.ts';
import type { Exit, Room } from '../../src/ports/processes.ts';
import { until } from '../support/lab.ts';

let base: string;
const at = (name: string) => path.join(base, name);
const processes = createProcesses(
  () => 'sandboxtests',
  async (spec) => enterRoom(spec, surroundings()),
);
const RUN = `sb-${process.pid}`;

beforeEach(() => {
  // Outside of temporary folders, which every room has of its own.
  base = mkdtempSync(path.resolve('node_modules', '.baton-sandbox-'));
  for (const name of ['state/trees/de-1/tree', 'state/calls/1/out', 'home/.ssh', 'home/.own'])
    mkdirSync(at(name), { recursive: true });
  mkdirSync(at('other'));
  writeFileSync(at('state/baton.db'), 'rows');
  writeFileSync(at('home/.ssh/id'), 'secret');
});
afterEach(async () => {
  await processes.killLeftovers(RUN);
  rmSync(base, { recursive: true, force: true });
});

function surroundings(more: Partial<Surroundings> = {}): Surroundings {
  const homes = [at('home')];
  return {
    bwrap: findBwrap(process.env.PATH ?? ''),
    homes,
    tools: toolPaths(homes, PATH(), []),
    show: [],
    state: at('state'),
    cache: at('state/cache'),
    gitconfig: at('gitconfig'),
    ...more,
  };
}

const PATH = () => `${at('home/tools/bin')}:${process.env.PATH}`;

interface Ran extends Exit {
  readonly said: string;
  readonly stderr: string;
}

async function start(argv: readonly string[], room: Partial<Room> = {}) {
  const out = at('state/calls/1');
  return processes.spawn({
    argv,
    cwd: at('state/trees/de-1/tree'),
    call_id: `${RUN}/1/0.1`,
    env: { PATH: PATH(), HOME: at('home') },
    stdin: '',
    stdout: path.join(out, 'stdout'),
    stderr: path.join(out, 'stderr'),
    room: {
      ...{ own: true, writes: true, programs: [], show: [out], network: false, cache: { of: 'agents' } },
      ...{ write: [path.join(out, 'out'), at('home/.own'), at('home/.missing')], ...room },
    },
  });
}

async function run(script: string, room: Partial<Room> = {}, argv = ['sh', '-c']): Promise<Ran> {
  const exit = await (await start([...argv, script], room)).exit;
  const [said = '', stderr = ''] = ['stdout', 'stderr'].map((name) =>
    readFileSync(at(`state/calls/1/${name}`), 'utf8').trim(),
  );
  return { ...exit, said, stderr };
}

const saying = async (...given: Parameters<typeof run>) => (await run(...given)).said;

describe('a process in the sandbox', () => {
  test('writes in its tree, beside its result and in its own folder, and nothing else is kept', async () => {
    const kept = ['state/trees/de-1/tree', 'state/calls/1/out', 'home/.own'].map(at);
    const lost = ['state/calls/1', 'home', 'other', 'state/cache'].map(at);
    await run([...kept, ...lost].map((location) => `touch ${location}/new`).join('; '));
    expect([...kept, ...lost].filter((location) => existsSync(path.join(location, 'new')))).toEqual(kept);
  });

  test('a role that only reads cannot write its tree, but can give its result', async () => {
    await run(`echo x > stray; echo ok > ${at('state/calls/1/out/result.json')}`, { writes: false });
    expect(readdirSync(at('state/trees/de-1/tree'))).toEqual([]);
    expect(readFileSync(at('state/calls/1/out/result.json'), 'utf8')).toBe('ok\n');
  });

  test('in a person’s folder it writes files, and nothing of their git directory', async () => {
    const tree = at('state/trees/de-1/tree');
    mkdirSync(path.join(tree, '.git'));
    await run('touch new; mkdir .git/hooks; mv .git away', { own: false });
    expect(readdirSync(tree).sort()).toEqual(['.git', 'new']);
    expect(readdirSync(path.join(tree, '.git'))).toEqual([]);
  });

  test('sees neither the state of runs nor anything of the home but its own folders', async () => {
    expect(await saying(`cat ${at('state/baton.db')} ${at('home/.ssh/id')}; ls -A ${at('home')}`)).toBe(
      '.own',
    );
    expect((await saying(`ls -A ${at('state')}`)).split('\n').sort()).toEqual(['cache', 'calls', 'trees']);
  });

  test('finds programs of the PATH below the home, and what their links lead to', async () => {
    mkdirSync(at('home/tools/bin'), { recursive: true });
    mkdirSync(at('home/.local/share/thing/bin'), { recursive: true });
    writeFileSync(at('home/.local/share/thing/words'), 'found');
    const tool = '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../words"\n';
    writeFileSync(at('home/.local/share/thing/bin/tool'), tool, { mode: 0o755 });
    const { symlinkSync } = process.getBuiltinModule('node:fs');
    symlinkSync(at('home/.local/share/thing/bin/tool'), at('home/tools/bin/tool'));
    expect(await saying('tool')).toBe('found');
  });

  test('sees of the temporary folder the program it is and what is with it, and nothing else', async () => {
    const [own = '', other = ''] = ['own', 'other'].map((name) =>
      mkdtempSync(path.join(tmpdir(), `baton-${name}-`)),
    );
    try {
      mkdirSync(`${own}/bin`);
      writeFileSync(`${own}/part`, 'its part');
      writeFileSync(`${other}/secret`, 'not its own');
      writeFileSync(`${own}/bin/tool`, '#!/bin/sh\neval "$1"\n', { mode: 0o755 });
      const script = `cat ${own}/part; touch ${own}/new && echo written; ls ${other}`;
      expect(await saying(script, {}, [`${own}/bin/tool`])).toBe('its part');
    } finally {
      for (const folder of [own, other]) rmSync(folder, { recursive: true, force: true });
    }
  });

  test('reaches no service of the person that listens on a socket it can see', async () => {
    const server = createServer((asked) => asked.end('at your service'));
    const socket = path.relative(process.cwd(), at('other/bus'));
    // A path of a socket is short: it is bound relative to the working directory, and listed like that.
    server.listen(socket.length < 100 ? at('other/bus') : socket);
    await once(server, 'listening');
    try {
      expect(
        await saying(
          `test -S ${at('other/bus')} && echo reached; test -c ${at('other/bus')} && echo covered`,
        ),
      ).toBe('covered');
    } finally {
      server.close();
    }
  });

  test('has a network of its own where it may not use ours: loopback works, nothing else', async () => {
    const script = `
      const server = require('node:net').createServer((one) => one.end('heard'));
      server.listen(0, '127.0.0.1', () => {
        require('node:net').connect(server.address().port, '127.0.0.1').on('data', (words) => {
          console.log(String(words), Object.keys(require('node:os').networkInterfaces()).join());
          server.close();
        });
      });`;
    expect(await saying(script, { programs: [process.execPath] }, [process.execPath, '-e'])).toBe('heard lo');
  });
});

describe('the end of a process in the sandbox', () => {
  test.each([
    ['exit 7', { code: 7 }, /^1 \(sh\) R/],
    ['kill -9 $$', { code: 137 }, /^1 \(sh\) R/],
    ['sleep 600 & exit 0', { code: 0 }, /^(?!1 )\d+ \((sleep|sh)\) [RS]/m],
  ])('%s', async (script, exit, left) => {
    expect(await run(script)).toMatchObject({ ...exit, signal: null });
    expect(readFileSync(at('state/calls/1/stdout.left'), 'utf8')).toMatch(left);
  });

  test('a sandbox that cannot be made is named, and the program has not run', async () => {
    writeFileSync(at('state/calls/1/file'), 'no folder');
    const blocked = createProcesses(
      () => 'sandboxtests',
      async (spec) =>
        enterRoom(spec, surroundings({ homes: [at('state/calls/1/file')], state: at('other') })),
    );
    const running = await blocked.spawn({
      argv: ['sh', '-c', 'echo ran'],
      cwd: at('state/trees/de-1/tree'),
      call_id: `${RUN}/1/0.1`,
      env: { PATH: PATH() },
      stdin: '',
      stdout: at('stdout'),
      stderr: at('stderr'),
      room: { own: true, writes: true, programs: [], show: [], write: [], network: true, cache: null },
    });
    expect(await running.exit).toMatchObject({
      fault: expect.stringContaining("bwrap: Can't"),
    });
    expect(readFileSync(at('stdout'), 'utf8')).toBe('');
  });

  test('killing the outer sandbox frees nothing: what was in it is found by its tag', async () => {
    const note = at('state/trees/de-1/tree/pid');
    const hidden = `env -i setsid -f sh -c 'cd /; echo up > ${note}; exec sleep 600'`;
    const running = await start(['sh', '-c', `${hidden}; exec sleep 600`]);
    await until(() => existsSync(note));
    process.kill(running.pid, 'SIGKILL');
    await running.exit;
    const { ended, left } = await processes.killLeftovers(`${RUN}/1/0.1`, undefined, true);
    expect([ended.length >= 3, left]).toEqual([true, []]);
  });

  test('everything in it has the tag, and cannot take it off', async () => {
    const limits = "grep 'Max file size' /proc/self/limits";
    const script = `ulimit -Hf unlimited; env -i setsid sh -c "${limits}"; unshare -r sh -c 'ulimit -Hf unlimited' && echo raised`;
    const [limit = '', ...more] = (await saying(script)).split('\n');
    expect(hardFileLimit()).toBeNull();
    const file = BigInt(/(\d+) +bytes/.exec(limit)?.[1] ?? 0);
    expect(isTagged({ file, locks: null })).toBe(true);
    expect(more).toEqual([]);
  });
});

test('bubblewrap is never a program from a tree', () => {
  writeFileSync(at('state/trees/de-1/tree/bwrap'), '', { mode: 0o755 });
  const tree = at('state/trees/de-1/tree');
  const real = findBwrap(process.env.PATH ?? '');
  expect(findBwrap(outsidePath(`.:${tree}:${process.env.PATH}`, [at('state')]))).toBe(real);
  expect(findBwrap(outsidePath(`${tree}:`, []))).toBe(path.join(tree, 'bwrap'));
  expect(existsSync(outsidePath(`.:${tree}`, [at('state')]))).toBe(false);
});

test.each([
  ['ENOENT spawn bwrap ENOENT', 'not_installed'],
  ['1 bwrap: No permissions to create new namespace, likely because the kernel does not allow', 'blocked'],
  ['1 bwrap: Creating new namespace failed: Operation not permitted', 'blocked'],
  [
    '1 bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
    'switched_off',
  ],
  ["1 bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'masked_proc'],
  ['1 bwrap: setting up uid map: Permission denied', 'apparmor'],
  ['1 bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', 'apparmor'],
  ['1 something else', 'unusable'],
])('"%s" means %s', (words, reason) => {
  expect(reasonOf(words)).toBe(reason);
});
