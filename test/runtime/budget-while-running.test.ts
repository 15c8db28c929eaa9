import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Effect } from '../../src/contract/change.ts';
import type { Policy } from '../../src/contract/run.ts';
import type { AgentCall, Usage } from '../../src/ports/agent.ts';
import type { Processes } from '../../src/ports/processes.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { createMeter } from '../../src/runtime/meter.ts';
import { labsOfTest, reopen } from '../scenario/quick-lab.ts';
import { gateOf, type Lab, until } from '../support/lab.ts';

const labs = labsOfTest();

type Limits = Partial<Policy['budget']>;
const NONE = { money_usd: null, tokens: null, worker_minutes: null, attempts: null };

const within =
  (limits: Limits) =>
  (deps: Deps): Deps => ({
    ...deps,
    policy: async () => ({ ...(await deps.policy()), budget: { ...NONE, ...limits } }),
  });

const open = (limits: Limits, roles: Readonly<Record<string, unknown>>): Promise<Lab> =>
  labs.open({ wrap: within(limits), script: JSON.stringify({ script: 1, roles }) });

const alone = { script: [{ do: 'work', roles: ['alpha'] }] };
const together = { script: [{ do: 'work', roles: ['alpha', 'beta'] }] };
const says = { result: { say: 'a' } };
/** Says what it has used, then works on for ever. */
const uses = (usage: Readonly<Record<string, number>>) => ({ usage_steps: [usage], hang: true });

async function gateArgs(lab: Lab, input: unknown) {
  const drive = await lab.start('probe', input);
  const gate = gateOf(await drive.advance());
  expect(gate.name).toBe('trouble_budget');
  return { drive, gate, args: gate.brief.decide as { args: Record<string, string> } };
}

describe('a limit passed while a worker works', () => {
  test.each<[string, Limits, Record<string, number>, Record<string, string>]>([
    ['money', { money_usd: 1 }, { money_usd: 1.5, tokens: 10 }, { used: '$1.50', limit: '$1.00' }],
    ['tokens', { tokens: 1000 }, { tokens: 1001, money_usd: 0 }, { used: '1001', limit: '1000' }],
    [
      'money nobody told, counted in tokens',
      { money_usd: 1, attempts: 9 },
      { tokens: 1_000_000 },
      { budget: 'money_usd', used: '$3.00', limit: '$1.00' },
    ],
    [
      'money of one call',
      { money_usd: 100, per_call: { money_usd: 1, tokens: null, worker_minutes: null } },
      { money_usd: 1.5 },
      { scope: 'call', used: '$1.50', limit: '$1.00' },
    ],
  ])('stops it at once, counts what it used and asks: %s', async (_, limits, usage, told) => {
    const lab = await open(limits, { alpha: [uses(usage)] });
    const { drive, args } = await gateArgs(lab, alone);
    expect(args.args).toMatchObject({ role: 'alpha', stopped: 'yes', ...told });
    const [shown] = await lab.api.gates(drive.run);
    expect(shown?.text).toContain(`${told.used} of ${told.limit}. Extend it?`);
    expect(shown?.text).toContain('Only Extend lifts it');
    const spent = await lab.deps.store.spend(drive.run);
    expect(spent).toMatchObject({ money_usd: usage.money_usd ?? 0, tokens: usage.tokens ?? 0, attempts: 1 });
  });

  test('worker-minutes end by a timer, also where nothing is ever told', async () => {
    const lab = await open({ worker_minutes: 0.01 }, { alpha: [{ hang: true }] });
    const { drive, args } = await gateArgs(lab, alone);
    expect(args.args).toMatchObject({ budget: 'worker_minutes', scope: 'run', stopped: 'yes' });
    expect((await lab.deps.store.spend(drive.run)).seconds).toBeGreaterThan(0.59);
  });

  test('two calls side by side share the minutes', async () => {
    const lab = await open({ worker_minutes: 60 }, {});
    const { run } = await lab.start('probe', { script: [{ do: 'gate', name: 'ask' }] });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const meter = createMeter(lab.deps, await lab.row(run));
    const stopped: string[] = [];
    for (const id of ['alpha', 'beta']) {
      const call = await meter.open({ run, id } as Effect);
      if ('kind' in call) throw new Error('not admitted');
      call.onPassed(() => stopped.push(id));
    }
    vi.advanceTimersByTime(30 * 60_000);
    expect(stopped).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(stopped).toEqual(['alpha', 'beta']);
  });

  test('calls side by side are counted together, and neither goes on beyond the limit', async () => {
    const lab = await open(
      { money_usd: 1 },
      {
        alpha: [uses({ money_usd: 0.6, tokens: 1 })],
        beta: [{ usage_steps: [{ delay: '300ms', money_usd: 0.6, tokens: 1 }], hang: true }],
      },
    );
    const { drive, args } = await gateArgs(lab, together);
    expect(args.args).toMatchObject({ used: '$1.20', limit: '$1.00' });
    expect(await lab.deps.store.spend(drive.run)).toMatchObject({ money_usd: 1.2, attempts: 2 });
  });

  test('a call of its own limit is stopped alone; the one beside it brings its result', async () => {
    const per_call = { money_usd: null, tokens: 10, worker_minutes: null };
    const lab = await open({ per_call }, { alpha: [uses({ tokens: 11 })], beta: [says] });
    const { drive, gate } = await gateArgs(lab, together);
    const effects = await lab.deps.store.effects(drive.run, gate.turn);
    expect(effects.map(({ role, result }) => [role, result !== null])).toEqual([
      ['alpha', false],
      ['beta', true],
    ]);
  });

  test('extend adds the same once more, and the same attempt is made again with no try spent', async () => {
    const slow = { usage_steps: [{ tokens: 1500 }], hang: true };
    const lab = await open({ tokens: 1000 }, { alpha: [slow] });
    const { drive, gate } = await gateArgs(lab, alone);
    await lab.answer(gate, 'extend');
    // 1500 of the first start and 1500 of the second are over 2000 too: the person is asked once more.
    const second = gateOf(await drive.advance());
    expect((second.brief.decide as { args: object }).args).toMatchObject({ used: '3000', limit: '2000' });
    await lab.answer(second, 'extend');
    const third = gateOf(await drive.advance());
    expect((third.brief.decide as { args: object }).args).toMatchObject({ used: '4500', limit: '3000' });
    const [effect] = await lab.deps.store.effects(drive.run, gate.turn);
    expect(effect?.attempts).toEqual([]);
    expect((await lab.deps.store.spend(drive.run)).attempts).toBe(3);
  });

  test('a result told together with the usage that passes the limit still counts', async () => {
    const lab = await open({ money_usd: 1 }, { alpha: [{ usage: { money_usd: 2, tokens: 1 }, ...says }] });
    const drive = await lab.start('probe', alone);
    expect((await drive.advance()).outcome).toBe('done');
  });
});

