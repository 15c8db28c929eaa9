import type { Msg } from '../contract/brief.ts';
import type { Hash, Instant, RunId } from '../contract/ids.ts';
import type { Containment, Policy, Run } from '../contract/run.ts';
import type { TrustLevel } from '../contract/ticket.ts';
import type { BackOffPolicy } from '../engine/back-off.ts';
import type { WorkflowOperations } from '../engine/operation-host.ts';
import type { Workflow } from '../engine/workflow.ts';
import type { Agent } from '../ports/agent.ts';
import type { Artefacts } from '../ports/artefacts.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { CodeHost } from '../ports/code-host.ts';
import type { Orders } from '../ports/orders.ts';
import type { Outside } from '../ports/outside.ts';
import type { Processes } from '../ports/processes.ts';
import type { Store } from '../ports/store.ts';
import type { Texts } from '../ports/texts.ts';
import type { Leftover, Workspace } from '../ports/workspace.ts';

/** Everything the runtime works with, composed in one file (src/compose.ts, or a test's own composition). */
export interface Deps {
  readonly store: Store;
  readonly artefacts: Artefacts;
  readonly processes: Processes;
  /** The person's folder. */
  readonly workspace: Workspace;
  /** The tree where a run works: the person's folder, or the run's own clone. */
  readonly treeOf: (run: Pick<Run, 'id' | 'policy'>) => Workspace;
  /**
   * Called when a run is about to continue in this process, so that its tree can be opened in the meantime. Writes
   * nothing.
   */
  readonly ready?: (run: Pick<Run, 'id' | 'policy'>) => void;
  readonly clock: Clock;
  /** Waits until the given time or until the signal aborts. Does not throw when it aborts. */
  readonly sleep: (until: Instant, signal: AbortSignal) => Promise<void>;
  /** How long to wait before the next attempt of a call. */
  readonly backoff_policy: BackOffPolicy;
  readonly ids: Ids;
  readonly hash: (text: string) => Hash;
  readonly texts: Texts;
  /** What the surface says instead, with its own commands. Never stored. */
  readonly surfaceTexts?: Texts;
  /** Loads a workflow by name on first use, because a listing does not need any workflow. */
  readonly workflow: (name: string) => Promise<Workflow | undefined>;
  /** Operations that workflows bring. Loaded on first use. */
  readonly operations: () => Promise<WorkflowOperations>;
  /** The agent of a run, or of one of its roles. */
  readonly agent: (policy: Policy, role?: string) => Promise<Agent>;
  /** Work orders that outside workers take. Opened on first use. */
  readonly orders: () => Promise<Orders>;
  /** The code host of the repository, with the release settings of the run's policy. */
  readonly host?: (policy: Policy) => CodeHost;
  /** Replacements for the code host as the target of outside writes. */
  readonly outside: { readonly tracker?: Outside; readonly deploy?: Outside };
  /** Removes the trees of runs that ended long ago, except those in `live`. Returns how many it removed. */
  readonly collect?: (live: readonly RunId[]) => Promise<number>;
  /** Finds files that killed processes left in the repository and the state folder. Only reads. */
  readonly leftovers?: () => Promise<readonly Leftover[]>;
  /** Folder of the attempts' streams and result files, outside the tree. */
  readonly calls: string;
  /** Defaults of a new run's policy, from baton.yaml. Read when a run starts and stored with it. */
  readonly policy: () => Promise<Policy>;
  /** Resolves how a run that starts now with this policy is contained. */
  readonly containment?: (policy: Policy) => Promise<Containment>;
  /** What a person should know before a run with this policy starts: settings that do not count, a missing sandbox. */
  readonly warnings?: (policy: Policy) => Promise<readonly Msg[]>;
  /** The workspace's current trust level. An unknown value counts as cautious (S1). */
  readonly trust: () => Promise<TrustLevel>;
  /** How long a drive keeps its mode at an unattended gate, from baton.yaml. */
  readonly attend_minutes: () => Promise<number>;
  /** Allow list: the part of our environment that a check may see. */
  readonly environment: Readonly<Record<string, string>>;
  /** How often the use of a running attempt is stored. A kill loses at most this much. 5 s. */
  readonly store_spend_ms: number;
  /** How often a waiting drive checks whether another process has written. 250 ms. */
  readonly poll_ms: number;
}
