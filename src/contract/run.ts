import type { AgentSettings, RoleSettings } from './agent-settings.ts';
import type { Text } from './brief.ts';
import type { ChecksConfig, ReleaseConfig } from './config.ts';
import type { GateId, Instant, RunId } from './ids.ts';
import type { EffectStep, RunOutcome, Wait } from './step.ts';

/** working: a step runs · waiting: a gate is open · sleeping: a wait · halted: only a command moves it. */
export type RunStatus = 'working' | 'waiting' | 'sleeping' | 'halted' | 'ended';

/** The current step as stored: effect steps completely, a gate by its id. */
export type CurrentStep =
  | EffectStep
  | { readonly kind: 'gate'; readonly gate: GateId; readonly name: string }
  | { readonly kind: 'wait'; readonly until: Wait }
  | { readonly kind: 'end'; readonly outcome: RunOutcome };

/** Trouble that the engine reports before a step. A person answers it at a gate of class `trouble`. */
export interface Trouble {
  readonly kind: 'infrastructure' | 'budget' | 'disk' | 'unknown_effect' | 'processes_left' | 'tree_changed';
  readonly gate: GateId;
  /** The effect of the step, and the number of its failed attempts. A retry does not count those. */
  readonly effect: number;
  readonly attempts: number;
}

/** Why a run is halted although its step could continue: stopped by a person, held gate, Baton bug, unreadable row. */
export interface Halt {
  readonly kind: 'stopped' | 'held' | 'invariant' | 'damaged';
  readonly why: Text;
  readonly by: string;
}

/** Frozen at the start: configuration, agent, script, budgets. Live runs keep it. For the exception see AgentPolicy. */
export interface Policy {
  readonly namespace: string;
  /** Prefix of ticket ids. Absent in runs older than tickets. */
  readonly ticket_key?: string;
  readonly agent: string;
  /** Content hash of the rehearsal script. Null: the built-in script. */
  readonly script: string | null;
  readonly in_place: boolean;
  /** Where workers and checks run: the person's own folder, or the run's own clone. */
  readonly tree: 'checkout' | 'clone';
  readonly unattended: boolean;
  readonly budget: {
    readonly money_usd: number | null;
    readonly tokens: number | null;
    readonly worker_minutes: number | null;
    readonly attempts: number | null;
    /** Limits of one call, for all its attempts together. Absent or null: no limit. */
    readonly per_call?:
      | {
          readonly money_usd: number | null;
          readonly tokens: number | null;
          readonly worker_minutes: number | null;
        }
      | undefined;
  };
  /** Commands that override the detector. Absent in runs older than this field. */
  readonly checks?: ChecksConfig;
  /** Where and how to release. Absent in runs older than releases: the defaults apply. */
  readonly release?: ReleaseConfig;
  /** Roles bound to a named agent or skill of the agent program. Only names that it has (WF-96). */
  readonly bound?: Readonly<Record<string, string>>;
  /** Settings of the agents of this run. Absent: each agent has the defaults of its kind. */
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  /** Roles with their own agent or model. */
  readonly by_role?: Readonly<Record<string, Pick<RoleSettings, 'agent' | 'model'>>>;
  /** Settings of tickets: whether classes of risk may be acknowledged, the shadow judge, the shared core. */
  readonly conduct?: {
    readonly acknowledge: boolean;
    readonly shadow_judge: boolean;
    readonly modules: readonly string[];
    readonly globs: readonly string[];
  };
  /** Absent in runs older than this field: `off`. */
  readonly sandbox?: 'auto' | 'off' | 'required';
  /** The sandbox of this machine at the start. Absent: `none`. It applies to every worker and check of the run. */
  readonly containment?: Containment;
  /** Limits and namespaces of a person's process at the start of the run. Absent: unknown. */
  readonly reference?: PersonReference;
}

/** `bwrap`: every worker and check of the run is sandboxed. Without a sandbox it does not start. */
export interface Containment {
  readonly kind: 'bwrap' | 'none';
  /** Checks have network access. Agents always have it. */
  readonly check_network: boolean;
  /**
   * Why there is no sandbox, as the probe reported: `off`, `not_installed`, `blocked` and so on. Null with a sandbox.
   */
  readonly why: string | null;
}

/** A worker may have started a process that has a lower limit, or a namespace with another user mapping. */
export interface PersonReference {
  /** Hard limit on file size in bytes. Null: unlimited. */
  readonly file_limit: string | null;
  /** User namespace, pid namespace and user mapping, as /proc names them. Null without /proc. */
  readonly namespaces: string | null;
}

/** The agents: the only part of a policy that a person may change while the run lives. */
export type AgentPolicy = Pick<Policy, 'agent' | 'agents' | 'by_role' | 'bound'>;

/** The folded part of a run. Exactly this part can be rebuilt from the event log. */
export interface RunCore {
  readonly id: RunId;
  readonly workflow: string;
  readonly version: number;
  readonly parent: RunId | null;
  readonly parent_key: string | null;
  readonly title: string;
  readonly lang: string;
  readonly policy: Policy;
  readonly created_at: Instant;
  readonly subject: string | null;
  readonly status: RunStatus;
  readonly phase: string;
  readonly turn: number;
  readonly step: CurrentStep;
  /** Logical calls per role and gates opened so far: `{ "role:writer": 2, gates: 3 }`. Bounded by the tables. */
  readonly counters: Readonly<Record<string, number>>;
  readonly trouble: Trouble | null;
  readonly halt: Halt | null;
  readonly state: Readonly<Record<string, unknown>>;
}

/**
 * The process that works on a run. A dead holder on this host is replaced at once, a foreign one after 5 minutes
 * without a heartbeat.
 */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /** Start time of the process in system units. It distinguishes a process that reuses the pid. */
  readonly start: string;
}

/** One row: the run and its holder. `seq` is the number of its last event. */
export interface Run extends RunCore {
  readonly revision: number;
  readonly seq: number;
  readonly epoch: number;
  readonly holder: Holder | null;
  readonly updated_at: Instant;
}
