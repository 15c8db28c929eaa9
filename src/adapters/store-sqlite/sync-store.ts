import type { Store } from '../../ports/store.ts';
import type { KnowledgeWrites } from './knowledge-writes.ts';
import type { Sides } from './sides.ts';
import { toStoreError } from './store-errors.ts';

type Asked = Exclude<keyof Store, keyof Sides | keyof KnowledgeWrites | 'commit' | 'version' | 'close'>;

/** What SQLite does at once, in this thread: all of the port that waits for no commit. */
export type SyncStore = {
  readonly [K in Asked]: (...args: Parameters<Store[K]>) => Awaited<ReturnType<Store[K]>>;
};

/** Gives the same methods as promises; whatever is thrown comes out as one of our own kinds of error. */
export function asPromises(sync: SyncStore, dir: string): Pick<Store, Asked> {
  const promised = Object.entries(sync).map(([name, work]) => [name, promise(work as Work, dir)]);
  return Object.fromEntries(promised) as Pick<Store, Asked>;
}

type Work = (...args: unknown[]) => unknown;

function promise(work: Work, dir: string): (...args: unknown[]) => Promise<unknown> {
  return async (...args) => {
    try {
      return work(...args);
    } catch (error) {
      throw toStoreError(error, dir);
    }
  };
}
