import type { Policy } from '../contract/run.ts';

/**
 * Whether the processes that Baton starts for a run are sandboxed. This is also true for the checks of a `pull` run,
 * whose workers are started by others. A run without stored containment counts as contained if its policy required it.
 */
export function isContained({ containment, sandbox }: Pick<Policy, 'containment' | 'sandbox'>): boolean {
  if (containment === undefined) return sandbox === 'required';
  return containment.kind === 'bwrap' || containment.why === 'pull';
}
