import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { changing } from '../scenario/deliver-lab.ts';
import { type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { answerDeliver, playDeliver } from './deliver-by-hand.ts';

const newWorld = worldsOfTest();

/** Every place that a package manager reads packages or settings from, in the words of a shell. */
const LOCATIONS = [
  ...['CARGO_HOME', 'CARGO_HOME/registry', 'CARGO_HOME/git', 'GRADLE_USER_HOME', 'GRADLE_USER_HOME/init.d'],
  ...[
    'GRADLE_USER_HOME/caches',
    'npm_config_cache',
    'npm_config_store_dir',
    'YARN_CACHE_FOLDER',
    'COREPACK_HOME',
  ],
  ...['BUN_INSTALL_CACHE_DIR', 'DENO_DIR', 'PIP_CACHE_DIR', 'UV_CACHE_DIR', 'POETRY_CACHE_DIR', 'GOMODCACHE'],
  ...['GOCACHE', 'NUGET_PACKAGES', 'COMPOSER_CACHE_DIR', 'BUNDLE_USER_CACHE'],
  ...['CARGO_HOME/../m2', 'CARGO_HOME/../xdg'],
].map((name) => `"$${name}"`);

const plant = (who: string) =>
  `for d in ${LOCATIONS.join(' ')}; do mkdir -p "$d"; echo evil > "$d/${who}"; done`;
/** Notes what lies in the caches, without the names of the places. */
const query = (who: string) =>
  `echo ran >> seen; find "$CARGO_HOME/.." -name '${who}' | sed "s|.*/\\.\\./||" >> seen; true`;

const config = (install: string | null) =>
  `checks: { build: null, test: 'sh check.sh', lint: null, type_check: null, install: ${install ?? 'null'} }\n`;

/** What checks of all runs so far noted, each line once. */
function seen({ home }: World): string[] {
  const files = globSync(path.join(home, '*', 'trees', '*', 'tree', 'seen'));
  return [...new Set(files.flatMap((file) => readFileSync(file, 'utf8').trim().split('\n')))];
}

/** A run of the same task can only begin when the first one has ended. */
const TO_END = ['skip', 'proceed', 'no_commit'];

const FILES = { 'greeting.txt': 'hello\n', '.gitignore': 'seen\n' };

test('TRUST-01 a check finds nothing that an agent put into a package cache', async () => {
  const world = newWorld({
    git: true,
    files: { ...FILES, 'baton.yaml': config(null), 'check.sh': query('planted') },
  });
  const roles = changing();
  const [planner] = roles.planner_single ?? [];
  const hostile = { ...roles, planner_single: [{ ...planner, runs: plant('planted') }] };
  await playDeliver(world, hostile, TO_END);
  const { screen } = await playDeliver(world, changing());
  expect(screen).toContain('Commit 1 file?');
  expect(seen(world)).toEqual(['ran']);
});

test('TRUST-01 a check finds nothing that a check of another run put into a package cache', async () => {
  const world = newWorld({
    git: true,
    files: { ...FILES, 'baton.yaml': config(null), 'check.sh': query('planted') },
  });
  const edits = [{ path: 'check.sh', content: `${plant('planted')}\n` }];
  await playDeliver(world, changing(edits), TO_END);
  await playDeliver(world, changing());
  expect(seen(world)).toEqual(['ran']);
});

test('TRUST-01 an install in an untouched tree loads packages for later runs, an install of a change does not', async () => {
  const install = [
    'echo "install: $(ls "$GOMODCACHE" | xargs)" >> seen',
    ...['mkdir -p "$GOMODCACHE" "$CARGO_HOME"; touch "$GOMODCACHE/loaded" "$CARGO_HOME/config.toml"', ''],
  ].join('\n');
  const check = 'echo "check: $(ls "$GOMODCACHE" "$CARGO_HOME" | xargs)" >> seen\n';
  const world = newWorld({
    git: true,
    files: {
      ...FILES,
      ...{ 'baton.yaml': config("'sh install.sh'"), 'install.sh': install, 'check.sh': check },
    },
  });
  // A changed ignore file has the checks run on a clean checkout, after an install of its own.
  const edits = [
    { path: '.gitignore', content: 'seen\nmore\n' },
    { path: 'install.sh', content: 'mkdir -p "$GOMODCACHE"; touch "$GOMODCACHE/planted"\n' },
  ];
  const first = await playDeliver(world, changing(edits));
  expect(first.screen).toContain('on a clean checkout');
  await answerDeliver(world, first.run, 'no_commit');
  await playDeliver(world, changing());
  expect(seen(world).sort()).toEqual([
    expect.stringMatching(/^check: .*\/gomod: loaded$/),
    'install: ',
    'install: loaded',
  ]);
});
