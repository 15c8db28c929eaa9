import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { gateDigest } from '../../src/engine/enter-step.ts';
import { brief } from '../../src/engine/whole-brief.ts';
import { script } from '../scenario/quick-lab.ts';
import { decomposed } from '../support/conduct-script.ts';
import { type World, worldsOfTest } from '../surfaces/end-to-end.ts';
import { answer, call, conduct, create, type StopPoint, ticket } from './tickets.ts';

const newWorld = worldsOfTest();
const child = (key: string, more: object = {}) => ({
  kind: 'child_ticket',
  key,
  title: `Part ${key}`,
  description: '',
  priority: 'medium',
  after: [],
  ...more,
});
/** Without a gap and with high confidence, so that no signal of its own pauses it. */
const doc = { decide: 'Divide it?', items: [], recommend: { text: 'Yes.', confidence: 'high' } };
const DIVIDE = { reason: 'decomposition-proposal', pending_activity: 'decomposing' };

async function content(world: World): Promise<string> {
  return (await call<{ content: string }>(world, 'get_brief', { task_id: 'B-1' })).content;
}

const titles = async (world: World) =>
  (await call<{ title: string }[]>(world, 'list_subtasks', { task_id: 'B-1' })).map(({ title }) => title);

/** The children that the brief lists, in its order. */
const listed = (text: string) => text.match(/Part \w+/g) ?? [];

/** A person composes a brief over the one that waits, in a terminal. */
async function composed(world: World, payload: readonly unknown[]): Promise<void> {
  const input = { task_id: 'B-1', ...DIVIDE, doc: { ...doc, payload } };
  const { code, stdout } = await world.typed('call', 'compose_brief', JSON.stringify(input));
  expect([code, stdout.includes('"lint"')]).toEqual([0, true]);
}

async function atDecompose(world: World, ...options: string[]): Promise<StopPoint> {
  await create(world, 'Rename photos', ...options);
  const rest = await conduct(world, '--pause-at', 'decompose');
  expect(rest.phase).toBe('Clarified');
  return rest;
}

describe('promised writes', () => {
  test('TRUST-10 CON-65 two of three children are kept by an edit: the brief lists two, and two are made', async () => {
    const parts = { decompose: [{ result: decomposed(['one', 'two', 'three']) }] };
    const world = newWorld({ git: true, files: { 'three.yaml': script(parts) } });
    const rest = await atDecompose(world, '--script', 'three.yaml');
    expect(listed(await content(world))).toEqual(['Part one', 'Part two', 'Part three']);
    const payload = JSON.stringify({ payload: [child('one'), child('two')] });
    await answer(world, rest, 'edit', '--text', payload);
    expect(listed(await content(world))).toEqual(['Part one', 'Part two']);
    const shown = await conduct(world);
    expect(shown.asks?.digest).not.toBe(rest.asks?.digest);
    await answer(world, shown, 'accept');
    expect(await titles(world)).toEqual(['Part one', 'Part two']);
  });

  test('TRUST-10 CON-65 a child that the text hides is listed, and an accept on behalf makes what is listed', async () => {
    const world = newWorld({ git: true });
    await atDecompose(world);
    await composed(world, [child('hidden', { description: 'Does more.' })]);
    const text = await content(world);
    expect(listed(text)).toEqual(['Part hidden']);
    expect(text).toContain('Does more.');
    await conduct(world, '--pause-at', 'design');
    expect(await titles(world)).toEqual(['Part hidden']);
  });

  test('TRUST-10 CON-40 a promised child with a risk word pauses a drive', async () => {
    const world = newWorld({ git: true });
    await atDecompose(world);
    await composed(world, [child('one', { description: 'Then truncate the log table.' })]);
    expect(await conduct(world, '--pause-at', 'design')).toMatchObject({
      phase: 'Clarified',
      pause: { cause: 'risk-floor', classes: ['irreversible-destructive'] },
    });
    expect(await titles(world)).toEqual([]);
  });

  test('TRUST-10 CON-40 an acceptance criterion with a risk word is in the brief and pauses a drive', async () => {
    const world = newWorld({ git: true });
    await atDecompose(world);
    const added = await world.typed('ticket', 'criteria', 'B-1', '--add', 'Every password stays valid');
    expect(added.code).toBe(0);
    expect(await content(world)).toContain('Every password stays valid');
    expect((await ticket(world)).risk_classes).toEqual(['auth']);
    expect(await conduct(world, '--pause-at', 'design')).toMatchObject({
      phase: 'Clarified',
      pause: { cause: 'risk-floor', classes: ['auth'] },
    });
  });

  test('TRUST-10 CON-65 the digest of a gate covers its promised writes and criteria', () => {
    const hash = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}` as const;
    const digest = (parts: object) =>
      gateDigest(
        {
          name: 'decompose',
          brief: brief({ decide: 'Divide it?', ...parts }),
          options: {},
          fields: [],
          artefacts: {},
        },
        hash,
      );
    const digests = [
      {},
      { payload: [child('one')] },
      { payload: [child('one', { description: 'More.' })] },
      { criteria: ['AC-1: it works'] },
    ].map(digest);
    expect(new Set(digests).size).toBe(digests.length);
  });
});
