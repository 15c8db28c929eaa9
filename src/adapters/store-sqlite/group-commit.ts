import type { Connection } from './connection.ts';

/** How the writes of one connection become transactions. Every caller is told its own result or its own error. */
export interface GroupCommit {
  /**
   * Does `work` inside a transaction; nothing of it stays when it throws or when `keep` calls its result a refusal.
   * Without `others` at work it has a transaction of its own at once. Otherwise it shares one commit with all that
   * is written before the event loop comes round; the promise settles only after that commit, so that a crash before
   * it loses the whole group and nobody was told otherwise.
   */
  write<T>(others: boolean, work: () => T, keep?: (result: T) => boolean): Promise<T>;
  /** Writes `work` with the next transaction, or soon; for what is worth nothing without that next transaction. */
  ride(rider: Rider): void;
  /** Commits the riders of a run now; for whoever is about to read them. */
  land(run: string): void;
  /** Commits everything that waits. Called before the file is closed. */
  drain(): void;
}

/** A row that needs no commit of its own. `work` cannot fail but for the disk. */
export interface Rider {
  readonly run: string;
  readonly work: () => void;
}

interface Write {
  readonly work: () => unknown;
  readonly keep: (result: unknown) => boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** A rider that no write came by for is committed alone after this time. */
const RIDER_MS = 250;

const KEEP_ALL = (): boolean => true;

export function createGroupCommit(c: Connection, toError: (error: unknown) => unknown): GroupCommit {
  let queue: Write[] = [];
  const riders: Rider[] = [];
  let timer: NodeJS.Timeout | null = null;

  /** Runs `body` in one transaction together with all riders, which leave the list only once it is committed. */
  const carry = <T>(body: () => T, keep: (result: T) => boolean): T => {
    const aboard = riders.length;
    const result = c.transaction(() => {
      for (let n = 0; n < aboard; n += 1) riders[n]?.work();
      return body();
    }, keep);
    if (aboard > 0 && keep(result)) riders.splice(0, aboard);
    return result;
  };
  const flush = (): void => {
    const group = queue;
    queue = [];
    if (group.length > 0) tell(group, commitGroup(c, group, carry), toError);
  };
  const land = (): void => {
    timer = null;
    if (riders.length > 0) carry(() => undefined, KEEP_ALL);
  };

  return {
    write: <T>(others: boolean, work: () => T, keep: (result: T) => boolean = KEEP_ALL) =>
      new Promise<T>((resolve, reject) => {
        const write = { work, keep, resolve, reject } as unknown as Write;
        if (queue.length === 0 && !others) return tell([write], [alone(write, carry)], toError);
        if (queue.push(write) === 1) setImmediate(flush);
      }),
    ride: (rider) => {
      riders.push(rider);
      timer ??= setTimeout(() => {
        try {
          land();
        } catch {
          // The next write carries them, or fails for the same reason and says so.
        }
      }, RIDER_MS).unref();
    },
    land: (run) => {
      if (riders.some((rider) => rider.run === run)) land();
    },
    drain: () => {
      if (timer) clearTimeout(timer);
      flush();
      land();
    },
  };
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
      if (isUnopened(c, error)) return group.map(() => ({ error }));
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

/** Throws when the write has failed or was refused halfway: only a savepoint could undo that. */
function plain(c: Connection, write: Write): Outcome {
  const before = c.changed();
  try {
    const result = write.work();
    if (write.keep(result) || c.changed() === before) return { result };
  } catch (error) {
    if (c.db.isTransaction && c.changed() === before) return { error };
  }
  throw new Spoiled('a write of the group has to be undone');
}

/** Undoes a failed or refused write and leaves those before it. Throws when SQLite gave the transaction up. */
function undoable(c: Connection, write: Write): Outcome {
  c.run('savepoint one_write');
  try {
    const result = write.work();
    if (!write.keep(result)) c.run('rollback to one_write');
    c.run('release one_write');
    return { result };
  } catch (error) {
    if (!c.db.isTransaction) throw error;
    c.run('rollback to one_write');
    c.run('release one_write');
    return { error };
  }
}

