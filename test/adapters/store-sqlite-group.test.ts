import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/adapters/store-sqlite/open.ts';
import type { Run } from '../../src/contract/run.ts';
import { type AdapterError, InvariantError } from '../../src/engine/errors.ts';
import type { CommitResult, Store } from '../../src/ports/store.ts';
import { aGate, anEffect, anEvent, at, creating, moving, T0 } from '../support/changes.ts';
import { mount, mountRefusal, unmount } from '../support/mounts.ts';
import { walCommits } from '../support/wal-commits.ts';

const OURS = { host: 'here', pid: process.pid, start: '1' };
const COMMITTED: CommitResult = { kind: 'committed' };
const IDS = Array.from({ length: 16 }, (_, n) => `sp-${n}`);

let dir: string;
let file: string;
let store: Store;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'baton-group-'));
  file = join(dir, 'baton.db');
  store = await openSqliteStore({ file, now: () => T0 });
});
afterEach(() => {
  store.close();
  rmSync(dir, { recursive: true });
});

/** Sixteen runs that this process works on. */
async function sixteen(): Promise<Run[]> {
  await store.commit(
    IDS.map((id) => creating(id, { holder: OURS }, { opened: [anEffect(id, 1, 0), anEffect(id, 1, 1)] })),
  );
  return Promise.all(IDS.map(load));
}

async function load(id: string): Promise<Run> {
  const run = await store.load(id);
  if (!run) throw new Error(`${id} is not stored`);
  return run;
}

async function revisions(): Promise<number[]> {
  return (await Promise.all(IDS.map(load))).map((run) => run.revision);
}

/** That many turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** Commits that the file shows more after the work than before it. */
async function commitsOf<T>(work: () => Promise<T>): Promise<{ commits: number; result: T }> {
  const before = walCommits(file);
  const result = await work();
  return { commits: walCommits(file) - before, result };
}

/** Revision of a run as another process sees it at this very moment. */
function seenOutside(id: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true });
  const row = db.prepare('select revision from runs where id = ?').get(id);
  db.close();
  return row?.revision;
}

