import { describe, expect, test, vi } from 'vitest';
import { isRejection } from '../../src/engine/rejection.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import type { DriveHandle } from '../../src/runtime/views.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { callerOf, TESTER } from '../support/caller.ts';
import {
  asProcess,
  flag,
  MINUTE,
  reopened,
  type Setting,
  setting,
  stations,
  told,
  within,
} from '../support/handed-over.ts';
import { gateOf, type Lab } from '../support/lab.ts';

const labs = labsOfTest();
const open = (set = setting(), more?: (deps: Deps) => Deps): Promise<Lab> =>
  labs.open({ wrap: within(set, more) });
/** Another process on the same store. */
const beside = async (lab: Lab, set: Setting, more?: (deps: Deps) => Deps): Promise<Lab> =>
  labs.dying(lab, within(set, more));

const PAUSES = { stations: stations('a migration', 'b', 'c') };
const carryOn = { attended: false };

/** Accepts on another surface, which carries the run on. */
async function answeredOn(lab: Lab, gate: ReturnType<typeof gateOf>): Promise<DriveHandle> {
  const input = { option: 'accept', text: null, fields: {}, typed: null, digest: gate.digest };
  const receipt = await lab.api.answer({ gate: gate.id, answer: input, drive: carryOn });
  if (isRejection(receipt) || !receipt.handle) throw new Error(JSON.stringify(receipt));
  return receipt.handle;
}

describe('CON-111 an unattended run paused by the risk floor', () => {
  test('CON-111 answered inside the watch: the next gate is delegated, in the same drive', async () => {
    const set = setting();
    const lab = await open(set);
    const drive = await lab.start('way', PAUSES, flag('unattended'));
    const rest = await drive.advance();
    expect(rest.pause?.until).toBe(new Date(set.now + 10 * MINUTE).toISOString());
    const before = await lab.deps.store.drive(drive.run);
    set.now += 9 * MINUTE;
    const web = await beside(lab, set);
    const carried = await answeredOn(web, gateOf(rest));
    expect(await lab.deps.store.drive(drive.run)).toEqual({ ...before, until: null });
    expect((await carried.advance()).outcome).toBe('done');
    expect(await told(lab, drive.run, 'auto_accepted')).toHaveLength(2);
    await carried.close();
  });

  test('CON-111 answered after the watch: the next gate pauses, until the flag is given again', async () => {
    const set = setting();
    const lab = await open(set);
    const drive = await lab.start('way', PAUSES, flag('unattended'));
    const rest = await drive.advance();
    await drive.close();
    set.now += 10 * MINUTE;
    const web = await beside(lab, set);
    const carried = await answeredOn(web, gateOf(rest));
    expect(await carried.advance()).toMatchObject({ mode: 'controlled', pause: { cause: 'controlled' } });
    await carried.close();
    const invoked = await reopened(lab, drive.run, 'unattended');
    expect((await invoked.advance()).outcome).toBe('done');
  });

  test('the answer decides it, not the time at which somebody carries it on', async () => {
    const set = setting();
    const lab = await open(set);
    const drive = await lab.start('way', PAUSES, flag('unattended'));
    const rest = await drive.advance();
    await drive.close();
    await lab.answer(gateOf(rest), 'accept');
    set.now += 24 * 60 * MINUTE;
    expect((await (await reopened(lab, drive.run)).advance()).outcome).toBe('done');
  });

  test('a process that attends the gate prolongs the watch; one that died did so until its last beat', async () => {
    const set = setting();
    const dead = new Set<number>();
    const lab = await open(set, asProcess(11, dead));
    const drive = await lab.start('way', PAUSES, { ...flag('unattended'), attended: true });
    const rest = await drive.advance();
    set.now += 60 * MINUTE;
    await lab.deps.store.heartbeat(drive.run, (await lab.row(drive.run)).epoch, lab.deps.clock.now());
    const web = await beside(lab, set, asProcess(12, dead));
    const receipt = await web.answer(gateOf(rest), 'accept');
    expect(receipt.driven_elsewhere).toBe('here:11');
    expect((await drive.advance()).outcome).toBe('done');

    const second = await lab.start('way', PAUSES, { ...flag('unattended'), attended: true });
    const at = gateOf(await second.advance());
    set.now += 60 * MINUTE;
    await lab.deps.store.heartbeat(second.run, (await lab.row(second.run)).epoch, lab.deps.clock.now());
    dead.add(11);
    set.now += 9 * MINUTE;
    const heir = await answeredOn(web, at);
    expect((await heir.advance()).outcome).toBe('done');

    const third = await lab.start('way', PAUSES, { ...flag('unattended'), attended: true });
    const last = gateOf(await third.advance());
    set.now += 70 * MINUTE;
    expect((await (await answeredOn(web, last)).advance()).pause?.cause).toBe('controlled');
  });
});

