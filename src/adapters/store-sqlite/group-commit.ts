import type { Connection } from './connection.ts';
import { isSqliteError } from './store-errors.ts';

/** Turns the writes of one connection into transactions. Every caller gets its own result or its own error. */
export interface GroupCommit {
  /**
   * Runs `work` inside a transaction. Undoes it when it throws or when `keep` returns false for its result. If no
   * `others` are at work, it gets its own transaction at once. Otherwise it shares one commit with all writes made
   * while the group gathers. The promise settles only after that commit. A crash before it loses the whole group, and
   * no caller has a result yet.
   */
  write<T>(others: number, work: Work<T>): Promise<T>;
  /**
   * Writes `work` with the next transaction, or alone after JOINED_MS. For rows that are worth nothing without that
   * next transaction.
   */
  joinCommit(joinedWrite: JoinedWrite): void;
  /** Whether a joined write of that name is waiting. */
  isJoined(name: string): boolean;
  /** Commits the joined writes now if one of them belongs to that run. Call it before reading that row. */
  flushJoined(run: string): void;
  /** Commits all waiting writes. Called before the file is closed. */
  drain(): void;
}

interface Work<T> {
  readonly work: () => T;
  readonly keep?: (result: T) => boolean;
  /** Called at once, before the caller's promise settles: the next write depends on it. */
  readonly done?: (result: T) => void;
}

/**
 * A row that does not need its own commit. A newer one of the same name replaces it. `work` may fail only because of
 * the disk: any other failure would fail every write after it.
 */
interface JoinedWrite {
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
 * A group is committed when all active runs are in it. It is also committed after QUIET_TURNS turns of the event loop
 * without a new write, or after MOST_TURNS. A turn without work takes microseconds and a commit hundreds of them.
 * Waiting for the next write therefore costs less than a separate commit.
 */
const QUIET_TURNS = 3;
const MOST_TURNS = 16;

/** If no other write comes, a joined write is committed alone after this time. */
const JOINED_MS = 250;

const KEEP_ALL = (): boolean => true;
const NOTIFY_NO_ONE = (): void => {};

export function createGroupCommit(c: Connection, toError: (error: unknown) => unknown): GroupCommit {
  let queue: Write[] = [];
  /** How many runs are active besides that of the last writer. */
  let others = 0;
  /**
   * The last commit was shared. The next write then waits for others even if no run counts as active: all may have
   * stopped together.
   */
  let shared = false;
  const joinedWrites = new Map<string, JoinedWrite>();
  let timer: NodeJS.Timeout | undefined;

  /** Runs `body`, then all joined writes, in one transaction. They leave the list only after the commit. */
  const carry = <T>(body: () => T, keep: (result: T) => boolean): T => {
    if (joinedWrites.size === 0) return c.transaction(body, keep);
    const result = c.transaction(() => {
      const written = body();
      for (const { work } of joinedWrites.values()) work();
      return written;
    }, keep);
    if (keep(result)) joinedWrites.clear();
    return result;
  };
  const waiting = () => ({ size: queue.length, isFull: queue.length > others });
  const flush = (): void => {
    const group = queue;
    queue = [];
    shared = group.length > 1;
    if (group.length > 0) tell(group, commitGroup(c, group, carry), toError);
  };
  const flushJoined = (): void => {
    if (joinedWrites.size > 0) carry(() => undefined, KEEP_ALL);
  };

  return {
    write: <T>(besides: number, { work, keep = KEEP_ALL, done = NOTIFY_NO_ONE }: Work<T>) =>
      new Promise<T>((resolve, reject) => {
        const write = { work, keep, done, resolve, reject } as unknown as Write;
        if (queue.length === 0 && besides === 0 && !shared)
          return tell([write], [alone(write, carry)], toError);
        others = besides;
        if (queue.push(write) === 1) gather(waiting, flush);
      }),
    joinCommit: (joinedWrite) => {
      joinedWrites.set(joinedWrite.name, joinedWrite);
      timer ??= setTimeout(() => {
        timer = undefined;
        try {
          flushJoined();
        } catch {
          // The next write commits them, or fails for the same reason and reports it.
        }
      }, JOINED_MS).unref();
    },
    isJoined: (name) => joinedWrites.has(name),
    flushJoined: (run) => {
      for (const joinedWrite of joinedWrites.values()) if (joinedWrite.run === run) return flushJoined();
    },
    drain: () => {
      clearTimeout(timer);
      flush();
      flushJoined();
    },
  };
}

/** Flushes the group once waiting for more writes no longer pays off. */
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
 * Commits the whole group at once, first without savepoints: a clean group does not need them. If one write spoils the
 * transaction for the others, the group is repeated with savepoints. If that fails as a whole (a full disk), each write
 * is committed alone.
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

/** Throws when the write failed or was refused halfway: only a savepoint can undo that. */
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

/** Undoes a failed or refused write and preserves those before it. Throws when SQLite has ended the transaction. */
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

/**
 * Another connection held the file for the whole busy timeout, so the transaction never began. Waiting again is not
 * worth it.
 */
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
