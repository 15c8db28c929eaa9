import type { Effect, FailedAttempt } from '../contract/change.ts';
import type { Hash } from '../contract/ids.ts';
import type { CallOutcome } from '../contract/outcome.ts';
import type { Run, Trouble } from '../contract/run.ts';
import type { WorkerCall } from '../contract/step.ts';
import type { BaseState, RoleDefinition, Workflow } from '../engine/workflow.ts';
import type { Agent } from '../ports/agent.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Progress } from './api.ts';
import type { Deps } from './deps.ts';

/** What every effect of a step is performed with. */
export interface PerformContext {
  readonly run: Run;
  readonly def: Workflow;
  /** The tree the run works in. */
  readonly tree: Workspace;
  readonly signal: AbortSignal;
  readonly tell: (progress: Progress) => void;
  /** Attempts of this step that run now and are not in the total yet. */
  readonly in_flight: { count: number };
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
