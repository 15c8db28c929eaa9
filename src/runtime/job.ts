import type { Effect, FailedAttempt } from '../contract/change.ts';
import type { Hash, Instant } from '../contract/ids.ts';
import type { CallOutcome } from '../contract/outcome.ts';
import type { Run, Trouble } from '../contract/run.ts';
import type { WorkerCall } from '../contract/step.ts';
import type { BaseState, RoleDefinition, Workflow } from '../engine/workflow.ts';
import type { Agent } from '../ports/agent.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Asleep, Progress } from './api.ts';
import type { Breakers } from './breakers.ts';
import type { Deps } from './deps.ts';
import type { Meter } from './meter.ts';

/** What every effect of a step is performed with. */
export interface PerformContext {
  readonly run: Run;
  readonly def: Workflow;
  /** The tree the run works in. */
  readonly tree: Workspace;
  readonly signal: AbortSignal;
  readonly tell: (progress: Progress) => void;
  /** Compares what the calls of this step use with the limits. */
  readonly meter: Meter;
  readonly breakers: Breakers;
  /** Aborted when a call of the step ran into trouble: a person is asked, the others sleep no longer. Null: there are none. */
  readonly troubled: AbortController | null;
  /** The effects may have been started by a process that died. */
  readonly taken_over: boolean;
  /** Runs one thing at a time: calls of a step share its tree. */
  readonly alone: <T>(run: () => Promise<T>) => Promise<T>;
}

/** Each thing starts when the one before it has ended, however that ended. */
export function oneAtATime(): PerformContext['alone'] {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    last = next;
    return next;
  };
}

type Args = Readonly<Record<string, string | number>>;

/** `texts` holds what a later record may name; it is written to disk only then. */
export type EffectEnd =
  | {
      readonly kind: 'done';
      readonly result: unknown;
      readonly texts?: ReadonlyMap<Hash, string>;
      /** Attempts of a worker that gave no valid result before. */
      readonly failed?: readonly FailedAttempt[];
    }
  | { readonly kind: 'interrupted' }
  /** It was not time for the next attempt when a call beside it ran into trouble. */
  | { readonly kind: 'asleep' }
  | {
      readonly kind: 'trouble';
      readonly trouble: Omit<Trouble, 'gate'>;
      readonly args: Args;
      /** A valid result that waits for the person's word. */
      readonly result?: CallOutcome;
      readonly texts?: ReadonlyMap<Hash, string>;
    };

/** Stops before or after an effect with a question for a person. */
export function troubleAt(
  effect: Pick<Effect, 'n' | 'role' | 'kind'>,
  kind: Trouble['kind'],
  args: Args,
  attempts = 0,
): Extract<EffectEnd, { kind: 'trouble' }> {
  const trouble = { kind, effect: effect.n, attempts };
  return { kind: 'trouble', trouble, args: { role: effect.role ?? effect.kind, ...args } };
}

/** One logical call of a worker with all that its attempts need. */
export interface Job {
  readonly deps: Deps;
  readonly ctx: PerformContext;
  readonly effect: Effect;
  readonly call: WorkerCall;
  readonly role: RoleDefinition<BaseState>;
  readonly agent: Agent;
  /** Attempts that gave no valid result, those of an earlier life included. */
  readonly failed: readonly FailedAttempt[];
}

export function tellCall(
  job: Job,
  state: 'started' | 'line' | 'retry' | 'done' | 'failed',
  text: string | null = null,
): void {
  const { ctx, effect, call, failed } = job;
  const attempt = state === 'failed' ? failed.length : failed.length + 1;
  ctx.tell({ type: 'call', run: ctx.run.id, role: call.role, n: effect.n, state, attempt, text });
}

/** Says that a call waits by itself, why, and until when if that is known. */
export function tellAsleep(
  { ctx, effect, call, agent }: Job,
  why: Asleep['why'],
  asleep_until: Instant | null,
): void {
  const of = { run: ctx.run.id, role: call.role, n: effect.n, agent: agent.name };
  ctx.tell({ type: 'asleep', ...of, why, asleep_until });
}
