import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPullAgent } from '../../src/adapters/agent-pull/agent.ts';
import { folderOf, putOut } from '../../src/adapters/agent-pull/order-files.ts';
import { createOrders } from '../../src/adapters/agent-pull/orders.ts';
import type { AgentCall, AgentEvent } from '../../src/ports/agent.ts';
import type { Orders, TakenOrder } from '../../src/ports/orders.ts';
import { until } from '../support/lab.ts';
import { agentCall } from './agent-fixture.ts';

const MINUTE = 60_000;
let folder: string;
let dir: string;
/** The time all parts of a test go by. */
let time: number;
let orders: Orders;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'baton-pull-'));
  dir = path.join(folder, 'orders');
  time = Date.parse('2026-11-16T10:00:00.000Z');
  orders = createOrders({ dir, now });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = () => new Date(time).toISOString();
const agent = () => createPullAgent({ name: 'pull', dir, now, poll_ms: 5 });

function call(more: Partial<AgentCall> = {}): AgentCall {
  const key = more.key ?? 'de-abc/2/0.1';
  const own = path.join(folder, 'calls', key.replaceAll('/', '-'));
  const deadline_ms = 30 * MINUTE;
  return agentCall({ key, dir: own, result_file: path.join(own, 'result.json'), deadline_ms, ...more });
}

/** Follows a call to its end, beside whatever the test does. */
async function follow(one = call(), signal = new AbortController().signal): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent().run(one, signal)) events.push(event);
  return events;
}

/** An order that a killed Baton left behind: nobody listens to it, and nobody withdrew it. */
async function leaveOrder(one = call()): Promise<void> {
  await putOut(folderOf(dir, one.key), one, now());
}

async function take(worker = 'ann'): Promise<TakenOrder> {
  await until(async () => (await orders.open()).length > 0);
  const [first] = await orders.open();
  const taken = await orders.take(first?.id ?? '', worker);
  if (!taken) throw new Error('nothing to take');
  return taken;
}

test('what is out for a run is taken back where another agent goes on; a result that is handed in stays', async () => {
  const [taken, other, handed] = ['de-abc/2/0.1', 'de-xyz/2/0.1', 'de-abc/2/1.1'].map((key) =>
    call({ key, prompt: key }),
  ) as [AgentCall, AgentCall, AgentCall];
  await leaveOrder(handed);
  expect(await orders.handIn((await take()).token, { text: 'done' })).toEqual({ ok: true });
  await leaveOrder(taken);
  const { token } = await take();
  await leaveOrder(other);
  await orders.withdraw('de-abc');
  expect(await orders.keep(token)).toMatchObject({ rejection: 'no_such_order' });
  expect((await orders.open()).map(({ order }) => order.run)).toEqual(['de-xyz']);
  expect(await agent().isFinished(handed)).toBe(true);
});

