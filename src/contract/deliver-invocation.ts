import { type DeliverState, STEPS, type StepName } from './deliver.ts';

/** The parsed arguments of `baton deliver`, without options. */
export interface Invocation {
  readonly step: StepName | null;
  readonly task: string | null;
  readonly style: DeliverState['run_style'];
}

/** Run style of each form (WF-11). */
const STYLES: Readonly<Record<StepName, DeliverState['run_style']>> = {
  plan: 'phase',
  generate: 'phase',
  verify: 'step',
  evaluate: 'step',
};

export function styleOf(step: StepName | null): DeliverState['run_style'] {
  return step === null ? 'auto' : STYLES[step];
}

export function isStepName(name: string): name is StepName {
  return (STEPS as readonly string[]).includes(name);
}

/**
 * The forms (WF-11): a bare task, `plan "<task>"`, and `generate`, `verify`, `evaluate` alone. A step name counts
 * as a step only if its form matches: `verify the totals` is a task.
 */
export function parseInvocation(words: readonly string[]): Invocation {
  const [first = '', ...rest] = words;
  const step = isStepName(first) ? first : null;
  const task = rest.join(' ').trim();
  if (step === 'plan') return { step, task: task === '' ? null : task, style: styleOf(step) };
  if (step !== null && rest.length === 0) return { step, task: null, style: styleOf(step) };
  const bare = words.join(' ').trim();
  return { step: null, task: bare === '' ? null : bare, style: 'auto' };
}
