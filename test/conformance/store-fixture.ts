import type { Run } from '../../src/contract/run.ts';
import type { Change, CommitResult, Store } from '../../src/ports/store.ts';

/** What the tests of a suite use. `store` and `other` are two connections; `load` insists that the run is there. */
export interface Fixture {
  readonly store: Store;
  readonly other: Store;
  load(id: string): Promise<Run>;
  commit(...changes: Change[]): Promise<CommitResult>;
}
