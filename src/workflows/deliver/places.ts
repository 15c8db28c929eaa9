import type { DeliverState } from '../../contract/deliver.ts';

/** Name of the first snapshot, unless opening the tree gave another: every change set is computed against it. */
export const START = 'start';

/** Base and slug give the folder of a run's documents; afterwards only the stored path counts (WF-20, WF-03). */
export function docsPathOf(output: string, slug: string): string {
  return `${output}/${slug}/`;
}

/** A ticket's build is found by the ticket's name. */
export function branchOf({
  namespace,
  ticket,
  slug,
}: Pick<DeliverState, 'namespace' | 'ticket' | 'slug'>): string {
  return `${namespace}/${ticket ?? 'deliver'}-${slug}`;
}

type Placed = Pick<DeliverState, 'has_git' | 'in_place' | 'slug' | 'ticket'>;

/** A tree of its own: everything but the person's own folder. */
export function hasOwnTree({ has_git, in_place }: Pick<Placed, 'has_git' | 'in_place'>): boolean {
  return has_git && !in_place;
}

/** The subject of a run that works in the person's own folder. */
export const CHECKOUT = 'checkout';

/** What at most one live run may own: the folder itself where a run works in it, else its ticket or its own name. */
export function subjectOf(state: Placed): string {
  if (!hasOwnTree(state)) return CHECKOUT;
  // A slug has no colon: a ticket's build and a run of its own never stand in each other's way.
  return state.ticket === null ? `deliver:${state.slug}` : `deliver:ticket:${state.ticket}`;
}
