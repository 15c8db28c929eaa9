import type { DeliverState } from '../../contract/deliver.ts';

/** Name of the first snapshot, unless opening the tree returned another. Every change set is computed against it. */
export const START = 'start';

/** Base and slug give the folder of a run's documents. After the start, only the stored path counts (WF-20, WF-03). */
export function docsPathOf(output: string, slug: string): string {
  return `${output}/${slug}/`;
}

/** The branch of a ticket's build contains the ticket's name, so that it can be found. */
export function branchOf({
  namespace,
  ticket,
  slug,
}: Pick<DeliverState, 'namespace' | 'ticket' | 'slug'>): string {
  return `${namespace}/${ticket ?? 'deliver'}-${slug}`;
}

type RunLocation = Pick<DeliverState, 'has_git' | 'in_place' | 'slug' | 'ticket'>;

/** True if the run has its own tree, false if it works in the person's own folder. */
export function hasOwnTree({ has_git, in_place }: Pick<RunLocation, 'has_git' | 'in_place'>): boolean {
  return has_git && !in_place;
}

/** The subject of a run that works in the person's own folder. */
export const CHECKOUT = 'checkout';

/** The subject, which at most one live run may own: the folder a run works in, else its ticket or its own name. */
export function subjectOf(state: RunLocation): string {
  if (!hasOwnTree(state)) return CHECKOUT;
  // A slug has no colon, so a ticket's build and any other run never share a subject.
  return state.ticket === null ? `deliver:${state.slug}` : `deliver:ticket:${state.ticket}`;
}
