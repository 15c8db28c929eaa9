import type { AgentSettings, RoleSettings } from './agent-settings.ts';
import type { Text } from './brief.ts';
import type { ChecksConfig, ReleaseConfig } from './config.ts';
import type { GateId, Instant, RunId } from './ids.ts';
import type { EffectStep, RunOutcome, Wait } from './step.ts';

/** working: a step is being done · waiting: a gate is open · sleeping: a wait · halted: only a command moves it. */
export type RunStatus = 'working' | 'waiting' | 'sleeping' | 'halted' | 'ended';

/** What the run does now, as stored: effect steps whole, a gate by its id. */
export type CurrentStep =
  | EffectStep
  | { readonly kind: 'gate'; readonly gate: GateId; readonly name: string }
  | { readonly kind: 'wait'; readonly until: Wait }
  | { readonly kind: 'end'; readonly outcome: RunOutcome };

/** Trouble the engine itself puts in front of a step; it is answered at a gate of class `trouble`. */
export interface Trouble {
  readonly kind: 'infrastructure' | 'budget' | 'disk' | 'unknown_effect' | 'processes_left' | 'tree_changed';
  readonly gate: GateId;
  /** Which effect of the step, and how many of its attempts had failed: a retry forgives those. */
  readonly effect: number;
  readonly attempts: number;
}

/** Why a run stands still although its step could go on: a person's stop, a held gate, our own bug, a row nobody can read. */
export interface Halt {
  readonly kind: 'stopped' | 'held' | 'invariant' | 'damaged';
  readonly why: Text;
  readonly by: string;
}

/** Frozen at the start: config read from the folder, agent, score, budgets. In-flight runs keep it, see AgentPolicy. */
export interface Policy {
  readonly namespace: string;
  /** Begins the ids of tickets; absent in runs from before there were any. */
  readonly ticket_key?: string;
  readonly agent: string;
  /** Content hash of the rehearsal score; null means the built-in one. */
  readonly score: string | null;
  readonly in_place: boolean;
  /** Where workers and checks run: the person's own folder, or a clone of the run's own. */
  readonly tree: 'checkout' | 'clone';
  readonly unattended: boolean;
  readonly budget: {
    readonly money_usd: number | null;
    readonly tokens: number | null;
    readonly worker_minutes: number | null;
    readonly attempts: number | null;
    /** Limits of one call, all its attempts together; absent or null is none. */
    readonly per_call?:
      | {
          readonly money_usd: number | null;
          readonly tokens: number | null;
          readonly worker_minutes: number | null;
        }
      | undefined;
  };
  /** Commands that win over the detector; absent in runs from before there were any. */
  readonly checks?: ChecksConfig;
  /** Where and how it is released; absent in runs from before there was any release: the defaults. */
  readonly release?: ReleaseConfig;
  /** Roles that a named agent or skill of the agent program plays; only those it has (WF-96). */
  readonly bound?: Readonly<Record<string, string>>;
  /** Settings of the agents of this run; absent: every one as its kind has it. */
  readonly agents?: Readonly<Record<string, AgentSettings>>;
  /** Roles with an agent or a model of their own. */
  readonly by_role?: Readonly<Record<string, Pick<RoleSettings, 'agent' | 'model'>>>;
  /** How tickets are conducted: whether classes of risk may be acknowledged, the judge in the shadow, shared core. */
  readonly conduct?: {
    readonly acknowledge: boolean;
    readonly shadow_judge: boolean;
    readonly modules: readonly string[];
    readonly globs: readonly string[];
  };
  /** Absent in runs from before there was one: `off`. */
  readonly sandbox?: 'auto' | 'off' | 'required';
}

/** Who works: the only part of a policy that a person may change while the run lives. */
export type AgentPolicy = Pick<Policy, 'agent' | 'agents' | 'by_role' | 'bound'>;

/** The folded part of a run: exactly this is rebuilt from the event log. */
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

/** Who works a run: a dead holder on this host is replaced at once, a foreign one after 5 minutes of silence. */
export interface Holder {
  readonly host: string;
  readonly pid: number;
  /** Start time of the process as the system counts it, so that a reused pid is another process. */
  readonly start: string;
}

/** One row: the run and who holds it. `seq` is the number of its last event. */
export interface Run extends RunCore {
  readonly revision: number;
  readonly seq: number;
  readonly epoch: number;
  readonly holder: Holder | null;
  readonly updated_at: Instant;
}
