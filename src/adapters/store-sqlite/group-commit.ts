import type { Connection } from './connection.ts';
import { isSqliteError } from './store-errors.ts';

/** How the writes of one connection become transactions. Every caller is told its own result or its own error. */
export interface GroupCommit {
  /**
   * Does `work` inside a transaction; nothing of it stays when it throws or when `keep` calls its result a refusal.
   * With no `others` at work it has a transaction of its own at once. Otherwise it shares one commit with all that
   * is written while the group gathers; the promise settles only after that commit, so that a crash before it loses
   * the whole group and nobody was told otherwise.
   */
  write<T>(others: number, work: Work<T>): Promise<T>;
  /** Writes `work` with the next transaction, or soon; for what is worth nothing without that next transaction. */
  ride(rider: Rider): void;
  /** Whether a rider of that name still waits. */
  isRiding(name: string): boolean;
  /** Commits the riders now if one of them is of that run; for whoever is about to read it. */
  land(run: string): void;
  /** Commits everything that waits. Called before the file is closed. */
  drain(): void;
}

interface Work<T> {
  readonly work: () => T;
  readonly keep?: (result: T) => boolean;
  /** Told at once, before the caller's promise: the next write must already know. */
  readonly done?: (result: T) => void;
}

/**
 * A row that needs no commit of its own; another of the same name takes its place. `work` must not fail but for the
 * disk: it would fail every write after it.
 */
interface Rider {
  readonly name: string;
  readonly run: string;
  readonly work: () => void;
}

interface Write extends Required<Work<unknown>> {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

/**
 * A group is committed when all who are at work are in it, when this many turns of the event loop brought nobody
 * more, or after the most turns. A turn without work takes microseconds and a commit hundreds of them, so that waiting
 * for the next one to come costs less than a commit of its own.
 */
const QUIET_TURNS = 3;
const MOST_TURNS = 16;

/** A rider that no write came by for is committed alone after this time. */
const RIDER_MS = 250;

const KEEP_ALL = (): boolean => true;
const TELL_NOBODY = (): void => {};

export function createGroupCommit(c: Connection, toError: (error: unknown) => unknown): GroupCommit {
  let queue: Write[] = [];
  /** How many more than the last writer are at work. */
  let others = 0;
  /** The last commit was of several: the next one is not made alone because all have just come to a rest. */
  let shared = false;
  const riders = new Map<string, Rider>();
  let timer: NodeJS.Timeout | undefined;

  /** Runs `body`, then all riders, in one transaction; they leave the list only once it is committed. */
  const carry = <T>(body: () => T, keep: (result: T) => boolean): T => {
    if (riders.size === 0) return c.transaction(body, keep);
    const result = c.transaction(() => {
      const written = body();
      for (const { work } of riders.values()) work();
      return written;
    }, keep);
    if (keep(result)) riders.clear();
    return result;
  };
  const waiting = () => ({ size: queue.length, isFull: queue.length > others });
  const flush = (): void => {
    const group = queue;
    queue = [];
    shared = group.length > 1;
    if (group.length > 0) tell(group, commitGroup(c, group, carry), toError);
  };
  const land = (): void => {
    if (riders.size > 0) carry(() => undefined, KEEP_ALL);
  };

  return {
    write: <T>(besides: number, { work, keep = KEEP_ALL, done = TELL_NOBODY }: Work<T>) =>
      new Promise<T>((resolve, reject) => {
        const write = { work, keep, done, resolve, reject } as unknown as Write;
        if (queue.length === 0 && besides === 0 && !shared)
          return tell([write], [alone(write, carry)], toError);
        others = besides;
        if (queue.push(write) === 1) gather(waiting, flush);
      }),
    ride: (rider) => {
      riders.set(rider.name, rider);
      timer ??= setTimeout(() => {
        timer = undefined;
        try {
          land();
        } catch {
          // The next write carries them, or fails for the same reason and says so.
        }
      }, RIDER_MS).unref();
    },
    isRiding: (name) => riders.has(name),
    land: (run) => {
      for (const rider of riders.values()) if (rider.run === run) return land();
    },
    drain: () => {
      clearTimeout(timer);
      flush();
      land();
    },
  };
}

/** Flushes the group once waiting for more is no longer worth it. */
function gather(
  waiting: () => { readonly size: number; readonly isFull: boolean },
  flush: () => void,
  { turns, quiet, seen } = { turns: 1, quiet: 0, seen: 0 },
): void {
  setImmediate(() => {
    const { size, isFull } = waiting();
    const still = size === seen ? quiet + 1 : 0;
    if (isFull || still === QUIET_TURNS || turns === MOST_TURNS) flush();
    else gather(waiting, flush, { turns: turns + 1, quiet: still, seen: size });
  });
}

type Carry = <T>(body: () => T, keep: (result: T) => boolean) => T;

/**
 * The whole group in one commit: first without savepoints, which a clean group does not need; if one write spoils
 * the transaction for the others, once more with them; if that fails as a whole (a full disk), each write by itself.
 */
function commitGroup(c: Connection, group: readonly Write[], carry: Carry): Outcome[] {
  if (group.length === 1) return group.map((write) => alone(write, carry));
  for (const attempt of [plain, undoable]) {
    try {
      return carry(() => group.map((write) => attempt(c, write)), KEEP_ALL);
    } catch (error) {
      if (isBusy(error)) return group.map(() => ({ error }));
    }
  }
  return group.map((write) => alone(write, carry));
}

function alone(write: Write, carry: Carry): Outcome {
  try {
    return { result: carry(write.work, write.keep) };
  } catch (error) {
    return { error };
  }
}

/** Throws when the write has failed or was refused halfway: only a savepoint can undo that. */
function plain(c: Connection, write: Write): Outcome {
  const before = c.changed();
  const isTraceless = () => c.db.isTransaction && c.changed() === before;
  try {
    const result = write.work();
    if (write.keep(result) || isTraceless()) return { result };
  } catch (error) {
    if (isTraceless()) return { error };
    throw error;
  }
  throw new Error('a refused write of the group has to be undone');
}

/** Undoes a failed or refused write and keeps those before it. Throws when SQLite gave the transaction up. */
function undoable(c: Connection, write: Write): Outcome {
  c.db.exec('savepoint one_write');
  let outcome: Outcome;
  let stays = false;
  try {
    const result = write.work();
    outcome = { result };
    stays = write.keep(result);
  } catch (error) {
    if (!c.db.isTransaction) throw error;
    outcome = { error };
  }
  if (!stays) c.forgetKeys();
  c.db.exec(stays ? 'release one_write' : 'rollback to one_write; release one_write');
  return outcome;
}

/** Somebody else held the file for the whole busy timeout: the transaction never began. Not worth waiting again. */
function isBusy(error: unknown): boolean {
  return isSqliteError(error) && (error.errcode & 0xff) === 5;
}

function tell(group: readonly Write[], outcomes: readonly Outcome[], toError: (e: unknown) => unknown): void {
  group.forEach(({ done, resolve, reject }, n) => {
    const outcome = outcomes[n] as Outcome;
    if ('error' in outcome) reject(toError(outcome.error));
    else {
      done(outcome.result);
      resolve(outcome.result);
    }
  });
}
