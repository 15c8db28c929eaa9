import type { Effect, FailedAttempt } from '../contract/change.ts';
import type { Hash, Instant } from '../contract/ids.ts';
import type { CallOutcome } from '../contract/outcome.ts';
import type { Run, Trouble } from '../contract/run.ts';
import type { WorkerCall } from '../contract/step.ts';
import type { BaseState, RoleDefinition, Workflow } from '../engine/workflow.ts';
import type { Agent } from '../ports/agent.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Breakers } from './breakers.ts';
import type { Deps } from './deps.ts';
import type { Meter } from './meter.ts';
import type { Asleep, Progress } from './views.ts';

/** What every effect of a step is performed with. */
export interface PerformContext {
  readonly run: Run;
  readonly def: Workflow;
  /** The tree where the run works. */
  readonly tree: Workspace;
  readonly signal: AbortSignal;
  readonly tell: (progress: Progress) => void;
  /** Compares the use of this step's calls with the limits. */
  readonly meter: Meter;
  readonly breakers: Breakers;
  /**
   * Aborted when a call of the step needs a person, so that the other calls stop sleeping. Null if there are no other
   * calls.
   */
  readonly troubled: AbortController | null;
  /** The effects may have been started by a process that died. */
  readonly taken_over: boolean;
  /** Runs one function at a time, because the calls of a step share its tree. */
  readonly alone: <T>(run: () => Promise<T>) => Promise<T>;
}

type Args = Readonly<Record<string, string | number>>;

/** `texts` holds texts that a later record may name. They are written to disk only then. */
export type EffectEnd =
  | {
      readonly kind: 'done';
      readonly result: unknown;
      readonly texts?: ReadonlyMap<Hash, string>;
      /** Earlier attempts of the worker that gave no valid result. */
      readonly failed?: readonly FailedAttempt[];
    }
  | { readonly kind: 'interrupted' }
  /** The next attempt was not due yet when a parallel call ran into trouble. */
  | { readonly kind: 'asleep' }
  | {
      readonly kind: 'trouble';
      readonly trouble: Omit<Trouble, 'gate'>;
      readonly args: Args;
      /** A valid result that waits for the person's decision. */
      readonly result?: CallOutcome;
      readonly texts?: ReadonlyMap<Hash, string>;
    };

/** Stops before or after an effect to ask a person. */
export function troubleAt(
  effect: Pick<Effect, 'n' | 'role' | 'kind'>,
  kind: Trouble['kind'],
  args: Args,
  attempts = 0,
): Extract<EffectEnd, { kind: 'trouble' }> {
  const trouble = { kind, effect: effect.n, attempts };
  return { kind: 'trouble', trouble, args: { role: effect.role ?? effect.kind, ...args } };
}

/** One logical call of a worker with everything its attempts need. */
export interface Job {
  readonly deps: Deps;
  readonly ctx: PerformContext;
  readonly effect: Effect;
  readonly call: WorkerCall;
  readonly role: RoleDefinition<BaseState>;
  readonly agent: Agent;
  /** Attempts that gave no valid result, including those of earlier processes. */
  readonly failed: readonly FailedAttempt[];
}

export function reportCall(
  job: Job,
  state: 'started' | 'line' | 'retry' | 'done' | 'failed',
  text: string | null = null,
): void {
  const { ctx, effect, call, failed } = job;
  const attempt = state === 'failed' ? failed.length : failed.length + 1;
  ctx.tell({ type: 'call', run: ctx.run.id, role: call.role, n: effect.n, state, attempt, text });
}

/** Reports that a call sleeps, why, and until when if that is known. */
export function reportAsleep(
  { ctx, effect, call, agent }: Job,
  why: Asleep['why'],
  asleep_until: Instant | null,
): void {
  const of = { run: ctx.run.id, role: call.role, n: effect.n, agent: agent.name };
  ctx.tell({ type: 'asleep', ...of, why, asleep_until });
}