describe('a drive', () => {
  test('CON-18 a later invocation without a flag is controlled, whatever the run before it used', async () => {
    const lab = await open();
    const drive = await lab.start('way', PAUSES, flag('unattended'));
    const rest = await drive.advance();
    await drive.close();
    const invoked = await reopened(lab, drive.run, 'controlled');
    await lab.answer(gateOf(rest), 'accept');
    expect(await invoked.advance()).toMatchObject({ mode: 'controlled', pause: { cause: 'controlled' } });
    expect(JSON.stringify((await lab.row(drive.run)).state)).not.toContain('unattended');
  });

  test('whoever takes it over from a process that died keeps its mode', async () => {
    const dead = new Set<number>();
    const set = setting();
    const lab = await open(set, asProcess(11, dead));
    const drive = await lab.start('way', { stations: stations('a', 'b', 'hard') }, flag('partial:design'));
    dead.add(11);
    const heir = await beside(lab, set, asProcess(12, dead));
    const taken = await reopened(heir, drive.run);
    expect(await taken.advance()).toMatchObject({ mode: 'partial:design', gate: { name: 'hard' } });
    await taken.close();
  });

  test('holds the run until it has decided about the gate, so that a death in between is seen', async () => {
    const holders: [string | undefined, boolean][] = [];
    const lab = await open(setting(), (deps) => ({
      ...deps,
      store: {
        ...deps.store,
        commit: (changes) => {
          for (const { run, events } of changes) holders.push([events.at(-1)?.type, run.holder !== null]);
          return deps.store.commit(changes);
        },
      },
    }));
    const drive = await lab.start('way', { stations: stations('a', 'hard') }, flag('unattended'));
    await drive.advance();
    expect(holders).toEqual([
      ['step_started', true],
      ['gate_opened', true],
      ['step_started', true],
      ['gate_opened', true],
      ['gate_paused', false],
    ]);
  });

  test.each([
    ['stop', 'resume', (lab: Lab, run: string) => lab.api.stop({ run })],
    ['park', 'conduct', (lab: Lab, run: string) => lab.api.command({ run, command: 'park' })],
  ])('%s closes it, and what goes on after %s is controlled', async (_name, command, close) => {
    const lab = await open();
    const drive = await lab.start('way', PAUSES, flag('unattended'));
    await drive.advance();
    await close(lab, drive.run);
    expect((await lab.deps.store.drive(drive.run))?.closed_at).not.toBeNull();
    expect(await lab.api.command({ run: drive.run, command })).toMatchObject({ ok: true });
    const rest = await drive.advance();
    expect(rest).toMatchObject({ mode: 'controlled', pause: { cause: 'controlled' } });
    await lab.answer(gateOf(rest), 'accept');
    expect((await drive.advance()).pause?.cause).toBe('controlled');
    expect(await lab.deps.store.drive(drive.run)).toMatchObject({ mode: 'controlled', closed_at: null });
  });

  test('of one shot behaves the same up to its first pause, which closes it', async () => {
    const types = async (one_shot: boolean) => {
      const lab = await open();
      const drive = await lab.start(
        'way',
        { stations: stations('a', 'b migration', 'c') },
        flag('unattended', one_shot),
      );
      const rest = await drive.advance();
      const events = (await lab.deps.store.events(drive.run, 0, 100)).map(({ type }) => type);
      return { lab, drive, rest, events };
    };
    const shot = await types(true);
    expect(shot.events).toEqual((await types(false)).events);
    expect(shot.rest.pause).toMatchObject({ cause: 'risk-floor', until: null });
    expect((await shot.lab.deps.store.drive(shot.drive.run))?.closed_at).not.toBeNull();
    await shot.drive.advance();
    expect(await told(shot.lab, shot.drive.run, 'gate_paused')).toHaveLength(1);
    await shot.lab.answer(gateOf(shot.rest), 'accept');
    expect(await shot.drive.advance()).toMatchObject({ mode: 'controlled', pause: { cause: 'controlled' } });
  });

  test('of one shot ends its mode at any gate a person must answer', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('form', 'b') }, flag('unattended', true));
    await lab.answer(gateOf(await drive.advance()), 'accept');
    expect((await drive.advance()).pause?.cause).toBe('controlled');
  });

  test('of one shot ends its mode at trouble too, which no drive answers', async () => {
    const dead = new Set<number>();
    const set = setting();
    const hanging = (pid: number) => (deps: Deps) => ({
      ...asProcess(pid, dead)(deps),
      outside: { deploy: { perform: () => new Promise(() => undefined) } },
    });
    const lab = await open(set, hanging(10));
    const dying = await beside(lab, set, hanging(11));
    const way = [{ text: 'v1', deploys: true }, { text: 'b' }];
    const { run } = await dying.start('way', { stations: way }, flag('unattended', true));
    dead.add(11);
    const rest = await (await reopened(lab, run)).advance();
    expect(rest).toMatchObject({ gate: { name: 'trouble_unknown_effect' }, pause: { cause: 'trouble' } });
    expect(await lab.deps.store.drive(run)).toMatchObject({
      mode: 'unattended',
      closed_at: expect.any(String),
    });
    await lab.answer(gateOf(rest), 'happened');
    expect((await (await reopened(lab, run)).advance()).pause?.cause).toBe('controlled');
  });

  test('of a resting run waits for the command that begins it', async () => {
    const lab = await open();
    const made = await lab.start('way', { stations: stations('a'), resting: true });
    expect((await made.advance()).wait).toMatchObject({ kind: 'command' });
    await made.close();
    const invoked = await reopened(lab, made.run, 'unattended');
    expect(await lab.api.command({ run: made.run, command: 'conduct' })).toMatchObject({ ok: true });
    expect((await invoked.advance()).outcome).toBe('done');
  });
});

