import { describe, expect, test } from 'vitest';
import { createBreakers } from '../../src/runtime/breakers.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { labsOfTest, reopen } from '../scenario/quick-lab.ts';
import { gateOf, type Lab, until } from '../support/lab.ts';

const labs = labsOfTest();
const says = { result: { say: 'a' } };
const alone = { script: [{ do: 'work', roles: ['alpha'] }] };
const together = { script: [{ do: 'work', roles: ['alpha', 'beta'] }] };
const HOUR = 60 * 60 * 1000;

/** A clock of the test's own: sleeping moves it, nothing waits. `held` sleeps wait for their signal instead. */
interface Time {
  now: number;
  readonly slept: number[];
  held: boolean;
}

function newTime(): Time {
  return { now: Date.parse('2030-01-01T00:00:00.000Z'), slept: [], held: false };
}

const onTime =
  (time: Time, backoff_policy: 'real' | 'none' = 'none') =>
  (deps: Deps): Deps => ({
    ...deps,
    ...(backoff_policy === 'real' && { backoff_policy: POLICY_IN_MINUTES }),
    clock: { now: () => new Date(time.now).toISOString() },
    sleep: async (until, signal) => {
      if (time.held)
        return new Promise((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener('abort', () => resolve(), { once: true });
        });
      if (signal.aborted) return;
      time.slept.push(Date.parse(until) - time.now);
      time.now = Math.max(time.now, Date.parse(until));
    },
  });

const POLICY_IN_MINUTES: Deps['backoff_policy'] = {
  limited: { first_ms: 60_000, most_ms: 900_000 },
  infrastructure: { first_ms: 1_000, most_ms: 60_000 },
  breaker: { first_ms: 30_000, most_ms: 600_000 },
};

const later = (ms: number) => new Date(newTime().now + ms).toISOString();
const script = (roles: Readonly<Record<string, unknown>>) => JSON.stringify({ script: 1, roles });
const open = (time: Time, roles: Readonly<Record<string, unknown>>, backoff_policy?: 'real'): Promise<Lab> =>
  labs.open({ wrap: onTime(time, backoff_policy), script: script(roles) });
const attemptsOf = async (lab: Lab, run: string) =>
  (await lab.deps.store.effects(run, (await lab.row(run)).turn))[0]?.attempts ?? [];