describe('a figure of usage that cannot be one', () => {
  /** Every call tells these figures, one after the other, in place of its own. */
  const telling =
    (...figures: readonly unknown[]) =>
    (deps: Deps): Deps => ({
      ...deps,
      agent: async (policy, role) => {
        const agent = await deps.agent(policy, role);
        return {
          ...agent,
          async *run(call, signal) {
            for (const usage of figures as Usage[]) yield { type: 'usage', usage };
            for await (const event of agent.run(call, signal)) if (event.type !== 'usage') yield event;
          },
        };
      },
    });
  const twice = { script: [...alone.script, ...alone.script] };
  const openTelling = (limits: Limits, alpha: readonly object[], ...figures: readonly unknown[]) =>
    labs.open({
      script: JSON.stringify({ script: 1, roles: { alpha } }),
      wrap: (deps) => telling(...figures)(within(limits)(deps)),
    });

  test.each([-1, Number.NaN, Infinity, -Infinity, 1e308, '5', null, 0, 0.5, {}, undefined])(
    'told last, %o does not replace what was told before',
    async (garbage) => {
      const known = { money_usd: 0.6, tokens: 600_000 };
      const last = { money_usd: garbage, tokens: garbage };
      const lab = await openTelling({ tokens: 1_000_000 }, [says, { hang: true }], known, last);
      const { drive, args } = await gateArgs(lab, twice);
      expect(args.args).toMatchObject({ budget: 'tokens', used: '1200000', limit: '1000000' });
      const spent = { money_usd: 1.2, tokens: 1_200_000, money_unknown: false };
      expect(await lab.deps.store.spend(drive.run)).toMatchObject(spent);
    },
  );

  test('after a large one it still opens the gate, and what was used is counted', async () => {
    const figures = [{ money_usd: 0, tokens: 900_000 }, { tokens: -1 }];
    const lab = await openTelling({ tokens: 800_000 }, [{ hang: true }], ...figures);
    const { drive } = await gateArgs(lab, alone);
    expect(await lab.deps.store.spend(drive.run)).toMatchObject({ tokens: 900_000, attempts: 1 });
  });

  test('told alone is unknown, and half a token is a whole one', async () => {
    const figures = [
      { money_usd: -1, tokens: 10.5 },
      { money_usd: 'much', tokens: 10.2 },
    ];
    const lab = await openTelling({}, [says], ...figures);
    const drive = await lab.start('probe', alone);
    expect((await drive.advance()).outcome).toBe('done');
    const spent = { money_usd: 0, money_unknown: true, tokens: 11 };
    expect(await lab.deps.store.spend(drive.run)).toMatchObject(spent);
  });
});

