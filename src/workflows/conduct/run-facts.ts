import type { ConductState } from '../../contract/conduct.ts';
import type { DriveMode, TrustLevel } from '../../contract/ticket.ts';
import { isDecisionOnly } from './drafts.ts';
import type { OverviewFacts } from './overview.ts';
import { classesOf, unreadOf } from './risks.ts';

/** The facts that the overview and the plan before a run need, for a mode and a trust level. */
export function runFacts(state: ConductState, mode: DriveMode, trust: TrustLevel): OverviewFacts {
  return {
    mode,
    trust,
    state: state.phase,
    classes: classesOf(state, { content: '' }),
    unread: unreadOf(state, { content: '' }).length > 0,
    here: { unproven: (state.unproven ?? null) !== null },
    deliverable: isDecisionOnly(state) ? 'design' : null,
    plan_by_person: state.plan?.provenance?.startsWith('human:') ?? false,
    prev_state: state.prev_state,
    track: state.brief?.track ?? null,
  };
}