describe('with more than one active drive', () => {
  test('sixteen transitions are one commit', async () => {
    const runs = await sixteen();
    const { commits, result } = await commitsOf(() =>
      Promise.all(runs.map((run) => store.commit([moving(run)]))),
    );
    expect(result).toEqual(IDS.map(() => COMMITTED));
    expect(commits).toBe(1);
    expect(await revisions()).toEqual(IDS.map(() => 2));
    expect(await store.integrity()).toEqual([]);
  });

  test('transitions of different turns of the event loop are one commit', async () => {
    const runs = await sixteen();
    const { commits } = await commitsOf(() =>
      Promise.all(
        runs.map(async (run, n) => {
          await turns(n % 7);
          return store.commit([moving(run)]);
        }),
      ),
    );
    expect(commits).toBe(1);
    expect(await revisions()).toEqual(IDS.map(() => 2));
  });

  test('a transition waits a few turns for others that do not come, and not for ever for those that do', async () => {
    const [first, ...others] = (await sixteen()) as [Run, ...Run[]];
    let waited = 0;
    let isStored = false;
    void store.commit([moving(first)]).then(() => {
      isStored = true;
    });
    for (; !isStored && waited < 100; waited++) await turns(1);
    expect(waited).toBeLessThan(8);
    const slow = others.slice(0, 14).map(async (run, n) => {
      await turns(2 * n);
      return store.commit([moving(run)]);
    });
    const { commits } = await commitsOf(() => Promise.all(slow));
    expect(commits).toBeGreaterThan(1);
    expect(commits).toBeLessThan(5);
  });

  test('nothing is stored before the group is, and then all of it at once', async () => {
    const [first, second] = (await sixteen()) as [Run, Run];
    const both = [store.commit([moving(first)]), store.commit([moving(second)])];
    expect([seenOutside('sp-0'), seenOutside('sp-1')]).toEqual([1, 1]);
    await both[0];
    expect([seenOutside('sp-0'), seenOutside('sp-1')]).toEqual([2, 2]);
    await both[1];
  });

  test('results, attempts, leases and drafts join the group', async () => {
    const runs = await sixteen();
    await store.commit([creating('sp-g', at(aGate('sp-g', 1)), { gate_opened: aGate('sp-g', 1) })]);
    const { commits, result } = await commitsOf(() =>
      Promise.all([
        store.storeResult('sp-0/1/0', 'kept', T0),
        store.storeAttempt('sp-1/1/0', { attempt: 1, kind: 'silent', problems: [], text: null }),
        store.takeLease('sp-2', 0, OURS, null),
        store.takeLease('sp-2', 0, OURS, null),
        store.storeDraft('sp-g.g1', aGate('sp-g', 1).digest, { q1: 'typed' }),
        store.recordStarted('sp-3', 1, 0, T0),
        store.heartbeat('sp-4', 0, T0),
        store.releaseLease('sp-5', 0),
        store.commit([moving(runs[6] as Run)]),
      ]),
    );
    expect(commits).toBe(1);
    expect(result).toEqual([undefined, undefined, 1, null, true, true, undefined, undefined, COMMITTED]);
    expect(await store.effects('sp-0', 1)).toMatchObject([{ result: 'kept' }, { result: null }]);
    expect(await store.effects('sp-1', 1)).toMatchObject([{ attempts: [{ attempt: 1 }] }, {}]);
    expect(await store.draft('sp-g.g1')).toEqual({ q1: 'typed' });
  });

  test('a stale one is told so and the others stay in one commit', async () => {
    const runs = await sixteen();
    await store.commit([moving(runs[5] as Run)]);
    const { commits, result } = await commitsOf(() =>
      Promise.all(runs.map((run) => store.commit([moving(run)]))),
    );
    expect(result).toEqual(IDS.map((id) => (id === 'sp-5' ? { kind: 'stale', run: id } : COMMITTED)));
    expect(commits).toBe(1);
    expect(await revisions()).toEqual(IDS.map(() => 2));
  });

  test('of two about the same row the first wins', async () => {
    const [run, other] = (await sixteen()) as [Run, Run];
    const results = await Promise.all(
      [[run], [run], [other]].map((rows) => store.commit(rows.map((r) => moving(r)))),
    );
    expect(results).toEqual([COMMITTED, { kind: 'stale', run: 'sp-0' }, COMMITTED]);
    expect(await store.events('sp-0', 0, 9)).toHaveLength(2);
  });

  test('one refused after it had written takes nothing of itself and nothing of its neighbours along', async () => {
    const runs = (await sixteen()) as [Run, Run, Run, Run, ...Run[]];
    await store.commit([moving(runs[2])]);
    const { commits, result } = await commitsOf(() =>
      Promise.all([
        store.commit([moving(runs[0])]),
        store.commit([moving(runs[1]), moving(runs[2])]),
        store.commit([moving(runs[3])]),
      ]),
    );
    expect(result).toEqual([COMMITTED, { kind: 'stale', run: 'sp-2' }, COMMITTED]);
    expect(commits).toBe(1);
    expect((await revisions()).slice(0, 4)).toEqual([2, 1, 2, 2]);
    expect(await store.events('sp-1', 0, 9)).toHaveLength(1);
    expect(await store.integrity()).toEqual([]);
  });

  test.each([
    ['before it writes', (run: Run) => moving(run, {}, { events: [anEvent(run.id, 7)] })],
    [
      'after it has written',
      (run: Run) => moving(run, {}, { gate_closed: { id: `${run.id}.g9`, status: 'answered', at: T0 } }),
    ],
    [
      'by a constraint',
      (run: Run) => moving(run, {}, { inbox_added: [{ id: 'i', run: 'sp-none', signal: SIGNAL, at: T0 }] }),
    ],
  ])('one that breaks an invariant %s fails by itself', async (_when, broken) => {
    const runs = await sixteen();
    const { commits, result } = await commitsOf(() =>
      Promise.allSettled(runs.map((run) => store.commit([run.id === 'sp-7' ? broken(run) : moving(run)]))),
    );
    for (const [n, settled] of result.entries()) {
      if (n === 7) expect(settled).toMatchObject({ status: 'rejected', reason: expect.any(InvariantError) });
      else expect(settled).toEqual({ status: 'fulfilled', value: COMMITTED });
    }
    expect(commits).toBe(1);
    expect(await revisions()).toEqual(IDS.map((id) => (id === 'sp-7' ? 1 : 2)));
    expect(await store.events('sp-7', 0, 9)).toHaveLength(1);
    expect(await store.integrity()).toEqual([]);
  });

  test('closing stores what was waiting', async () => {
    const runs = await sixteen();
    const waiting = Promise.all(runs.map((run) => store.commit([moving(run)])));
    store.close();
    expect(await waiting).toEqual(IDS.map(() => COMMITTED));
    expect(seenOutside('sp-15')).toBe(2);
  });
});

