import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canContain, contain, secretsOf, servicesIn } from '../../src/adapters/sandbox/contain.ts';

/** Where the machine has no bubblewrap nothing of it can be seen; `.ci/run` installs it. */
const here = await canContain();

describe.skipIf(!here)('a worker in the sandbox', () => {
  let base: string;
  const at = (name: string) => path.join(base, name);
  beforeEach(() => {
    // /tmp is private inside, and homes of tests may lie there.
    base = mkdtempSync('/var/tmp/baton-sandbox-');
    for (const name of ['state/trees/de-1/tree', 'state/calls/1/out', 'home/.ssh', 'home/.own', 'other'])
      mkdirSync(at(name), { recursive: true });
    writeFileSync(at('state/baton.db'), 'rows');
    writeFileSync(at('home/.ssh/id'), 'secret');
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const run = (script: string, writes = true, argv = ['sh', '-c'], kept: string[] = []): string => {
    const room = {
      kept,
      tree: at('state/trees/de-1/tree'),
      writes,
      dir: at('state/calls/1'),
      out: at('state/calls/1/out'),
      own: [at('home/.own'), at('home/.missing')],
      hidden: [...servicesIn(at('run')), at('state'), ...secretsOf(at('home'))],
      programs: [at('run/user/1000/node/bin'), '/usr/bin'],
    };
    const [program = '', ...args] = contain([...argv, script], room);
    return execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  };

  test('writes in its tree, beside its result and in its own folder, and nowhere else', () => {
    const places = [
      'state/trees/de-1/tree',
      'state/calls/1/out',
      'home/.own',
      'state/calls/1',
      'home',
      'other',
    ].map(at);
    const said = run(
      `${places.map((place) => `touch ${place}/new 2>/dev/null && echo ${place}`).join('; ')}; true`,
    );
    expect(said.split('\n')).toEqual(places.slice(0, 3));
    expect(places.map((place) => existsSync(path.join(place, 'new')))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('a role that only reads cannot write its tree, but can give its result', () => {
    expect(run(`echo x > stray; echo ok > ${at('state/calls/1/out/result.json')}; true`, false)).toBe('');
    expect(readdirSync(at('state/trees/de-1/tree'))).toEqual([]);
    expect(readFileSync(at('state/calls/1/out/result.json'), 'utf8')).toBe('ok\n');
  });

  test('in a person’s folder it writes files, and nothing of their git directory, be it a folder or a file', () => {
    const tree = at('state/trees/de-1/tree');
    mkdirSync(path.join(tree, '.git'));
    writeFileSync(path.join(tree, 'linked'), 'gitdir: elsewhere');
    const kept = ['.git', 'linked', 'missing'].map((name) => path.join(tree, name));
    run(
      'touch new; mkdir .git/hooks; mv .git away; echo x > linked; rm linked; true',
      true,
      ['sh', '-c'],
      kept,
    );
    expect(readdirSync(tree).sort()).toEqual(['.git', 'linked', 'new']);
    expect(readdirSync(path.join(tree, '.git'))).toEqual([]);
    expect(readFileSync(path.join(tree, 'linked'), 'utf8')).toBe('gitdir: elsewhere');
  });

  test('sees neither the state of runs nor keys of other programs', () => {
    expect(run(`cat ${at('state/baton.db')} ${at('home/.ssh/id')} 2>/dev/null; true`)).toBe('');
    expect(run(`ls -A ${at('home/.ssh')}`)).toBe('');
    expect(
      run(`ls -A ${at('state')}`)
        .split('\n')
        .sort(),
    ).toEqual(['calls', 'trees']);
  });

  test('a key behind a link, or in a file, is hidden as well', () => {
    mkdirSync(at('keys'));
    writeFileSync(at('keys/id'), 'secret');
    symlinkSync(at('keys'), at('home/.aws'));
    writeFileSync(at('home/.netrc'), 'secret');
    expect(run(`cat ${at('home/.aws/id')} ${at('keys/id')} ${at('home/.netrc')} 2>/dev/null; true`)).toBe('');
  });

  test('sees of the temporary folder the program it is and what lies with it, and nothing else', () => {
    const [own, other] = ['own', 'other'].map((name) => mkdtempSync(path.join('/tmp', `baton-${name}-`)));
    try {
      mkdirSync(`${own}/bin`);
      writeFileSync(`${own}/part`, 'its part');
      writeFileSync(`${other}/secret`, 'not its own');
      symlinkSync('/bin/sh', `${own}/bin/sh`);
      const script = `cat ${own}/part; touch ${own}/new 2>/dev/null && echo written; ls ${other} 2>/dev/null; true`;
      expect(run(script, true, [`${own}/bin/sh`, '-c'])).toBe('its part');
    } finally {
      for (const folder of [own, other]) rmSync(folder ?? '', { recursive: true, force: true });
    }
  });

  test('reaches no service that would start a program for it outside', async () => {
    const sockets = ['run/user/1000', 'run/podman', 'run', 'other'];
    for (const folder of sockets) mkdirSync(at(folder), { recursive: true });
    const servers = sockets.map((folder) => {
      const server = createServer((asked) => asked.end('at your service'));
      server.listen(at(folder === 'run' ? 'run/docker.sock' : `${folder}/bus`));
      return server;
    });
    const files = sockets.map((folder) => at(folder === 'run' ? 'run/docker.sock' : `${folder}/bus`));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    try {
      expect(run(`${files.map((file) => `test -S ${file} && echo ${file}`).join('; ')}; true`)).toBe(
        at('other/bus'),
      );
    } finally {
      for (const server of servers) server.close();
    }
  });

  test('finds its programs also where a version manager keeps them among the sockets', () => {
    mkdirSync(at('run/user/1000/node/bin'), { recursive: true });
    writeFileSync(at('run/user/1000/bus'), 'a socket');
    writeFileSync(at('run/user/1000/node/bin/tool'), '#!/bin/sh\necho found', { mode: 0o755 });
    expect(run(`${at('run/user/1000/node/bin/tool')}; ls ${at('run/user/1000')}`)).toBe('found\nnode');
  });

  test('sees no process of the person', () => {
    expect(Number(run('ls -d /proc/[0-9]* | wc -l'))).toBeLessThan(6);
  });
});
