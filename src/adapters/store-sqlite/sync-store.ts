import type { Store } from '../../ports/store.ts';
import type { KnowledgeWrites } from './knowledge-writes.ts';
import type { Sides } from './sides.ts';
import { toStoreError } from './store-errors.ts';

type ReadMethods = Exclude<keyof Store, keyof Sides | keyof KnowledgeWrites | 'commit' | 'version' | 'close'>;

/** The synchronous part of the port: all methods that do not wait for a commit. */
export type SyncStore = {
  readonly [K in ReadMethods]: (...args: Parameters<Store[K]>) => Awaited<ReturnType<Store[K]>>;
};

/** Returns the same methods as promises. `toStoreError` converts every error they throw. */
export function asPromises(sync: SyncStore, dir: string): Pick<Store, ReadMethods> {
  const promised = Object.entries(sync).map(([name, work]) => [name, promise(work as Work, dir)]);
  return Object.fromEntries(promised) as Pick<Store, ReadMethods>;
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
