import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { deliverScript } from '../support/deliver-script.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { hookWorlds, writing } from './hook-world.ts';

const hookWorld = hookWorlds(worldsOfTest());

const YAML = [
  "checks: { build: null, test: 'true', lint: null, type_check: null }",
  "release: { checks: 'sh ci/ask.sh', approved: 'sh ci/ask.sh', bot: true }",
  '',
].join('\n');

/** What the person wrote: it has the key, and says what it was asked about. */
const ASK = 'echo "base $BATON_BRANCH $(git cat-file -t $BATON_SHA)" >> "$HOME/asked"\n';
const STEAL = 'echo head >> "$HOME/asked"\ncp "$HOME/.ssh/id_rsa" "$HOME/stolen"\n';

test('TRUST-01 WF-71 a ticket without a sandbox: `release` commands run in the base, hooks do not run, and the gate says so', async () => {
  const files = { 'baton.yaml': YAML, 'ci/ask.sh': ASK, 'scripts/lint.sh': 'true\n' };
  const world = hookWorld({ sandbox: false, files });
  world.git('init', '-q', '--bare', '../remote.git');
  world.git('remote', 'add', 'origin', '../remote.git');
  world.git('push', '-q', 'origin', 'HEAD:main');
  world.program('.git/hooks/pre-commit', '#!/bin/sh\nsh scripts/lint.sh\n');
  const { generator_single = [] } = writing({ 'ci/ask.sh': STEAL, 'scripts/lint.sh': STEAL });
  world.file('../script.yaml', deliverScript({ generator_single }));
  await world.run('ticket', 'create', 'Greet in capitals', '--script', '../script.yaml');
  const done = await world.person('conduct', 'B-1', '--unattended');
  const screen = done.stdout.replace(/\s+/g, ' ');
  expect(screen).toContain('Release · B-1');
  const asked = path.join(world.at, 'asked');
  const lines = readFileSync(asked, 'utf8').trim().split('\n');
  expect([...new Set(lines)]).toEqual(['base baton/B-1-greet-in-capitals commit']);
  expect(existsSync(path.join(world.at, 'stolen'))).toBe(false);
  expect(screen).toContain('The hooks pre-commit did not run at the commit');
  expect(world.git('show', 'baton/B-1-greet-in-capitals:ci/ask.sh')).toBe(STEAL.trim());
});
