import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { type HookWorld, hookWorlds, TO_COMMIT, writing } from './hook-world.ts';

const hookWorld = hookWorlds(worldsOfTest());

/** A hook as many projects have it: it runs a script of the project. */
const HOOK = '#!/bin/sh\nsh scripts/lint.sh\n';

const BRANCH = 'baton/deliver-greet-in-capitals';

/** What a worker makes of that script. Each thing that it gets is a line of `got`. */
function attack({ at, root, home }: HookWorld): string {
  const get = (what: string, command: string) => `(${command}) > /dev/null 2>&1 && echo '${what}' >> got`;
  return [
    'echo ran >> got',
    get('the key', 'cat "$HOME/.ssh/id_rsa"'),
    get('the token', 'test -n "$THE_TOKEN"'),
    get('the state', `ls ${home}/*/baton.db`),
    `echo evil > ${root}/.git/hooks/post-checkout`,
    `echo '[core] pager = evil' >> ${root}/.git/config`,
    `cp "$HOME/.ssh/id_rsa" ${at}/stolen 2> /dev/null`,
    'true',
    '',
  ].join('\n');
}

function got(world: HookWorld): string[] {
  return world.found('got').flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'));
}

const LOCATIONS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['a clone', TO_COMMIT, []],
  ['the checkout (--in-place)', TO_COMMIT, ['--in-place']],
];

describe.each(LOCATIONS)('a commit hook in %s', (_, answers, flags) => {
  test('TRUST-01 WF-71 with a sandbox: runs the script that a worker wrote, and that script gets nothing', async () => {
    const world = hookWorld({ sandbox: true, files: { 'scripts/lint.sh': 'true\n' } });
    world.program('.git/hooks/pre-commit', HOOK);
    const settings = readFileSync(path.join(world.root, '.git/config'), 'utf8');
    const roles = writing({ 'scripts/lint.sh': attack(world) });
    const { run } = await world.deliver(roles, answers, ...flags);
    await world.answer(run, 'code_only');
    const written = [path.join(world.at, 'stolen'), path.join(world.root, '.git/hooks/post-checkout')];
    expect({ got: got(world), written: written.filter(existsSync) }).toEqual({ got: ['ran'], written: [] });
    expect(readFileSync(path.join(world.root, '.git/config'), 'utf8')).toBe(settings);
    expect(world.git('log', '-1', '--format=%s', flags.length > 0 ? 'HEAD' : BRANCH)).toContain('Greet');
  });

  test('TRUST-01 WF-71 with a sandbox: a script that rewrites the history of the commit does not get it in', async () => {
    const world = hookWorld({ sandbox: true, files: { 'scripts/lint.sh': 'true\n' } });
    world.program('.git/hooks/post-commit', HOOK);
    const before = world.git('for-each-ref', 'refs/heads');
    const rewrite = 'git update-ref HEAD $(git commit-tree -m evil HEAD^{tree}); echo ran >> got\n';
    const { run } = await world.deliver(writing({ 'scripts/lint.sh': rewrite }), answers, ...flags);
    const screen = await world.answer(run, 'code_only');
    expect(got(world)).toEqual(['ran']);
    expect(world.git('for-each-ref', 'refs/heads')).toBe(before);
    expect(screen).toContain('a hook made commits of its own; nothing was taken of them');
  });

  test('TRUST-01 WF-71 without a sandbox: waits for an answer at a gate that lists what it can execute', async () => {
    const world = hookWorld({ sandbox: false, files: { 'scripts/lint.sh': 'true\n' } });
    world.program('.git/hooks/pre-commit', HOOK);
    const roles = writing({ 'scripts/lint.sh': attack(world) });
    const { run, screen } = await world.deliver(roles, answers, ...flags);
    expect(screen).toContain('your pre-commit runs with your keys');
    expect(screen).toContain('It can execute these changed files: scripts/lint.sh.');
    expect(got(world)).toEqual([]);
    await world.answer(run, 'code_only');
    expect(got(world)).toContain('ran');
  });
});
