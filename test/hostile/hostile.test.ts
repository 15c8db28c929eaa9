import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { worldsOfTest } from '../surfaces/end-to-end.ts';
import { ACTIONS, type HostileAction } from './actions.ts';
import { type Actor, groundOptions, layGround } from './ground.ts';
import { judge, type Named, type Result } from './judge.ts';
import { CHEAT, PLAYS, type Play } from './play.ts';

const newWorld = worldsOfTest();
const bases: string[] = [];
afterEach(() => {
  for (const base of bases.splice(0)) rmSync(base, { recursive: true, force: true });
});

const rows: readonly Named[] = Object.entries(ACTIONS);
const actionsOf = (actor: Actor) => rows.filter(([, { aim, as }]) => aim !== 'cheat' && as.includes(actor));
const cheats = rows.filter(([, { aim }]) => aim === 'cheat');

async function attempt(
  sandbox: 'required' | 'off',
  actor: Actor,
  play: Play,
  actions: readonly Named[],
): Promise<Record<string, Result>> {
  const base = mkdtempSync(path.join(tmpdir(), 'baton-hostile-'));
  bases.push(base);
  const world = newWorld(groundOptions(base, sandbox));
  const ground = await layGround(world, { base, home: path.join(base, 'person') }, actor);
  const shown = await play(
    world,
    ground,
    actions.map(([, action]) => action),
  );
  return judge(actions, ground, shown);
}

const PLAYED = Object.entries(PLAYS).map(([name, { actor, play }]) => ({
  name,
  actor,
  play,
  actions: actionsOf(actor),
}));
const CHEATED = cheats.map((row) => ({
  name: `deliver, ${row[0]}`,
  actor: 'worker' as const,
  play: CHEAT,
  actions: [row],
}));

test('there are at least 20 hostile actions of every aim', () => {
  const count = (aim: HostileAction['aim']) => rows.filter(([, action]) => action.aim === aim).length;
  expect(rows.length).toBeGreaterThanOrEqual(20);
  expect([count('answer') >= 5, count('read') >= 4, count('write') >= 4]).toEqual([true, true, true]);
  expect([count('survive') >= 3, count('cheat') >= 4]).toEqual([true, true]);
});

describe('with bubblewrap nothing hostile succeeds unnoticed', () => {
  test.each([...PLAYED, ...CHEATED])('$name', async ({ actor, play, actions }) => {
    const results = await attempt('required', actor, play, actions);
    const expected = actions.map(([name, { aim }]) => [name, aim === 'cheat' ? 'noticed' : 'stopped']);
    expect(results).toEqual(Object.fromEntries(expected));
  });
});

describe('without a sandbox only what security.md admits succeeds unnoticed', () => {
  test.each([...PLAYED, ...CHEATED])('$name', async ({ actor, play, actions }) => {
    const results = await attempt('off', actor, play, actions);
    const strict = actions.filter(([, { bare }]) => bare !== 'possible');
    const found = strict.map(([name]) => [name, results[name]]);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(strict.map(([name, { bare }]) => [name, bare])),
    );
  });
});
