import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Roles } from '../support/deliver-script.ts';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { type HookWorld, hookWorlds, TO_COMMIT, writing } from './hook-world.ts';

const hookWorld = hookWorlds(worldsOfTest());

const SAYS = 'Changed while a worker ran; it may have been you:';

/** A hook that a worker puts into the person's repository; it would leave a trace. */
const planted = ({ at }: HookWorld, file: string) =>
  `mkdir -p ${path.dirname(file)}; printf '#!/bin/sh\\ntouch ${at}/trace\\n' > ${file}; chmod +x ${file}`;

/** What a worker writes by an absolute path, and how it is listed. */
const WRITES: readonly (readonly [string, (world: HookWorld) => string, string])[] = [
  ['a hook', (world) => planted(world, `${world.root}/.git/hooks/pre-commit`), '.git/hooks/pre-commit'],
  [
    'another folder of hooks',
    (world) =>
      `${planted(world, `${world.at}/hooks/pre-commit`)}; git -C ${world.root} config core.hooksPath ${world.at}/hooks`,
    '.git/config, core.hooksPath, core.hooksPath/pre-commit',
  ],
  ['baton.yaml', ({ root }) => `echo '# mine' >> ${root}/baton.yaml`, 'baton.yaml'],
];

const WRITERS: readonly (readonly [string, string, readonly string[]])[] = [
  ['the planner', 'planner_single', ['skip']],
  ['the author', 'generator_single', TO_COMMIT],
];

/** One more command of this role's worker. */
function also(role: string, runs: string): Roles {
  const roles = writing({});
  return { ...roles, [role]: (roles[role] ?? []).map((entry) => ({ ...entry, runs })) };
}

describe('without a sandbox', () => {
  describe.each(WRITERS)('%s', (_, role, answers) => {
    test.each(WRITES)(
      'TRUST-05 writes %s outside the tree: the next gate lists it',
      async (_what, write, listed) => {
        const world = hookWorld({ sandbox: false });
        const { screen } = await world.deliver(also(role, write(world)), answers);
        expect(screen).toContain(`${SAYS} ${listed}.`);
        expect(existsSync(path.join(world.at, 'trace'))).toBe(false);
      },
    );
  });

  test('TRUST-05 a check writes a hook: gate and evidence list it, and it runs only after a person chose to commit', async () => {
    const test = 'sh check.sh';
    const files = {
      'baton.yaml': `checks: { build: null, test: '${test}', lint: null, type_check: null }\n`,
      'check.sh': 'true\n',
    };
    const world = hookWorld({ sandbox: false, files });
    const hook = `${world.root}/.git/hooks/pre-commit`;
    const roles = writing({ 'check.sh': `${planted(world, hook)}\n` });
    const { run, screen } = await world.deliver(roles, TO_COMMIT);
    const trace = path.join(world.at, 'trace');
    expect(screen).toContain(`${SAYS} .git/hooks/pre-commit.`);
    const evidence = (await world.run('show', run, 'evidence')).stdout.replace(/\s+/g, ' ');
    expect(evidence).toContain(`${SAYS} .git/hooks/pre-commit.`);
    expect(existsSync(trace)).toBe(false);
    await world.answer(run, 'code_only');
    expect(existsSync(trace)).toBe(true);
  });

  test('TRUST-05 a worker that kills its driver afterwards is noticed all the same', async () => {
    const world = hookWorld({ sandbox: false });
    const flag = path.join(world.at, 'flag');
    const write = planted(world, `${world.root}/.git/hooks/pre-commit`);
    const kill = 'kill -9 $(ps -o ppid= -p $PPID)';
    const roles = also('generator_single', `[ -e ${flag} ] || { ${write}; touch ${flag}; ${kill}; }`);
    const { run } = await world.deliver(roles, TO_COMMIT);
    expect(existsSync(flag)).toBe(true);
    const resumed = await world.person('resume', run);
    expect(resumed.stdout.replace(/\s+/g, ' ')).toContain(`${SAYS} .git/hooks/pre-commit.`);
  });
});

test('TRUST-05 with a sandbox a worker writes no hook, and nothing of the repository is read to notice it', async () => {
  const world = hookWorld({ sandbox: true });
  const hook = `${world.root}/.git/hooks/pre-commit`;
  const { run, screen } = await world.deliver(
    also('generator_single', `${planted(world, hook)}; true`),
    TO_COMMIT,
  );
  expect(existsSync(hook)).toBe(false);
  expect(screen).toContain('Code only');
  expect(screen).not.toContain(SAYS);
  expect(globSync(path.join(world.home, '*/calls', run, '*-controls'))).toEqual([]);
});