describe('CON-73 an answer given while nothing runs', () => {
  test.each([
    ['accept', {}, 'b', 1],
    ['reshape', { text: 'better' }, 'better', 2],
    ['deny', {}, null, null],
  ])('CON-73 %s is kept, and the next run applies it', async (option, more, text, gates) => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('a', 'b') });
    const gate = gateOf(await drive.advance());
    await drive.close();
    await lab.answer(gate, option, more);
    const next = await (await reopened(lab, drive.run)).advance();
    if (text === null) expect(next).toMatchObject({ phase: 'parked', gate: null });
    else expect(next.gate?.brief.decide).toBe(text);
    expect(gates === null ? null : (await lab.row(drive.run)).counters.gates).toBe(gates === null ? null : 2);
  });
});

describe('CON-20 at most one live run', () => {
  test('CON-20 of two concurrent starts one wins, the other is told who holds it', async () => {
    const set = setting();
    const lab = await open(set, asProcess(10));
    const made = await lab.start('way', PAUSES);
    await made.close();
    const processes = await Promise.all([11, 12].map((pid) => beside(lab, set, asProcess(pid))));
    const results = await Promise.all(
      processes.map(({ api }) =>
        api.open({ run: made.run, attended: false, invocation: flag('unattended').invocation }),
      ),
    );
    expect(results.filter((result) => !isRejection(result))).toHaveLength(1);
    const { holder } = await lab.row(made.run);
    expect(results.find(isRejection)).toMatchObject({
      rejection: 'held_elsewhere',
      message: { args: { run: made.run, host: 'here', pid: holder?.pid } },
    });
    for (const result of results) if (!isRejection(result)) await result.close();
  });

  test('CON-20 of two concurrent takeovers one wins', async () => {
    const dead = new Set<number>();
    const set = setting();
    const lab = await open(set, asProcess(10, dead));
    const { run } = await lab.start('way', PAUSES, flag('unattended'));
    dead.add(10);
    const processes = await Promise.all([11, 12].map((pid) => beside(lab, set, asProcess(pid, dead))));
    const results = await Promise.all(processes.map(({ api }) => api.open({ run, attended: false })));
    expect(results.filter((result) => !isRejection(result))).toHaveLength(1);
    expect(results.find(isRejection)).toMatchObject({ rejection: 'held_elsewhere' });
    expect((await lab.deps.store.drive(run))?.mode).toBe('unattended');
    for (const result of results) if (!isRejection(result)) await result.close();
  });

  test('CON-20 a second invocation in the process that holds it is refused, and a plain look is not', async () => {
    const lab = await open();
    const drive = await lab.start('way', PAUSES, flag('unattended'));
    const refused = await lab.api.open({
      run: drive.run,
      attended: false,
      invocation: flag('escalate').invocation,
    });
    expect(refused).toMatchObject({
      rejection: 'held_elsewhere',
      message: { args: { pid: lab.deps.processes.self().pid } },
    });
    expect(await lab.api.open({ run: drive.run, attended: false })).toBe(drive);
    expect((await lab.deps.store.drive(drive.run))?.mode).toBe('unattended');
  });

  test('CON-20 of two invocations at once in one process one wins', async () => {
    const lab = await open();
    const made = await lab.start('way', PAUSES);
    await made.close();
    const fresh = await beside(lab, setting());
    const { invocation } = flag('unattended');
    const results = await Promise.all(
      [1, 2].map(() => fresh.api.open({ run: made.run, attended: false, invocation })),
    );
    expect(results.filter(isRejection)).toHaveLength(1);
    for (const result of results) if (!isRejection(result)) await result.close();
  });

  test('CON-20 a foreign holder is replaced after five minutes of silence and not before', async () => {
    const set = setting();
    const elsewhere = (deps: Deps): Deps => ({
      ...deps,
      processes: { ...deps.processes, self: () => ({ host: 'far', pid: 1, start: '1' }) },
    });
    const lab = await open(set, elsewhere);
    const { run } = await lab.start('way', PAUSES, flag('unattended'));
    const heir = await beside(lab, set, asProcess(12));
    set.now += 5 * MINUTE;
    expect(await heir.api.open({ run, attended: false })).toMatchObject({ rejection: 'held_elsewhere' });
    set.now += 1;
    const taken = await reopened(heir, run);
    expect((await lab.row(run)).holder?.host).toBe('here');
    await taken.close();
  });

  test('CON-20 a holder beats every 30 seconds, until it lets go', async () => {
    const heartbeats: string[] = [];
    const lab = await open(setting(), (deps) => ({
      ...deps,
      store: { ...deps.store, heartbeat: async (run) => void heartbeats.push(run) },
    }));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const drive = await lab.start('way', PAUSES, { ...flag('unattended'), attended: true });
      const after = (ms: number) => {
        vi.advanceTimersByTime(ms);
        return heartbeats.length;
      };
      expect([29_999, 1, 29_999, 1, 60_000].map(after)).toEqual([0, 1, 1, 2, 4]);
      await drive.close();
      expect(after(120_000)).toBe(4);
      expect(new Set(heartbeats)).toEqual(new Set([drive.run]));
    } finally {
      vi.useRealTimers();
    }
  });

  test('a drive that was taken over while it decided writes nothing', async () => {
    const set = setting();
    let looks = 0;
    let meanwhile = async (): Promise<unknown> => null;
    const opened = await open(set, (deps) => ({
      ...asProcess(11, new Set([11]))(deps),
      // The first look is at the draft, the second at the gate.
      trust: async () => {
        looks++;
        if (looks === 2) await meanwhile();
        return set.trust;
      },
    }));
    const drive = await opened.start('way', { stations: stations('a') });
    await drive.close();
    const invoked = await reopened(opened, drive.run, 'unattended');
    const heir = await beside(opened, set, asProcess(12, new Set([11])));
    looks = 0;
    meanwhile = () => heir.api.open({ run: drive.run, attended: false });
    expect(await invoked.advance()).toMatchObject({ elsewhere: 'here:12', gate: { name: 'forward' } });
    expect(await told(opened, drive.run, 'auto_accepted', 'gate_paused')).toEqual([]);
    const taken = await reopened(heir, drive.run);
    expect((await taken.advance()).outcome).toBe('done');
    await taken.close();
  });
});

describe('a command', () => {
  test('carries its arguments to the workflow', async () => {
    const lab = await open();
    const drive = await lab.start('way', { stations: stations('a') });
    await drive.advance();
    const ada = lab.api.as(callerOf({ ...TESTER, person: 'Ada' }));
    await ada.command({ run: drive.run, command: 'retell', args: { text: 'told anew' } });
    expect((await drive.advance()).gate?.brief.decide).toBe('told anew');
    const [event] = await told(lab, drive.run, 'signal_received');
    expect(event).toMatchObject({ signal: { command: 'retell', by: 'Ada', args: { text: 'told anew' } } });
  });
});
