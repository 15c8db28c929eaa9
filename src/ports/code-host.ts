import type { Look } from '../contract/step.ts';
import type { Outside } from './outside.ts';
import type { Keep } from './workspace.ts';

/** What a look has beside its input: a host may have to run commands to see anything. */
export interface HostCall {
  readonly effect: string;
  readonly keep: Keep;
  readonly signal: AbortSignal;
}

/**
 * Where a repository is published: pull requests, their checks and reviews, merging and deploying. What goes in and
 * comes out stands in contract/code-host.ts.
 */
export interface CodeHost {
  /** Looks named `host.*`; throws AdapterError. Safe to repeat. */
  look(look: Look, call: HostCall): Promise<unknown>;
  /** Steps of kind `tracker`: `open_pull_request`, `merge`. */
  readonly changes: Outside;
  /** Steps of kind `deploy`: `deploy`. */
  readonly deploys: Outside;
}