describe('a provider that takes no calls', () => {
  test('is waited for until the time it named, and the call goes on by itself with no try spent', async () => {
    const time = newTime();
    const limited = [{ limited: later(2 * HOUR) }, { limited: later(3 * HOUR) }];
    const tries = [{ garbage: 'x' }, { garbage: 'x' }, says];
    const lab = await open(time, { alpha: [{ limited: later(HOUR), attempts: [...limited, ...tries] }] });
    const drive = await lab.start('probe', alone);
    expect((await drive.advance()).outcome).toBe('done');
    expect(time.slept).toEqual([HOUR, HOUR, HOUR]);
    expect((await lab.row(drive.run)).state.last).toEqual(['ok']);
    expect((await lab.deps.store.spend(drive.run)).attempts).toBe(3);
    const asleep = lab.progress.filter(({ type }) => type === 'asleep');
    expect(asleep[0]).toMatchObject({
      role: 'alpha',
      agent: 'rehearsal',
      why: 'limited',
      asleep_until: later(HOUR),
    });
    const notices = lab.progress.flatMap((one) => (one.type === 'notice' ? [one.text.msg] : []));
    const limits = ['engine.attempt_limited', 'engine.attempt_limited', 'engine.attempt_limited'];
    expect(notices).toEqual([...limits, 'engine.attempt_invalid', 'engine.attempt_invalid']);
  });

  test('and was long in saying so has cost nothing, which is no try and no unknown cost', async () => {
    const asked: string[] = [];
    const slow = (deps: Deps): Deps => ({
      ...onTime(newTime())(deps),
      store_spend_ms: 1,
      agent: async (policy, role) => ({
        ...(await deps.agent(policy, role)),
        async *run({ key }) {
          asked.push(key);
          if (asked.length === 1) {
            const run = key.split('/')[0] ?? '';
            await until(async () => (await deps.store.spend(run)).money_unknown);
            return yield { type: 'ended', outcome: 'limited', detail: '429', until: later(HOUR) };
          }
          yield { type: 'usage', usage: { money_usd: 0.5, tokens: 10 } };
          yield { type: 'result', value: says.result };
          yield { type: 'ended', outcome: 'finished', detail: '' };
        },
      }),
    });
    const lab = await labs.open({ wrap: slow });
    const drive = await lab.start('probe', alone);
    expect((await drive.advance()).outcome).toBe('done');
    expect(asked).toHaveLength(2);
    const spent = await lab.deps.store.spend(drive.run);
    expect(spent).toMatchObject({ money_usd: 0.5, money_unknown: false, tokens: 10, attempts: 1 });
  });

  test('that does not say until when is tried again after 1, 2, 4 ... minutes, a little less by chance', async () => {
    const time = newTime();
    const attempts = [...Array.from({ length: 5 }, () => ({ limited: true })), says];
    const lab = await open(time, { alpha: [{ limited: true, attempts }] }, 'real');
    const drive = await lab.start('probe', alone);
    expect((await drive.advance()).outcome).toBe('done');
    const own = time.slept.filter((ms) => ms >= 50_000);
    const minutes = [1, 2, 4, 8, 15, 15];
    expect(own).toHaveLength(minutes.length);
    for (const [n, expected] of minutes.entries()) {
      expect(own[n]).toBeLessThanOrEqual(expected * 60_000);
      expect(own[n]).toBeGreaterThanOrEqual(expected * 54_000);
    }
  });

  test('for more than a day is asked about, and try again tries at once', async () => {
    const time = newTime();
    const lab = await open(time, { alpha: [{ limited: later(25 * HOUR), attempts: [says] }] });
    const drive = await lab.start('probe', alone);
    const gate = gateOf(await drive.advance());
    expect(gate.name).toBe('trouble_infrastructure');
    const why = gate.brief.why[0] as { args: object };
    expect(why.args).toMatchObject({ cause: 'limited', agent: 'rehearsal', until: '2030-01-02 01:00' });
    await lab.answer(gate, 'retry');
    expect((await drive.advance()).outcome).toBe('done');
    expect(time.slept).toEqual([]);
  });

  test('is asked about after fifty sleeps', async () => {
    const time = newTime();
    const effectOf = (n: number) => ({
      attempt: n,
      kind: 'limited' as const,
      problems: ['busy'],
      text: null,
      at: later(0),
      not_before: later(n * 1000),
    });
    const lab = await open(time, { alpha: [{ limited: later(1000) }], else: says });
    time.held = true;
    const drive = await lab.start('probe', alone);
    const first = drive.advance();
    await until(async () => (await attemptsOf(lab, drive.run)).length === 1);
    for (let n = 2; n <= 51; n++) await lab.deps.store.storeAttempt(`${drive.run}/1/0`, effectOf(n));
    await drive.close();
    await first;
    time.held = false;
    const again = await reopen(lab, drive.run);
    expect(gateOf(await again.advance()).name).toBe('trouble_infrastructure');
  });

  test('lets a run be stopped, and after that only the rest is slept', async () => {
    const time = newTime();
    time.held = true;
    const lab = await open(time, { alpha: [{ limited: later(HOUR), attempts: [says] }] });
    const drive = await lab.start('probe', alone);
    const resting = drive.advance();
    await until(() => lab.progress.some(({ type }) => type === 'asleep'));
    const view = await lab.api.view(drive.run);
    expect(view).toMatchObject({ asleep_until: later(HOUR), run: { status: 'working' } });
    await lab.api.stop({ run: drive.run });
    expect((await resting).status).toBe('halted');
    expect(await lab.api.view(drive.run)).toMatchObject({ asleep_until: null });
    await drive.close();
    time.now += HOUR / 4;
    time.held = false;
    await lab.api.command({ run: drive.run, command: 'resume' });
    const again = await reopen(lab, drive.run);
    expect((await again.advance()).outcome).toBe('done');
    expect(time.slept).toEqual([(3 * HOUR) / 4]);
  });

  test('does not keep a person waiting for the question of a call beside it', async () => {
    const time = newTime();
    time.held = true;
    const crash = { crash: true, attempts: [{ crash: true }, { crash: true }, says] };
    const lab = await open(time, { alpha: [{ limited: later(HOUR), attempts: [says] }], beta: [crash] });
    const drive = await lab.start('probe', together);
    const gate = gateOf(await drive.advance());
    expect(gate.name).toBe('trouble_infrastructure');
    time.held = false;
    await lab.answer(gate, 'retry');
    expect((await drive.advance()).outcome).toBe('done');
  });

  test('loses no correction: the try after the sleep is told what was wrong', async () => {
    const time = newTime();
    const prompts: string[] = [];
    const attempts = [{ limited: later(HOUR) }, says];
    const lab = await labs.open({
      script: script({ alpha: [{ garbage: 'no json', attempts }] }),
      wrap: (deps) => ({
        ...onTime(time)(deps),
        agent: async (policy, role) => {
          const agent = await deps.agent(policy, role);
          return {
            ...agent,
            run: (call, signal) => {
              prompts.push(call.prompt);
              return agent.run(call, signal);
            },
          };
        },
      }),
    });
    await (await lab.start('probe', alone)).advance();
    expect(prompts.map((prompt) => prompt.includes('# Correction'))).toEqual([false, true, true]);
  });
});

