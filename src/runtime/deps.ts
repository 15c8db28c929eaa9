import type { Hash, Instant, RunId } from '../contract/ids.ts';
import type { Policy, Run } from '../contract/run.ts';
import type { DialLevel } from '../contract/ticket.ts';
import type { Pace } from '../engine/back-off.ts';
import type { Workflow } from '../engine/workflow.ts';
import type { Agent } from '../ports/agent.ts';
import type { Artefacts } from '../ports/artefacts.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { CodeHost } from '../ports/code-host.ts';
import type { Orders } from '../ports/orders.ts';
import type { Outside } from '../ports/outside.ts';
import type { Processes } from '../ports/processes.ts';
import type { Store } from '../ports/store.ts';
import type { Workspace } from '../ports/workspace.ts';

/** Everything the runtime works with; put together in one place (src/compose.ts, or a test's own composition). */
export interface Deps {
  readonly store: Store;
  readonly artefacts: Artefacts;
  readonly processes: Processes;
  /** The person's folder. */
  readonly workspace: Workspace;
  /** The tree a run works in: the person's folder, or the run's own clone. */
  readonly treeOf: (run: Pick<Run, 'id' | 'policy'>) => Workspace;
  /** Told that a run is about to go on here: its tree may be opened meanwhile. Writes nothing. */
  readonly ready?: (run: Pick<Run, 'id' | 'policy'>) => void;
  readonly clock: Clock;
  /** Waits until a time by the clock, or until the signal; never throws for the signal. */
  readonly sleep: (until: Instant, signal: AbortSignal) => Promise<void>;
  /** How long to wait before a call is tried again. */
  readonly pace: Pace;
  readonly ids: Ids;
  readonly hash: (text: string) => Hash;
  /** Loaded by name on first use: a listing needs no workflow at all. */
  readonly workflow: (name: string) => Promise<Workflow | undefined>;
  /** The agent of a run, or that of one of its roles. */
  readonly agent: (policy: Policy, role?: string) => Promise<Agent>;
  /** Work orders that outside workers take; opened on first use. */
  readonly orders: () => Promise<Orders>;
  /** Where the repository is published, by what the run's policy says of releases. */
  readonly host?: (policy: Policy) => CodeHost;
  /** Written to instead of the code host. */
  readonly outside: { readonly tracker?: Outside; readonly deploy?: Outside };
  /** Removes trees of runs that ended long ago, never one of those named; gives how many. */
  readonly collect?: (live: readonly RunId[]) => Promise<number>;
  /** Folder of the attempts' streams and result files, outside the tree. */
  readonly calls: string;
  /** Defaults of a new run's policy, from baton.yaml; read when a run starts and frozen in it. */
  readonly policy: () => Promise<Policy>;
  /** The workspace's trust setting as it is now; one that nobody knows is cautious (S1). */
  readonly dial: () => Promise<DialLevel>;
  /** How long a drive keeps its mode at a gate that nobody attends, from baton.yaml. */
  readonly watch_minutes: () => Promise<number>;
  /** What a check may see of our environment: an allow list. */
  readonly environment: Readonly<Record<string, string>>;
  /** How often what a running attempt has used is kept: a kill loses no more than that; 5 s. */
  readonly keep_spend_ms: number;
  /** How often a waiting drive looks whether somebody else wrote; 250 ms. */
  readonly poll_ms: number;
}
