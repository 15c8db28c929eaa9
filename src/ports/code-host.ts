import type { Query } from '../contract/step.ts';
import type { Outside } from './outside.ts';
import type { StoreText } from './workspace.ts';

/** Inputs of a query besides the query itself. A host may have to run commands to answer it. */
export interface HostCall {
  readonly effect: string;
  readonly keep: StoreText;
  readonly signal: AbortSignal;
}

/**
 * The service that publishes a repository: pull requests, their checks and reviews, merging and deploying. Inputs and
 * results are defined in contract/code-host.ts.
 */
export interface CodeHost {
  /** Queries named `host.*`. Throws AdapterError. Safe to repeat. */
  query(query: Query, call: HostCall): Promise<unknown>;
  /** Steps of kind `tracker`: `open_pull_request`, `merge`. */
  readonly changes: Outside;
  /** Steps of kind `deploy`: `deploy`. */
  readonly deploys: Outside;
}