describe('a call of the pull agent', () => {
  test('is put out with all a worker needs, and ends with what the worker hands in', async () => {
    const events = follow();
    const { token, order } = await take();
    const { prompt, cwd, profile, schema, role, attempt } = call();
    const deadline = '2026-11-16T10:30:00.000Z';
    expect(order).toEqual({ run: 'de-abc', turn: 2, role, attempt, prompt, cwd, profile, schema, deadline });
    const usage = { money_usd: null, tokens: 700 };
    expect(await orders.handIn(token, { result: { verdict: 'pass' }, usage })).toEqual({ ok: true });
    expect(await events).toEqual([
      { type: 'progress', line: 'ann' },
      { type: 'usage', usage },
      { type: 'result', value: { verdict: 'pass' } },
      { type: 'ended', outcome: 'finished', detail: '' },
    ]);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('that is finished is played again and nothing is put out', async () => {
    const first = follow();
    const { token } = await take();
    await orders.handIn(token, { text: 'done' });
    expect(await agent().isFinished(call())).toBe(true);
    expect((await first).at(-1)).toMatchObject({ outcome: 'finished' });
    expect(await follow()).toEqual(await first);
    expect(readdirSync(dir)).toEqual([]);
    expect(await agent().isFinished(call({ key: 'de-abc/3/0.1', dir: call().dir }))).toBe(false);
  });

  test('that is aborted before it begins puts nothing out', async () => {
    expect(await follow(call(), AbortSignal.abort())).toMatchObject([{ type: 'ended', outcome: 'aborted' }]);
    expect(existsSync(dir)).toBe(false);
  });

  test('that is aborted is withdrawn; its worker is refused and the next start is another order', async () => {
    const abort = new AbortController();
    const events = follow(call(), abort.signal);
    const { token } = await take();
    abort.abort();
    expect((await events).at(-1)).toMatchObject({ outcome: 'aborted' });
    expect(await orders.handIn(token, { text: 'late' })).toMatchObject({ rejection: 'no_such_order' });
    expect(await agent().isFinished(call())).toBe(false);
    const again = follow();
    const second = await take('bob');
    expect(await orders.handIn(token, { text: 'late' })).toMatchObject({ rejection: 'no_such_order' });
    await orders.handIn(second.token, { text: 'mine' });
    expect(await again).toContainEqual({ type: 'text', text: 'mine' });
  });

  test('over its deadline is withdrawn and has failed, and says why', async () => {
    const events = follow();
    const { token } = await take();
    time += 30 * MINUTE;
    expect((await events).at(-1)).toEqual({ type: 'ended', outcome: 'failed', detail: 'deadline' });
    expect(await orders.keep(token)).toMatchObject({ rejection: 'no_such_order' });
  });

  test('nobody listens to any more is withdrawn', async () => {
    const taking = take();
    for await (const event of agent().run(call(), new AbortController().signal))
      if (event.type === 'progress') break;
    expect(await orders.keep((await taking).token)).toMatchObject({ rejection: 'no_such_order' });
    expect(readdirSync(dir)).toEqual([]);
  });

  test('that outlived us is under way and taken up, not put out twice', async () => {
    await leaveOrder();
    const { token } = await take();
    expect(await agent().isUnderWay?.(call())).toBe(true);
    expect(await agent().isFinished(call())).toBe(false);
    const events = follow();
    expect(await orders.handIn(token, { text: 'kept' })).toEqual({ ok: true });
    expect(await events).toContainEqual({ type: 'text', text: 'kept' });
  });

  test('handed in just while it is taken up is not put out again', async () => {
    for (let n = 1; n <= 30; n++) {
      const one = call({ key: `de-abc/${n}/0.1`, prompt: `Do ${n}.` });
      await leaveOrder(one);
      const { token } = await take();
      const [events, answer] = await Promise.all([follow(one), orders.handIn(token, { text: 'kept' })]);
      expect(answer).toEqual({ ok: true });
      expect(events).toContainEqual({ type: 'text', text: 'kept' });
    }
  });

  test('handed in while nobody listened is finished', async () => {
    await leaveOrder();
    const { token } = await take();
    await orders.handIn(token, { text: 'alone' });
    expect(await agent().isFinished(call())).toBe(true);
    expect(await follow()).toContainEqual({ type: 'text', text: 'alone' });
  });

  test('whose time passed while nobody listened starts over', async () => {
    await leaveOrder();
    const old = await take();
    time += 31 * MINUTE;
    expect(await agent().isUnderWay?.(call())).toBe(false);
    const events = follow();
    const { token } = await take('bob');
    expect(await orders.handIn(old.token, { text: 'old' })).toMatchObject({ rejection: 'no_such_order' });
    await orders.handIn(token, { text: 'new' });
    expect((await events).filter(({ type }) => type === 'text')).toEqual([{ type: 'text', text: 'new' }]);
  });
});

describe('the lease of a work order', () => {
  beforeEach(() => leaveOrder());

  test('lasts five minutes, then another worker may take the order and the old token is refused', async () => {
    const ann = await take('ann');
    expect(ann.until).toBe('2026-11-16T10:05:00.000Z');
    time += 5 * MINUTE - 1;
    expect(await orders.open()).toEqual([]);
    time += 1;
    expect(await orders.keep(ann.token)).toMatchObject({ rejection: 'order_expired' });
    const bob = await take('bob');
    for (const late of [orders.handIn(ann.token, { text: '' }), orders.giveBack(ann.token)])
      expect(await late).toMatchObject({ rejection: 'order_expired' });
    expect(await orders.handIn(bob.token, { text: 'bob' })).toEqual({ ok: true });
  });

  test('is made longer by its worker, never beyond the deadline', async () => {
    const { token } = await take();
    time += 4 * MINUTE;
    expect(await orders.keep(token)).toEqual({ ok: true, until: '2026-11-16T10:09:00.000Z' });
    for (let minute = 8; minute <= 28; minute += 4) {
      time += 4 * MINUTE;
      expect(await orders.keep(token)).toMatchObject({ ok: true });
    }
    expect(await orders.keep(token)).toEqual({ ok: true, until: '2026-11-16T10:30:00.000Z' });
    time += 2 * MINUTE;
    expect(await orders.handIn(token, { text: '' })).toMatchObject({ rejection: 'order_expired' });
    expect(await orders.open()).toEqual([]);
  });

  test('given back leaves the order open at once', async () => {
    const { token } = await take();
    expect(await orders.giveBack(token)).toEqual({ ok: true });
    expect(await orders.keep(token)).toMatchObject({ rejection: 'order_expired' });
    expect(await orders.open()).toHaveLength(1);
  });

  test('ends with the hand-in: a second one is refused and changes nothing', async () => {
    const { token } = await take();
    await orders.handIn(token, { text: 'first' });
    expect(await orders.handIn(token, { text: 'second' })).toMatchObject({ rejection: 'no_such_order' });
    expect(await orders.giveBack(token)).toMatchObject({ rejection: 'no_such_order' });
    expect((await follow()).filter(({ type }) => type === 'text')).toEqual([{ type: 'text', text: 'first' }]);
  });

  test('belongs to one call: the token of another, a changed one or a path is refused', async () => {
    const mine = await take();
    await leaveOrder(call({ key: 'de-abc/2/1.1', prompt: 'Other.' }));
    const other = await take();
    const swapped = `${mine.token.slice(0, mine.token.lastIndexOf('.'))}.${other.token.split('.').at(-1)}`;
    const wrong = [
      swapped,
      `${mine.token}x`,
      '',
      'x',
      `../orders/${mine.token}`,
      `de-abc_9_0.1.${'x'.repeat(32)}`,
    ];
    for (const token of wrong)
      expect(await orders.handIn(token, { text: '' })).toMatchObject({ rejection: 'no_such_order' });
    expect(await orders.keep(mine.token)).toMatchObject({ ok: true });
  });

  test('is stored without its token', async () => {
    const { token } = await take();
    const secret = token.split('.').at(-1) ?? '';
    const out = path.join(dir, 'de-abc_2_0.1');
    const stored = readdirSync(out).map((name) => readFileSync(path.join(out, name), 'utf8'));
    expect(secret).toHaveLength(32);
    expect(stored.join('')).toContain('"worker":"ann"');
    expect(stored.join('')).not.toContain(secret);
  });
});

describe('several at once', () => {
  test('of two hand-ins and a withdrawal exactly one counts', async () => {
    for (let n = 1; n <= 20; n++) {
      const one = call({ key: `de-abc/${n}/0.1`, prompt: `Do ${n}.` });
      const abort = new AbortController();
      const events = follow(one, abort.signal);
      const { token } = await take();
      const given = ['a', 'b'].map((text) => orders.handIn(token, { text }));
      abort.abort();
      const taken = (await Promise.all(given)).filter((answer) => 'ok' in answer).length;
      const told = (await events).filter(({ type }) => type === 'text').length;
      expect([taken, told]).toEqual((await agent().isFinished(one)) ? [1, 1] : [0, 0]);
    }
  });

  test('each order is got by exactly one of three processes that take all they can', async () => {
    time = Date.now();
    const keys = Array.from({ length: 40 }, (_, n) => `de-abc/${n + 1}/0.1`);
    for (const key of keys) await leaveOrder(call({ key, prompt: `Do ${key}.` }));
    const script = fileURLToPath(new URL('../support/take-orders.ts', import.meta.url));
    const workers = ['ann', 'bob', 'cid'].map((worker) =>
      spawn(process.execPath, [script, dir, worker], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    await Promise.all(workers.map(({ stdout }) => once(stdout, 'data')));
    const told = workers.map(({ stdout }) => once(stdout, 'data'));
    for (const { stdin } of workers) stdin.write('go\n');
    const lists = (await Promise.all(told)).map(([line]) => JSON.parse(String(line)) as string[]);
    expect(lists.flat().sort()).toEqual(keys.map((key) => key.replaceAll('/', '_')).sort());
  });
});
