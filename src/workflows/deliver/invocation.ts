import { type DeliverState, STEPS, type StepName } from '../../contract/deliver.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import type { LiveRun } from '../../engine/workflow.ts';

/** What the words after `baton deliver` ask for, options aside. */
export interface Invocation {
  readonly step: StepName | null;
  readonly task: string | null;
  readonly style: DeliverState['run_style'];
}

/** Style of each form (WF-11). */
const STYLES: Readonly<Record<StepName, DeliverState['run_style']>> = {
  plan: 'phase',
  generate: 'phase',
  verify: 'step',
  evaluate: 'step',
};

export function styleOf(step: StepName | null): DeliverState['run_style'] {
  return step === null ? 'auto' : STYLES[step];
}

/**
 * The forms (WF-11): a bare task, `plan "<task>"`, and `generate`, `verify`, `evaluate` alone. A step's name is read as
 * one only where its form fits: `verify the totals` is a task.
 */
export function parseInvocation(words: readonly string[]): Invocation {
  const [first = '', ...rest] = words;
  const step = (STEPS as readonly string[]).includes(first) ? (first as StepName) : null;
  const task = rest.join(' ').trim();
  if (step === 'plan' && task !== '') return { step, task, style: styleOf(step) };
  if (step !== null && step !== 'plan' && rest.length === 0)
    return { step, task: null, style: styleOf(step) };
  const bare = words.join(' ').trim();
  return { step: null, task: bare === '' ? null : bare, style: 'auto' };
}

/** The live run a step without a task is about (WF-85): the only one, or the one named. */
export function addressStep(
  step: StepName,
  live: readonly LiveRun[],
  named: string | null,
): string | Rejection {
  const own = live.filter(({ workflow, status }) => workflow === 'deliver' && status !== 'ended');
  if (named !== null) {
    return own.find(({ run }) => run === named)?.run ?? reject('no_such_run', { run: named });
  }
  const [only, ...others] = own;
  if (!only) return firstRun(step);
  if (others.length === 0) return only.run;
  return reject('ambiguous', { name: step, found: own.map(({ run }) => run).join(', ') });
}

/** A step that needs an earlier one first: which command that is (WF-13). */
export function firstRun(step: StepName): Rejection {
  const earlier = STEPS[STEPS.indexOf(step) - 1] ?? 'plan';
  return reject('wrong_moment', { step, earlier }, { msg: 'deliver.run_first' });
}
