import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { deliverScript, HAPPY, QUICK_PROJECT } from '../support/deliver-script.ts';
import { type Done, type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { fakeGit } from './fake-git.ts';
import { fingerprint } from './fingerprint.ts';

const newWorld = worldsOfTest();

const SPEC = ['spec', 'Rename photos by date', '--mode', 'quick'];
const DELIVER = ['deliver', 'Add a greeting', '--mode', 'single', '--model-config', 'balanced'];
const STARTS: readonly (readonly string[])[] = [DELIVER, SPEC];

const FILES = { ...QUICK_PROJECT, 'script.json': deliverScript(HAPPY) };
const SCRIPTED = [...DELIVER, '--script', 'script.json'];

/** Answers every gate with its first option until the run ends or needs something else. */
async function answerAll(world: World, most = 6): Promise<void> {
  for (let n = 0; n < most; n += 1) {
    const [gate] = await world.json<{ id: string; options: Record<string, unknown> }[]>('gates');
    const option = Object.keys(gate?.options ?? {})[0];
    if (!gate || option === undefined) return;
    const { code } = await world.person('answer', gate.id, option);
    if (code === 0) return;
  }
}

function flat({ stdout, stderr }: Done): string {
  return `${stdout}${stderr}`.replace(/\s+/g, ' ');
}

const DAMAGES: readonly (readonly [string, (dir: string) => void, RegExp])[] = [
  ['a broken config', (dir) => writeFileSync(path.join(dir, 'config'), '[core\n'), /bad config line 1/],
  ['no HEAD', (dir) => rmSync(path.join(dir, 'HEAD')), /not a git repository/],
  ['no objects', (dir) => rmSync(path.join(dir, 'objects'), { recursive: true }), /not a git repository/],
  [
    'a format of a later git',
    (dir) => writeFileSync(path.join(dir, 'config'), '[core]\n\trepositoryformatversion = 99\n'),
    /Expected git repo version/,
  ],
  [
    'a file in place of the git directory',
    (dir) => {
      rmSync(dir, { recursive: true });
      writeFileSync(dir, 'gitdir: /nowhere\n');
    },
    /not a git repository/,
  ],
];

describe('TRUST-17 a repository that git cannot read', () => {
  test.each(DAMAGES)(
    'TRUST-17 WF-10 %s is refused in git\u2019s words, and nothing changes',
    async (...row) => {
      const [, damage, words] = row;
      for (const known of [false, true]) {
        const world = newWorld({ git: true });
        if (known) expect(await world.run(...SPEC)).toMatchObject({ code: 4 });
        const runs = known ? await world.json<unknown[]>('list') : [];
        damage(path.join(world.root, '.git'));
        const before = fingerprint(world.root);
        for (const start of STARTS) {
          const end = await world.run(...start);
          if (end.code === 4) await answerAll(world);
          expect(fingerprint(world.root)).toEqual(before);
          expect(end).toMatchObject({ code: 3 });
          expect(flat(end)).toMatch(words);
          expect(flat(end)).toContain('docs/errors/folder.md#repository_unreadable');
        }
        if (known && before['.git/baton-id']) expect(await world.json<unknown[]>('list')).toEqual(runs);
      }
    },
  );

  test('TRUST-17 a sub folder of a damaged repository is refused too', async () => {
    const world = newWorld({ git: true, files: { 'src/a.ts': '' } });
    rmSync(path.join(world.root, '.git', 'HEAD'));
    const before = fingerprint(world.root);
    const inFolder = { cwd: path.join(world.root, 'src'), env: { ...process.env, BATON_HOME: world.home } };
    const refused = () =>
      execFileSync(process.execPath, [world.main, ...SPEC], { ...inFolder, stdio: 'pipe' });
    expect(refused).toThrow(expect.objectContaining({ status: 3 }));
    expect(fingerprint(world.root)).toEqual(before);
  });

  test.each([[false], [true]])('TRUST-17 WF-10 without a git program (--in-place: %s)', async (inPlace) => {
    const world = newWorld({ git: true, env: { PATH: '/nowhere' } });
    const before = fingerprint(world.root);
    for (const start of STARTS) {
      const end = await world.run(...start, ...(inPlace ? ['--in-place'] : []));
      expect(fingerprint(world.root)).toEqual(before);
      expect(end).toMatchObject({ code: 3 });
      expect(flat(end)).toContain('there is no git program');
    }
  });

  // The first calls decide where the run works; every later one fails inside the run.
  test.each([1, 2, 3, 4, 5, 6, 9, 14, 25])(
    'TRUST-17 git call %i fails once: the checkout stays as it is',
    async (call) => {
      const git = fakeGit(call, 'echo "fatal: unable to read the disk" >&2; exit 128');
      const world = newWorld({ git: true, files: FILES, env: { PATH: git.PATH } });
      const before = fingerprint(world.root, ['.git']);
      const end = await world.run(...SCRIPTED);
      await answerAll(world);
      expect(git.calls()).toBeGreaterThanOrEqual(call);
      expect(fingerprint(world.root, ['.git'])).toEqual(before);
      const [started] = await world.json<{ run: string }[]>('list', '--all');
      if (!started) return expect([1, 3]).toContain(end.code);
      expect((await world.run('status', started.run)).stdout).toContain(world.home);
    },
  );

  test('TRUST-17 a run that began with a clone does not fall back to the folder', async () => {
    const world = newWorld({ git: true, files: FILES });
    expect(await world.run(...SCRIPTED)).toMatchObject({ code: 4 });
    rmSync(path.join(world.root, '.git', 'HEAD'));
    const before = fingerprint(world.root);
    await answerAll(world, 1);
    expect(fingerprint(world.root)).toEqual(before);
    const [gate] = await world.json<{ name: string; text: string }[]>('gates');
    expect(gate?.text).toContain('not a git repository');
  });
});

describe('TRUST-17 a repository without a work tree here', () => {
  const LOCATIONS: readonly (readonly [string, (world: World) => string])[] = [
    [
      'a bare repository',
      (world) => {
        const bare = path.join(world.root, '..', 'bare.git');
        execFileSync('git', ['clone', '-q', '--bare', world.root, bare]);
        return bare;
      },
    ],
    ['the git directory', (world) => path.join(world.root, '.git')],
    ['a folder inside the git directory', (world) => path.join(world.root, '.git', 'hooks')],
    [
      'a repository whose work tree is elsewhere',
      (world) => {
        mkdirSync(path.join(world.root, '..', 'elsewhere'));
        execFileSync('git', ['config', 'core.worktree', '../../elsewhere'], { cwd: world.root });
        return world.root;
      },
    ],
  ];

  test.each(LOCATIONS)('TRUST-17 WF-10 %s is refused, and nothing changes', async (_name, location) => {
    const world = newWorld({ git: true });
    const cwd = location(world);
    const before = fingerprint(path.dirname(world.root), ['home']);
    const env = { ...process.env, BATON_HOME: world.home };
    const started = () => execFileSync(process.execPath, [world.main, ...SPEC], { cwd, env, stdio: 'pipe' });
    expect(started).toThrow(
      expect.objectContaining({ status: 3, stderr: expect.toSatisfy((text) => /no_work_tree/.test(text)) }),
    );
    expect(fingerprint(path.dirname(world.root), ['home'])).toEqual(before);
  });

  test('TRUST-17 GIT_DIR names a repository that Baton would not use: refused; in a work tree it is ignored', async () => {
    const other = newWorld({ git: true });
    const world = newWorld({ env: { GIT_DIR: path.join(other.root, '.git'), GIT_WORK_TREE: other.root } });
    const end = await world.run(...SPEC);
    expect(end).toMatchObject({ code: 3 });
    expect(flat(end)).toContain('GIT_DIR is set');
    expect(fingerprint(world.root)).toEqual({});
    const inTree = newWorld({ git: true, env: { GIT_DIR: path.join(other.root, '.git') } });
    expect(await inTree.run(...SPEC)).toMatchObject({ code: 4 });
  });

  // Only the root user may give a folder away.
  test.runIf(process.getuid?.() === 0)('TRUST-17 a repository of another owner is refused', async () => {
    const world = newWorld({ git: true });
    for (const folder of [world.root, path.join(world.root, '.git')]) chownSync(folder, 65534, 65534);
    const before = fingerprint(world.root);
    const end = await world.run(...SPEC);
    expect(end).toMatchObject({ code: 3 });
    expect(flat(end)).toContain('dubious ownership');
    expect(fingerprint(world.root)).toEqual(before);
  });
});