test('an agent is told what is left of the money', async () => {
  const told: (number | null)[] = [];
  const listening = (deps: Deps): Deps => ({
    ...deps,
    agent: async (policy, role) => {
      const agent = await deps.agent(policy, role);
      const run = (call: AgentCall, signal: AbortSignal) => {
        told.push(call.money_left_usd);
        return agent.run(call, signal);
      };
      return { ...agent, run };
    },
  });
  const costs = { usage: { money_usd: 0.75, tokens: 1 }, ...says };
  const lab = await labs.open({
    script: JSON.stringify({ script: 1, roles: { alpha: [costs, costs] } }),
    wrap: (deps) => listening(within({ money_usd: 2 })(deps)),
  });
  const work = { do: 'work', roles: ['alpha'] };
  const drive = await lab.start('probe', { script: [work, work] });
  await drive.advance();
  expect(told).toEqual([2, 1.25]);
});

describe('what a worker used before it was killed with us', () => {
  /** A process that does nothing more once it is dead: it writes nothing, and ends no worker of its heir. */
  const mortal = () => {
    const processRun = { dead: false };
    const alive =
      <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
      (...args: Args) =>
        processRun.dead ? new Promise<Result>(() => undefined) : act(...args);
    const wrap = ({ store, ...deps }: Deps): Deps => {
      const writes = { addSpend: alive(store.addSpend), storeAttempt: alive(store.storeAttempt) };
      return { ...deps, store_spend_ms: 20, store: { ...store, ...writes, commit: alive(store.commit) } };
    };
    const processes = (real: Processes): Processes => ({ ...real, killLeftovers: alive(real.killLeftovers) });
    return { processRun, wrap, processes };
  };
  const bury = (lab: Lab) => {
    const raw = new DatabaseSync(path.join(lab.home, 'baton.db'));
    raw.exec('update runs set holder_pid = 999999999');
    raw.close();
  };

  test('is kept while it works and counts beside what the attempt uses when it is made again', async () => {
    const lab = await open({ tokens: 1000 }, { alpha: [uses({ tokens: 600 })] });
    const { processRun, wrap, processes } = mortal();
    const dying = await labs.dying(lab, (deps) => wrap(within({ tokens: 1000 })(deps)), processes);
    const drive = await dying.start('probe', alone);
    void drive.advance();
    await until(async () => (await lab.deps.store.spend(drive.run)).tokens === 600);
    processRun.dead = true;
    bury(lab);
    const again = await reopen(lab, drive.run);
    const gate = gateOf(await again.advance());
    expect((gate.brief.decide as { args: object }).args).toMatchObject({ used: '1200', limit: '1000' });
    expect(await lab.deps.store.spend(drive.run)).toMatchObject({ tokens: 1200, attempts: 2 });
  });

  test('counts once when its finished stream is only played again', async () => {
    const lab = await open({}, { alpha: [{ usage: { money_usd: 0.5, tokens: 7 }, ...says }] });
    const { processRun, wrap, processes } = mortal();
    const diesWithItsEnd = (deps: Deps): Deps => {
      const mortals = wrap(within({})(deps));
      const addSpend: typeof mortals.store.addSpend = async (...args) => {
        await mortals.store.addSpend(...args);
        if (!args[3]?.so_far) processRun.dead = true;
      };
      return { ...mortals, store: { ...mortals.store, addSpend } };
    };
    const dying = await labs.dying(lab, diesWithItsEnd, processes);
    const drive = await dying.start('probe', alone);
    void drive.advance();
    // What it told so far has the same figures: only with its end is it over.
    await until(async () => processRun.dead && (await lab.deps.store.spend(drive.run)).tokens === 7);
    bury(lab);
    const again = await reopen(lab, drive.run);
    expect((await again.advance()).outcome).toBe('done');
    expect(await lab.deps.store.spend(drive.run)).toMatchObject({ money_usd: 0.5, tokens: 7, attempts: 1 });
    const recovered = lab.progress.find(({ type }) => type === 'recovered');
    expect(recovered).toMatchObject({ text: { args: { ended: 0, way: 'taken' } } });
  });
});
