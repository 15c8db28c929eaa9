import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { killFoundProcesses } from '../../src/adapters/processes/kill-leftovers.ts';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import type { SpawnSpec } from '../../src/ports/processes.ts';
import { until } from '../support/lab.ts';

const processes = createProcesses();
/** A sweep looks at the whole machine: another run of these tests must not carry our mark. */
const RUN = `sp-t${process.pid}`;
let folder: string;
let strangers: ChildProcess[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-processes-')));
  strangers = [];
});

afterEach(async () => {
  for (const stranger of strangers) stranger.kill('SIGKILL');
  await processes.killLeftovers(RUN, folder);
  rmSync(folder, { recursive: true, force: true });
});

function spec(argv: readonly string[], more: Partial<SpawnSpec> = {}): SpawnSpec {
  const name = more.call_id?.replaceAll('/', '_') ?? 'call';
  return {
    argv,
    cwd: folder,
    call_id: `${RUN}/1/0.1`,
    env: { PATH: process.env.PATH ?? '' },
    stdin: '',
    stdout: join(folder, `${name}.out`),
    stderr: join(folder, `${name}.err`),
    ...more,
  };
}

/** Runs a shell script under a mark; every process it wants watched appends its pid to a file. */
function shell(script: string, more: Partial<SpawnSpec> = {}) {
  return processes.spawn(spec(['/bin/sh', '-c', script], more));
}

const pidFile = () => join(folder, 'pids');

async function pidsWritten(count: number): Promise<number[]> {
  // Only whole lines: the file is there, and empty, before the first one is written.
  const pids = () =>
    existsSync(pidFile()) ? readFileSync(pidFile(), 'utf8').split('\n').slice(0, -1).map(Number) : [];
  await until(() => pids().length === count);
  return pids();
}

async function allOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

function processRuns(pid: number): boolean {
  const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z';
  return !/\) [ZX]/.test(state);
}