test('a worker that gave no sign of life is told as that at the gate', async () => {
  const lab = await labs.open({
    wrap: (deps) => ({
      ...deps,
      agent: async (policy, role) => ({
        ...(await deps.agent(policy, role)),
        async *run() {
          yield { type: 'ended', outcome: 'unavailable', detail: 'no sign of life for 300 s' };
        },
      }),
    }),
  });
  const drive = await lab.start('probe', alone);
  const gate = gateOf(await drive.advance());
  const [shown] = await lab.api.gates(drive.run);
  expect(gate.name).toBe('trouble_infrastructure');
  expect(shown?.text).toContain('It gave no sign of life and was stopped with all it had started, 3 times.');
});

describe('an agent that keeps failing', () => {
  test('is left alone after five failures in a row, then one call goes first', async () => {
    const time = newTime();
    const crash = { crash: true };
    const alpha = [{ ...crash, attempts: [crash, crash, crash, crash, says] }];
    const lab = await open(time, { alpha }, 'real');
    const drive = await lab.start('probe', alone);
    const gate = gateOf(await drive.advance());
    await lab.answer(gate, 'retry');
    expect((await drive.advance()).outcome).toBe('done');
    const waits = lab.progress.flatMap((one) =>
      one.type === 'asleep' && one.why === 'breaker' ? [one] : [],
    );
    expect(waits.length).toBeGreaterThan(0);
    expect(waits.some(({ asleep_until }) => asleep_until !== null)).toBe(true);
  });

  test('is asked by one call first: those that wait follow when it is answered, or wait on when it fails', async () => {
    const time = newTime();
    const [clock, backoff_policy] = [{ now: () => new Date(time.now).toISOString() }, POLICY_IN_MINUTES];
    const sleep: Deps['sleep'] = async (at) => {
      time.now = Math.max(time.now, Date.parse(at));
    };
    const breakers = createBreakers({ clock, sleep, backoff_policy });
    const { signal } = new AbortController();
    const told: (string | null)[] = [];
    const ask = () => breakers.admit('claude', signal, (at) => told.push(at));
    for (let n = 0; n < 5; n++) (await ask())?.sign('failed');
    const probe = await ask();
    expect(told).toEqual([later(30_000)]);
    let through = 0;
    const others = [ask(), ask()].map((one) => one.then(() => through++));
    await Promise.resolve();
    expect(told).toEqual([later(30_000), null, null]);
    probe?.sign('failed');
    await until(() => through === 1);
    expect(told[3]).toBe(later(90_000));
    const leaving = new AbortController();
    leaving.abort();
    expect(await breakers.admit('claude', leaving.signal, () => undefined)).toBeNull();
    expect(await breakers.admit('codex', signal, () => undefined)).not.toBeNull();
    expect(through).toBe(1);
    void others;
  });
});
