import type { RunCore } from '../contract/run.ts';

/** The run itself is idle, so its driver drives its children. A halted run does not drive its children. */
export function waitsForChildren({
  step,
  halt,
  trouble,
}: Pick<RunCore, 'step' | 'halt' | 'trouble'>): boolean {
  return step.kind === 'wait' && step.until.kind === 'children' && halt === null && trouble === null;
}
