import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TakenOrder } from '../../src/ports/orders.ts';
import type { OrderFilter } from '../../src/runtime/views.ts';
import { gateOf, type Lab, until } from '../support/lab.ts';
import { openPullLab } from '../support/pull-lab.ts';
import { APPROVED, ask, draft, playTo, QUICK, reopen, rolesCalled } from './quick-lab.ts';

let lab: Lab;
/** The worker's side: a process of its own has its own API. */
let outside: Lab;

beforeEach(async () => {
  lab = await openPullLab();
  outside = await lab.other();
});
afterEach(async () => {
  await outside.close();
  await lab.close();
});

const WORK = { script: [{ do: 'work', roles: ['alpha'] }] };

async function take(options: OrderFilter = {}): Promise<TakenOrder> {
  let taken: TakenOrder | null = null;
  await until(async () => {
    taken = await outside.api.takeOrder('ann', options);
    return taken !== null;
  });
  return taken as unknown as TakenOrder;
}

test('a whole quick specification is played by an outside worker', async () => {
  const drive = await lab.start('spec', QUICK);
  const played = playTo(lab, drive, { conventions: [['skip']], questions: [['skip']], ...APPROVED });
  for (const [role, { result }] of [
    ['interviewer', ask('Which formats?')],
    ['writer', draft(['q1'])],
  ] as const) {
    const { token } = await take({ run: drive.run, role });
    expect(await outside.api.handIn(token, { result })).toEqual({ ok: true });
  }
  expect(await played).toMatchObject({ status: 'ended', outcome: 'approved' });
  expect(rolesCalled(lab)).toEqual(['interviewer 1', 'writer 1']);
});

test('a result that does not fit is refused as any other, and the next attempt is another order', async () => {
  const drive = await lab.start('probe', WORK);
  const rest = drive.advance();
  const first = await take();
  expect(await outside.api.handIn(first.token, { result: { said: 1 } })).toEqual({ ok: true });
  const second = await take();
  expect(second.order.attempt).toBe(2);
  expect(second.order.prompt).toContain('say');
  expect(await outside.api.handIn(first.token, { result: { say: 'x' } })).toMatchObject({
    rejection: 'no_such_order',
  });
  await outside.api.handIn(second.token, { text: '```json\n{ "say": "hello" }\n```' });
  expect(await rest).toMatchObject({ status: 'ended', outcome: 'done' });
  expect(rolesCalled(lab)).toEqual(['alpha 1', 'alpha 2']);
});

test('a worker takes by run and role, and what is no hand-in is refused as typed', async () => {
  const drive = await lab.start('probe', { script: [{ do: 'work', roles: ['alpha', 'beta'] }] });
  const rest = drive.advance();
  const beta = await take({ run: drive.run, role: 'beta' });
  expect(beta.order).toMatchObject({ run: drive.run, role: 'beta' });
  expect(await outside.api.takeOrder('bob', { role: 'gamma' })).toBeNull();
  expect(await outside.api.takeOrder('bob', { run: 'pr-none' })).toBeNull();
  for (const wrong of [{}, { result: 1, text: '' }, { text: 1 }, { text: '', usage: { tokens: -1 } }, null])
    expect(await outside.api.handIn(beta.token, wrong)).toMatchObject({ rejection: 'bad_input' });
  expect(await outside.api.storeOrder(beta.token)).toMatchObject({ ok: true });
  await outside.api.giveBack(beta.token);
  for (let n = 0; n < 2; n++) await outside.api.handIn((await take()).token, { result: { say: 'x' } });
  expect(await rest).toMatchObject({ status: 'ended' });
});

test('a run that is stopped withdraws its order', async () => {
  const drive = await lab.start('probe', WORK);
  const rest = drive.advance();
  const { token } = await take();
  await lab.api.stop({ run: drive.run });
  expect(await rest).toMatchObject({ status: 'halted' });
  expect(await outside.api.storeOrder(token)).toMatchObject({ rejection: 'no_such_order' });
});

/** Starts a Baton of its own, takes the order of its run, and kills it. */
async function killedWithOrderOut(): Promise<{ run: string } & TakenOrder> {
  const script = fileURLToPath(new URL('../support/pull-run.ts', import.meta.url));
  const baton = spawn(process.execPath, [script, lab.root, lab.home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(baton, 'exit');
  const [line] = await once(baton.stdout, 'data');
  const taken = await take();
  writeFileSync(path.join(lab.root, 'half.txt'), 'half of the work\n');
  baton.kill('SIGKILL');
  await gone;
  return { run: String(line).trim(), ...taken };
}

test('an order lives through a kill of Baton: its worker goes on, and its tree is left alone', async () => {
  const { run, token } = await killedWithOrderOut();
  expect(await outside.api.storeOrder(token)).toMatchObject({ ok: true });
  const drive = await reopen(lab, run);
  const rest = drive.advance();
  await until(() => lab.progress.some((event) => event.type === 'call' && event.state === 'line'));
  expect(await outside.api.takeOrder('bob', {})).toBeNull();
  expect(await outside.api.handIn(token, { result: { say: 'whole' } })).toEqual({ ok: true });
  expect(await rest).toMatchObject({ status: 'ended', outcome: 'done' });
  expect(lab.progress.filter(({ type }) => type === 'recovered')).toEqual([]);
  expect(rolesCalled(lab)).toEqual(['alpha 1']);
  expect(readdirSync(path.join(lab.home, 'orders'))).toEqual([]);
});

test('an order handed in while no Baton lived is taken in by the next one', async () => {
  const { run, token } = await killedWithOrderOut();
  expect(await outside.api.handIn(token, { result: { say: 'alone' } })).toEqual({ ok: true });
  expect(await (await reopen(lab, run)).advance()).toMatchObject({ status: 'ended', outcome: 'done' });
});

test('nobody gets the order of a run that was stopped while no Baton lived', async () => {
  const { run, token } = await killedWithOrderOut();
  await outside.api.giveBack(token);
  await lab.api.stop({ run });
  expect(await outside.api.takeOrder('bob', {})).toBeNull();
});

test('a worker that may only read and wrote is found out', async () => {
  const drive = await lab.start('spec', QUICK);
  const played = playTo(lab, drive, { conventions: [['skip']] }, 'trouble_tree_changed');
  const { token, order } = await take();
  expect(order.profile).toEqual({ kind: 'read_only' });
  writeFileSync(path.join(order.cwd, 'stray.txt'), 'stray\n');
  await outside.api.handIn(token, ask('Which formats?'));
  expect(gateOf(await played).brief.decide).toMatchObject({ args: { paths: 'stray.txt' } });
});
