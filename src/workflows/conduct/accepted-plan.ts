import * as z from 'zod';
import { ApprovedSpec, FolderPath } from '../../contract/approved-spec.ts';
import type { ConductState } from '../../contract/conduct.ts';
import type { AcceptedPlan } from '../../engine/workflow.ts';

/** The specification of a ticket is its plan, and only while the ticket waits to be built. */
const Planned = z.object({
  phase: z.literal('Planned'),
  slug: z.string(),
  docs_path: FolderPath,
  plan: z.object({ accepted: ApprovedSpec.shape.accepted.unwrap() }),
  criteria: z.array(z.object({ id: z.string() })),
});

/** The plan that the build of the ticket starts from. Null if none is accepted. */
export function acceptedPlan(state: ConductState): AcceptedPlan | null {
  const planned = Planned.safeParse(state).data;
  if (!planned?.plan.accepted) return null;
  const { slug, docs_path, plan, criteria } = planned;
  return {
    document: 'plan',
    slug,
    docs_path,
    accepted: plan.accepted,
    criteria: criteria.map(({ id }) => id),
  };
}
