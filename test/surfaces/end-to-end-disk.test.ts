import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { DOCS } from '../scenario/quick-lab.ts';
import { mount, mountRefusal, unmount } from '../support/mounts.ts';
import { type Done, stands, terminalRefusal, type World, worldsOfTest } from './end-to-end.ts';

const newWorld = worldsOfTest();
const refusal = mountRefusal() ?? terminalRefusal();
const SPEC = ['spec', 'Rename photos by date', '--mode', 'quick'];

let mounted: string[] = [];
afterEach(() => {
  for (const dir of mounted.reverse()) {
    unmount(dir);
    rmSync(dir, { recursive: true, force: true });
  }
  mounted = [];
});

function mountAt(...args: string[]): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'baton-disk-'));
  const complaint = mount(...args.map((arg) => (arg === 'HERE' ? dir : arg)));
  if (complaint !== null) throw new Error(complaint);
  mounted.push(dir);
  return dir;
}

describe.skipIf(refusal !== null)(`a disk that fails${refusal ? `: ${refusal}` : ''}`, () => {
  test.each([0, 4, 12, 24, 48, 96, 160])(
    'full but for %i KB: the command says so, nothing is lost, and the run goes on when there is space',
    async (kilobytes) => {
      const home = mountAt('-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', 'HERE');
      const world = newWorld({ home });
      await world.run(...SPEC);
      const [asked] = await world.json<{ id: string; digest: string }[]>('gates');
      const filler = fill(home, kilobytes * 1024);
      const full = await answerFirst(world, '--digest', asked?.digest ?? '');
      expectClear(full);
      if (full.code === 1 || full.code === 3)
        expect(full.stdout + full.stderr).toMatch(/disk_full[\s\S]*Nothing is lost/);
      rmSync(filler);
      expect(await world.run('doctor', '--deep')).toMatchObject({ code: 0 });
      const [now] = await world.json<{ id: string }[]>('gates');
      if (now?.id === asked?.id) await answerFirst(world);
      await finish(world);
      expect(stands(world, `${DOCS}/spec.md`)).toBe(true);
      const notes = await world.run('show', 'sp', 'qa_notes');
      expect(notes.stdout.match(/everybody/g)).toHaveLength(1);
      expect(await world.run('doctor', '--deep')).toMatchObject({ code: 0 });
    },
  );

  test('full at the very start: refused with a reason, no run, and the same command works with space', async () => {
    const home = mountAt('-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', 'HERE');
    const world = newWorld({ home });
    const filler = fill(home, 0);
    const full = await world.run(...SPEC);
    expectClear(full);
    expect([1, 3]).toContain(full.code);
    rmSync(filler);
    expect(await world.run(...SPEC)).toMatchObject({ code: 4 });
    expect(await world.json<unknown[]>('list')).toHaveLength(1);
  });

  test.each(['a folder', 'a repository'])(
    'read-only at the very start, in %s: refused with a reason, and nothing is left in the folder',
    async (kind) => {
      const home = mountAt('-t', 'tmpfs', '-o', 'size=1m,ro', 'tmpfs', 'HERE');
      const world = newWorld({ home, git: kind === 'a repository' });
      const end = await world.run(...SPEC);
      expectClear(end);
      expect(end.code).toBe(3);
      expect(end.stderr).toMatch(/store_read_only[\s\S]*Nothing is lost/);
      expect(stands(world, 'docs')).toBe(false);
    },
  );

  test('a folder that is read-only: init says that, and not that its file is there already', async () => {
    const world = newWorld();
    expect(mount('-t', 'tmpfs', '-o', 'ro', 'tmpfs', world.root)).toBeNull();
    mounted.push(world.root);
    const end = await world.run('init');
    expectClear(end);
    expect(end.code).toBe(1);
    expect(end.stderr).toMatch(/read-only[\s\S]*baton\.yaml/);
    expect(end.stderr).not.toContain('exists already');
  });

  test('read-only: every command says so and writes nothing, and the run goes on after the disk is writable again', async () => {
    const store = mkdtempSync(path.join(tmpdir(), 'baton-store-'));
    const home = mountAt('--bind', store, 'HERE');
    const world = newWorld({ home });
    await world.run(...SPEC);
    expect(mount('-o', 'remount,ro,bind', home)).toBeNull();
    for (const end of [
      await world.person('answer', 'sp', 'skip'),
      await world.run('resume', 'sp'),
      await world.run('stop', 'sp'),
      await world.run('spec', 'Another idea', '--mode', 'quick'),
    ]) {
      expectClear(end);
      expect([1, 3]).toContain(end.code);
      expect(end.stdout + end.stderr).toMatch(/store_read_only[\s\S]*Nothing is lost/);
    }
    expectClear(await world.run('status'));
    expect(mount('-o', 'remount,rw,bind', home)).toBeNull();
    expect(await world.person('answer', 'sp', 'skip')).toMatchObject({ code: 4 });
    await finish(world);
    expect(await world.json<unknown[]>('list', '--all')).toHaveLength(1);
    rmSync(store, { recursive: true, force: true });
  });
});

function answerFirst(world: World, ...more: string[]): Promise<Done> {
  return world.person('answer', 'sp', 'answer', '--field', 'q1=everybody', ...more);
}

function expectClear({ code, stdout, stderr }: Done): void {
  expect(stdout + stderr).not.toMatch(/bug in Baton|^\s+at .*:\d+/m);
  expect([0, 1, 3, 4, 5], stdout + stderr).toContain(code);
  if (code !== 0) expect((stdout + stderr).trim()).not.toBe('');
}

/** Fills a disk but for so many bytes. */
function fill(dir: string, left: number): string {
  const file = path.join(dir, 'filler');
  const { bavail, bsize } = statfsSync(dir);
  writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  return file;
}

const ANSWERS: Readonly<Record<string, string>> = { questions: 'no_more', next_step: 'done' };

/** Carries the run to its end from wherever it stands: lifts a halt or a trouble, then approves. */
async function finish(world: World): Promise<void> {
  for (let tries = 0; tries < 8; tries++) {
    const resumed = await world.person('resume', 'sp');
    if (resumed.code === 0 || /run_ended|has ended/.test(resumed.stdout)) return;
    const [gate] = await world.json<{ name: string }[]>('gates');
    const option = gate?.name.startsWith('trouble') ? 'retry' : ANSWERS[gate?.name ?? ''];
    const end = await world.person('answer', 'sp', option ?? 'approve');
    if (end.code === 0) return;
  }
  throw new Error('the run does not come to an end');
}
