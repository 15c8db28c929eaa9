import type { RunCore } from '../contract/run.ts';

/** The run itself has nothing to do: whoever drives it drives its children. A halted run drives nobody. */
export function waitsForChildren({
  step,
  halt,
  trouble,
}: Pick<RunCore, 'step' | 'halt' | 'trouble'>): boolean {
  return step.kind === 'wait' && step.until.kind === 'children' && halt === null && trouble === null;
}