/** A process nobody may touch: started by this test without a mark. */
async function stranger(cwd: string, env: Record<string, string> = {}): Promise<number> {
  const child = spawn('/bin/sh', ['-c', 'exec sleep 600'], { cwd, env: { PATH: process.env.PATH, ...env } });
  strangers.push(child);
  await until(() => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').startsWith('sleep'));
  return child.pid ?? 0;
}

describe('two workspaces on one machine', () => {
  test('have calls of the same name, and a sweep of one ends nothing of the other', async () => {
    const [here, there] = [createProcesses(() => 'aaaaaaaaaaaa'), createProcesses(() => 'bbbbbbbbbbbb')];
    const sleeper = (name: string) =>
      spec(['/bin/sh', '-c', 'sleep 600 & wait'], {
        stdout: join(folder, name),
        stderr: join(folder, `${name}.err`),
      });
    const own = await here.spawn(sleeper('own'));
    const other = await there.spawn(sleeper('other'));
    // A process that was started by somebody who is dead is known by its environment alone.
    const heir = createProcesses(() => 'aaaaaaaaaaaa');
    expect((await heir.killLeftovers(RUN)).ended).toContain(own.pid);
    expect([processRuns(own.pid), processRuns(other.pid)]).toEqual([false, true]);
    expect((await there.killLeftovers(RUN)).ended).toContain(other.pid);
  });
});

describe('killLeftovers', () => {
  test('ends the marked process, its grandchildren and a child in a session of its own', async () => {
    const note = `echo $$ >> ${pidFile()}`;
    const leaf = `'${note}; exec sleep 600'`;
    await shell(`${note}; setsid sh -c ${leaf} & sh -c "sh -c ${leaf} & wait" & wait`);
    const pids = await pidsWritten(3);

    const { ended, left } = await processes.killLeftovers(`${RUN}/1/0.1`);

    expect(left).toEqual([]);
    expect(ended).toEqual(expect.arrayContaining(pids));
    expect(pids.filter(processRuns)).toEqual([]);
  });

  test('ends a descendant that cleared its environment and left the session while its parent lives', async () => {
    const leaf = `setsid env -i /bin/sh -c 'echo $$ >> ${pidFile()}; exec sleep 600'`;
    await shell(`${leaf} & wait`);
    const pids = await pidsWritten(1);

    await processes.killLeftovers(`${RUN}/1/0.1`);

    expect(pids.filter(processRuns)).toEqual([]);
  });

  test('ends a worker that cleared its own environment', async () => {
    const running = await processes.spawn(
      spec(['/usr/bin/env', '-i', '/bin/sh', '-c', `echo $$ >> ${pidFile()}; exec sleep 600`]),
    );
    await pidsWritten(1);

    expect(await processes.killLeftovers(`${RUN}/1/0.1`)).toMatchObject({ ended: [running.pid], left: [] });
    expect(await running.exit).toEqual({ code: null, signal: 'SIGTERM' });
  });

  test('finds a daemon without environment and parents by its working directory, and only then', async () => {
    const tree = join(folder, 'tree');
    mkdirSync(join(tree, 'deep'), { recursive: true });
    const daemon = `cd ${tree}/deep; setsid env -i /bin/sh -c 'echo $$ >> ${pidFile()}; exec sleep 600' &`;
    const running = await shell(`(${daemon})`, { trusted: true });
    const [pid = 0] = await pidsWritten(1);
    await running.exit;

    await processes.killLeftovers(`${RUN}/1/0.1`);
    expect(processRuns(pid), 'a command of the person has no tag').toBe(true);

    expect(await processes.killLeftovers(`${RUN}/1/0.1`, tree)).toEqual({
      ended: [pid],
      left: [],
      programs: ['sleep'],
    });
    expect(processRuns(pid)).toBe(false);
  });

  test('leaves alone what is not a worker: beside the tree, our own children in it, a parallel call in it', async () => {
    const tree = join(folder, 'tree');
    mkdirSync(tree);
    const beside = await stranger(folder);
    const ours = await stranger(tree);
    const parallel = await shell('exec sleep 600', { call_id: `${RUN}/1/1.1`, cwd: tree });
    const killed = await shell('exec sleep 600', { call_id: `${RUN}/1/0.1`, cwd: tree });

    expect(await processes.killLeftovers(`${RUN}/1/0.1`, tree)).toMatchObject({
      ended: [killed.pid],
      left: [],
    });

    expect([beside, ours, parallel.pid].map(processRuns)).toEqual([true, true, true]);
  });

  test.each([
    ['/2/1', ['/2/1.1', '/2/1.2'], ['/2/10.1', '/2/2.1', '2/2/1.1']],
    ['/2/1.1', ['/2/1.1'], ['/2/1.10', '/2/1.2']],
    ['', ['/2/1.1', '/3/0.1'], ['2/1/0.1', 't/1/0.1']],
  ])('the mark sp-t%s covers sp-t followed by %j and not by %j', async (end, covered, others) => {
    const start = (more: string) => shell('exec sleep 600', { call_id: RUN + more });
    const targets = await Promise.all(covered.map(start));
    const spared = await Promise.all(others.map(start));
    try {
      const { ended } = await processes.killLeftovers(RUN + end);
      expect(ended.toSorted()).toEqual(targets.map(({ pid }) => pid).toSorted());
      expect(spared.every(({ pid }) => processRuns(pid))).toBe(true);
    } finally {
      for (const other of others) await processes.killLeftovers(RUN + other);
    }
  });

  test('ends a process that ignores SIGTERM', async () => {
    const running = await shell(`trap '' TERM; echo $$ >> ${pidFile()}; while :; do sleep 1; done`);
    await pidsWritten(1);

    const { left } = await processes.killLeftovers(`${RUN}/1/0.1`);

    expect(left).toEqual([]);
    expect((await running.exit).signal).toBe('SIGKILL');
  });

  test('ends nothing when nothing carries the mark', async () => {
    const other = await stranger(folder, { BATON_CALL: 'sp-u/1/0.1' });
    expect(await processes.killLeftovers(`${RUN}/9/9.9`, folder)).toEqual({
      ended: [],
      left: [],
      programs: [],
    });
    expect(processRuns(other)).toBe(true);
  });

  test('refuses the whole system as a tree', async () => {
    await expect(processes.killLeftovers(RUN, '/')).rejects.toThrow('not a tree');
    await expect(processes.killLeftovers('')).rejects.toThrow('found by a call id');
  });
});

describe('holders', () => {
  test('this process is alive, the same pid with another start is not, another host is unknown', () => {
    const self = processes.self();
    expect(processes.isAlive(self)).toBe(true);
    expect(processes.isAlive({ ...self, start: `${self.start}1` })).toBe(false);
    expect(processes.isAlive({ ...self, host: 'elsewhere', start: 'x' })).toBe(true);
    expect(createProcesses().self()).toEqual(self);
  });

  test('a holder is dead when its process has ended', async () => {
    const running = await shell('exit 0');
    await running.exit;
    const { host, start } = processes.self();
    expect(processes.isAlive({ host, pid: running.pid, start })).toBe(false);
  });
});

describe('workerAncestor', () => {
  const program = `
    import { createProcesses } from ${JSON.stringify(join(import.meta.dirname, '../../src/adapters/processes/processes.ts'))};
    console.log(String(createProcesses().workerAncestor()));
  `;

  test.each([
    ['a marked process', (run: string) => `exec ${run}`],
    ['a child that cleared its environment', (run: string) => `env -i ${run}; true`],
    ['a child that unset only the mark', (run: string) => `env -u BATON_CALL ${run}; true`],
  ])('%s names the mark', async (_, wrap) => {
    const file = join(folder, 'ask.ts');
    writeFileSync(file, program);
    const running = await shell(wrap(`${process.execPath} ${file}`), { call_id: `${RUN}/4/0.2` });
    expect(await allOf(running.lines())).toEqual([`${RUN}/4/0.2`]);
  });

  test('a process that no worker started has none', () => {
    expect(processes.workerAncestor()).toBeNull();
  });
});

describe('spawn', () => {
  test('gives the prompt as stdin, exactly the environment asked for, and lines as they come', async () => {
    const go = join(folder, 'go');
    const script = `env; cat; echo; echo first; while [ ! -e ${go} ]; do sleep 0.02; done; printf 'last, no newline'`;
    const running = await shell(script, {
      stdin: 'the prompt',
      env: { ONLY: 'this', PATH: '/usr/bin:/bin' },
    });
    const lines: string[] = [];
    for await (const line of running.lines()) {
      lines.push(line);
      if (line === 'first') writeFileSync(go, '');
    }
    const shells = /^(PWD|OLDPWD|SHLVL|_)=/;
    const environment = lines.filter((line) => line.includes('=') && !shells.test(line));
    expect(environment.toSorted()).toEqual([`BATON_CALL=${RUN}/1/0.1`, 'ONLY=this', 'PATH=/usr/bin:/bin']);
    expect(lines.slice(-3)).toEqual(['the prompt', 'first', 'last, no newline']);
    expect(await running.exit).toEqual({ code: 0, signal: null });
  });

  test('the child leads a session of its own and holds files, not pipes', async () => {
    const running = await shell('exec sleep 600');
    const stat = readFileSync(`/proc/${running.pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
    expect(Number(stat?.[3])).toBe(running.pid);
    expect(realpathSync(`/proc/${running.pid}/fd/1`)).toBe(join(folder, 'call.out'));
    expect(realpathSync(`/proc/${running.pid}/fd/2`)).toBe(join(folder, 'call.err'));
  });

  test('a program that does not exist is not started, and asking again would not help', async () => {
    await expect(processes.spawn(spec(['no-such-program-anywhere']))).rejects.toMatchObject({
      name: 'AdapterError',
      failure: { code: 'not_started', retry: 'permanent' },
    });
  });

  test('a working directory that does not exist is named', async () => {
    const cwd = join(folder, 'nowhere');
    const started = processes.spawn(spec(['/bin/sh'], { cwd }));
    await expect(started).rejects.toMatchObject({ failure: { detail: expect.stringContaining(cwd) } });
  });
});

test('a process that shows no environment while it becomes another program is looked at once more', async () => {
  const sleeper = spawn('sleep', ['600'], { stdio: 'ignore' });
  strangers.push(sleeper);
  const isAlive = () => sleeper.exitCode === null && sleeper.signalCode === null;
  const shown = { pid: sleeper.pid ?? 0, ppid: 1, start: '1', terminal: false, cwd: null, program: 'sleep' };
  let looks = 0;
  const look = () => {
    if (!isAlive()) return [];
    return [looks++ === 0 ? { ...shown, call_id: null, blank: true as const } : { ...shown, call_id: RUN }];
  };
  expect(await killFoundProcesses(look, { call_id: RUN })).toMatchObject({ ended: [sleeper.pid], left: [] });
  expect(isAlive()).toBe(false);
});

test('one that shows no environment and is gone at the next look ends the sweep there', async () => {
  const gone = { pid: 2 ** 22, ppid: 1, start: '1', terminal: false, cwd: null, program: 'x', call_id: null };
  let looks = 0;
  const look = () => (looks++ === 0 ? [{ ...gone, blank: true as const }] : []);
  expect(await killFoundProcesses(look, { call_id: RUN })).toMatchObject({ ended: [], left: [] });
  expect(looks).toBe(2);
});