const SIGNAL = { type: 'fact', what: 'w', value: 1, at: T0 } as const;

describe('with one active drive', () => {
  test('a transition is stored before anything else can happen', async () => {
    await store.commit([creating('sp-0', { holder: OURS })]);
    const moved = store.commit([moving(await load('sp-0'))]);
    expect(seenOutside('sp-0')).toBe(2);
    const kept = store.heartbeat('sp-0', 0, T0);
    expect(await Promise.all([moved, kept])).toEqual([COMMITTED, undefined]);
  });

  test.each([
    ['rests at a gate', { status: 'waiting' as const }],
    ['has ended', { status: 'ended' as const, step: { kind: 'end', outcome: { result: 'done' } } as const }],
    ['is worked on by another process', { holder: { ...OURS, pid: 1 } }],
  ])('a second run that %s does not count', async (_how, over) => {
    const [first, second] = (await sixteen()) as [Run, Run];
    await store.commit([moving(second, over)]);
    for (const id of IDS.slice(2)) await store.releaseLease(id, 0);
    const moved = store.commit([moving(first)]);
    expect(seenOutside('sp-0')).toBe(2);
    await moved;
  });
});

describe('spend', () => {
  const spend = { money_usd: 0.5, money_unknown: false, tokens: 10, seconds: 1 };

  test('is stored with the result it was spent on and costs no commit of its own', async () => {
    await store.commit([creating('sp-0', {}, { opened: [anEffect('sp-0', 1, 0)] })]);
    const { commits } = await commitsOf(async () => {
      await store.addSpend('sp-0', 'sp-0/1/0', 1, spend);
      await store.commit([moving(await load('sp-0'))]);
    });
    expect(commits).toBe(1);
    const other = await openSqliteStore({ file, now: () => T0 });
    expect(await other.spend('sp-0')).toEqual({ ...spend, attempts: 1 });
    other.close();
  });

  test('outlives a write that was refused, and is seen at once by its own process', async () => {
    await store.commit([creating('sp-0')]);
    const old = await load('sp-0');
    await store.commit([moving(old)]);
    await store.addSpend('sp-0', 'sp-0/1/0', 1, spend);
    expect(await store.commit([moving(old)])).toEqual({ kind: 'stale', run: 'sp-0' });
    expect(await store.spend('sp-0')).toMatchObject({ tokens: 10, attempts: 1 });
  });

  test('of one run waits for its own commit, whatever is asked about another', async () => {
    await sixteen();
    const { commits } = await commitsOf(async () => {
      await store.addSpend('sp-0', 'sp-0/1/0', 1, spend);
      expect(await store.spend('sp-1')).toMatchObject({ tokens: 0, attempts: 0 });
      expect(await store.spend('sp-1', 'sp-1/1/0')).toMatchObject({ tokens: 0, attempts: 0 });
    });
    expect(commits).toBe(0);
    expect(await store.spend('sp-0', 'sp-0/1/0')).toMatchObject({ tokens: 10, attempts: 1 });
  });

  test('is stored at the close when nothing else was written', async () => {
    await store.commit([creating('sp-0')]);
    await store.addSpend('sp-0', 'sp-0/1/0', 1, spend);
    store.close();
    store = await openSqliteStore({ file, now: () => T0 });
    expect(await store.spend('sp-0')).toMatchObject({ tokens: 10, attempts: 1 });
  });

  test('adds up to the same total however it is asked for', async () => {
    await store.commit([creating('sp-0', { holder: OURS })]);
    const other = await openSqliteStore({ file, now: () => T0 });
    const both = async () => {
      await store.heartbeat('sp-0', 0, T0);
      const totals = [await store.spend('sp-0'), await other.spend('sp-0')];
      expect(totals[0]).toEqual(totals[1]);
      return totals[0];
    };
    expect(await both()).toMatchObject({ tokens: 0, attempts: 0 });
    await store.addSpend('sp-0', 'sp-0/1/0', 1, spend);
    expect(await store.spend('sp-0')).toMatchObject({ tokens: 10, attempts: 1 });
    await store.addSpend('sp-0', 'sp-0/1/0', 1, { ...spend, tokens: 7 });
    expect(await both()).toMatchObject({ tokens: 7, attempts: 1 });
    await store.addSpend('sp-0', 'sp-0/1/0', 1, { ...spend, tokens: 8 });
    await store.addSpend('sp-0', 'sp-0/1/0', 2, { ...spend, money_unknown: true });
    expect(await both()).toMatchObject({ tokens: 18, attempts: 2, money_usd: 1, money_unknown: true });
    const ours = await load('sp-0');
    await other.takeLease('sp-0', 0, { ...OURS, pid: 1 }, null);
    await other.addSpend('sp-0', 'sp-0/2/0', 1, spend);
    await other.commit([moving(await load('sp-0'))]);
    expect(await store.commit([moving(ours)])).toEqual({ kind: 'stale', run: 'sp-0' });
    expect(await both()).toMatchObject({ tokens: 28, attempts: 3 });
    other.close();
  });

  test('that cannot be stored is refused before it could fail other writes', async () => {
    await store.commit([creating('sp-0')]);
    await expect(store.addSpend('sp-none', 'sp-none/1/0', 1, spend)).rejects.toThrow(InvariantError);
    for (const wrong of [{ tokens: 1.5 }, { seconds: Number.NaN }, { money_usd: Number.NaN }]) {
      await expect(store.addSpend('sp-0', 'sp-0/1/0', 1, { ...spend, ...wrong })).rejects.toThrow(
        InvariantError,
      );
    }
    expect(await store.commit([moving(await load('sp-0'))])).toEqual(COMMITTED);
  });
});

