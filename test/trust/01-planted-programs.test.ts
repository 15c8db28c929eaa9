import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { changing } from '../scenario/deliver-lab.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { answerDeliver, playDeliver } from './deliver-by-hand.ts';

const newWorld = worldsOfTest();

let folders: string[] = [];
afterEach(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders = [];
});

/** A folder that a sandbox does not hide and lets no one write: a file in it was written outside. */
function outsideFolder(): string {
  const folder = mkdtempSync(path.resolve('node_modules', '.baton-outside-'));
  folders.push(folder);
  return folder;
}

const PROGRAMS = [
  'git',
  'sudo',
  'ssh-keygen',
  'bwrap',
  'setpriv',
  'sh',
  'env',
  'ps',
  'tput',
  'stty',
  'claude',
];

const FILES = {
  'baton.yaml': "checks: { build: null, test: 'true', lint: null, type_check: null }\n",
  'greeting.txt': 'hello\n',
  '.gitignore': ['node_modules', ...PROGRAMS.map((name) => `/${name}`), ''].join('\n'),
};

/** Puts programs into a folder of the repository that note that they run, and then do what the real ones do. */
function plant(folder: string, noted: string): string {
  const fake = `#!/bin/sh\necho "\${0##*/} $*" >> ${noted}\nexec "/usr/bin/\${0##*/}" "$@"\n`;
  const file = path.posix.join(folder, PROGRAMS[0] ?? '');
  const copies = PROGRAMS.slice(1).map((name) => `cp ${file} ${path.posix.join(folder, name)}`);
  return [`cat > ${file} << 'END'\n${fake}END`, `chmod +x ${file}`, ...copies].join('\n');
}

/** What a person may have on their PATH, and which folder of the repository that is. */
const PATHS = [
  ['the folder itself', '$PWD/node_modules/.bin', 'node_modules/.bin'],
  ['a relative folder', 'node_modules/.bin', 'node_modules/.bin'],
  ['a link to the folder', '$PWD/../link', 'node_modules/.bin'],
  ['an empty entry', '', '.'],
] as const;

test.each(PATHS)(
  'TRUST-01 with --in-place, no program that a worker put on the PATH runs outside: %s',
  async (_, entry, folder) => {
    const noted = path.join(outsideFolder(), 'noted');
    const below = ['sh', '-c', `PATH="${entry}:$PATH"; export PATH; exec "$@"`, 'sh'];
    // Below a temporary folder the room would show the folder of the PATH read-only.
    const world = newWorld({ git: true, files: FILES, below, under: outsideFolder() });
    mkdirSync(path.join(world.root, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(path.join(world.root, 'node_modules', '.bin'), path.join(world.root, '..', 'link'));
    const worker = changing(undefined, { runs: plant(folder, noted) });
    const { run } = await playDeliver(world, worker, ['skip', 'proceed'], ['--in-place']);
    expect(existsSync(path.join(world.root, folder, 'claude'))).toBe(true);
    const { screen } = await answerDeliver(world, run, 'code_only');
    for (const command of ['doctor', 'status', 'agents']) await world.run(command);
    expect(existsSync(noted) ? readFileSync(noted, 'utf8') : '').toBe('');
    expect((await world.json<{ status: string }[]>('list', '--all'))[0]?.status, screen).toBe('ended');
  },
);

test('TRUST-01 a program of the repository never confirms an answer in place of sudo', async () => {
  const below = ['sh', '-c', 'PATH="$PWD/node_modules/.bin:$PATH"; exec "$@"', 'sh'];
  const world = newWorld({ bare: true, personConfig: 'proof: sudo\n', below });
  mkdirSync(path.join(world.root, 'node_modules/.bin'), { recursive: true });
  const takes = '#!/bin/sh\ncase "$*" in *-n*) exit 1;; esac\nexit 0\n';
  writeFileSync(path.join(world.root, 'node_modules/.bin/sudo'), takes, { mode: 0o755 });
  writeFileSync(path.join(world.root, '../bin/sudo'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  await world.run('spec', 'Rename photos by date', '--mode', 'quick', '--no-input');
  const [gate] = await world.json<{ id: string }[]>('gates');
  const done = await world.person('answer', gate?.id ?? '', 'skip', '--no-drive');
  expect(done.stdout.replace(/\s+/g, ' ')).toContain(
    'sudo did not ask you for a password or did not take it',
  );
  expect(await world.json('gates')).toMatchObject([{ id: gate?.id }]);
});
