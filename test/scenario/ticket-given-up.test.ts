import { expect, test } from 'vitest';
import type { Progress } from '../../src/runtime/views.ts';
import { reopened } from '../support/handed-over.ts';
import { type Lab, until } from '../support/lab.ts';
import { create, stateOf } from '../support/ticket-lab.ts';
import { labsOfTest, script } from './quick-lab.ts';

const labs = labsOfTest();
const HANGS = script({ generator_single: [{ line: 'working', hang: true }] });

const isBuilding = (event: Progress) =>
  event.type === 'call' && event.role === 'generator_single' && event.state === 'line';

/** A ticket whose build is at work. */
async function building(): Promise<{ lab: Lab; ended: Promise<unknown>; build: string }> {
  const lab = await labs.open({ git: true, script: HANGS });
  await create(lab, 'Rename photos');
  const handle = await reopened(lab, 'B-1', 'unattended');
  await lab.api.command({ run: 'B-1', command: 'conduct' });
  const ended = handle.advance().finally(() => handle.close());
  await until(() => lab.progress.some(isBuilding));
  return { lab, ended, build: (await stateOf(lab, 'B-1')).build_run ?? '' };
}

test('a build ends with the ticket it is for, and an earlier one never counts as a later one', async () => {
  const { lab, ended, build } = await building();
  await lab.api.command({ run: 'B-1', command: 'park', args: { why: null } });
  await ended;
  expect(await lab.row(build)).toMatchObject({ status: 'ended', step: { outcome: { result: 'abandoned' } } });
  await lab.api.command({ run: 'B-1', command: 'unpark' });
  const handle = await reopened(lab, 'B-1', 'unattended');
  await lab.api.command({ run: 'B-1', command: 'conduct' });
  const calls = lab.progress.length;
  const again = handle.advance().finally(() => handle.close());
  await until(() => lab.progress.slice(calls).some(isBuilding));
  const { build_run, builds } = await stateOf(lab, 'B-1');
  expect(builds).toBe(2);
  expect(build_run).not.toBe(build);
  await lab.api.command({ run: 'B-1', command: 'cancel', args: { why: null } });
  await again;
  const live = (await lab.deps.store.list({})).filter(({ status }) => status !== 'ended');
  expect(live.map(({ id }) => id)).toEqual([]);
});

test('what a dead process left at work is ended with the ticket, though nobody takes it up', async () => {
  const { lab, build, ended } = await building();
  const { turn } = await lab.row(build);
  const killed: string[] = [];
  const heir = await lab.other((deps) => ({
    ...deps,
    processes: {
      ...deps.processes,
      self: () => ({ host: 'x', pid: 1, start: 'x' }),
      isAlive: () => false,
      killLeftovers: (call_id, tree) => {
        killed.push(call_id);
        return deps.processes.killLeftovers(call_id, tree);
      },
    },
    clock: { now: () => '2999-01-01T00:00:00.000Z' },
  }));
  await heir.api.command({ run: 'B-1', command: 'cancel', args: { why: null } });
  expect((await heir.row(build)).status).toBe('ended');
  expect(killed).toEqual([`${build}/${turn}`]);
  await ended;
  await heir.close();
});