test('giving back a lease that nobody holds writes nothing', async () => {
  await store.commit([creating('sp-0')]);
  const before = await load('sp-0');
  expect((await commitsOf(() => store.releaseLease('sp-0', 0))).commits).toBe(0);
  expect(await load('sp-0')).toEqual(before);
});

const refusal = mountRefusal();
test.skipIf(refusal)(
  `a disk that fills up in the middle of a group fails only those it has no room for${refusal ? ` (skipped: ${refusal})` : ''}`,
  async () => {
    const small = join(dir, 'small');
    mkdirSync(small);
    expect(mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small)).toBeNull();
    try {
      writeFileSync(join(small, 'filler'), Buffer.alloc(400 * 1024));
      const tight = await openSqliteStore({ file: join(small, 'baton.db'), now: () => T0 });
      await tight.commit(['sp-a', 'sp-b'].map((id) => creating(id, { holder: OURS })));
      const big = { state: { phase: 'one', big: 'x'.repeat(40_000) } };
      const settled = await Promise.allSettled(IDS.map((id) => tight.commit([creating(id, big)])));
      const stored = IDS.filter((_, n) => settled[n]?.status === 'fulfilled');
      expect(stored.length).toBeGreaterThan(0);
      expect(stored.length).toBeLessThan(16);
      for (const result of settled) {
        if (result.status === 'rejected')
          expect((result.reason as AdapterError).failure?.code).toBe('disk_full');
      }
      const listed = (await tight.list({})).map(({ id }) => id).sort();
      expect(listed).toEqual([...stored, 'sp-a', 'sp-b'].sort());
      rmSync(join(small, 'filler'));
      const again = await Promise.all(
        IDS.filter((id) => !stored.includes(id)).map((id) => tight.commit([creating(id)])),
      );
      expect(again).toEqual(again.map(() => COMMITTED));
      expect(await tight.integrity()).toEqual([]);
      tight.close();
    } finally {
      unmount(small);
    }
  },
);
