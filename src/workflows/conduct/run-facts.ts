import type { ConductState } from '../../contract/conduct.ts';
import type { DialLevel, DriveMode } from '../../contract/ticket.ts';
import { isDecisionOnly } from './drafts.ts';
import type { OverviewFacts } from './overview.ts';
import { classesOf } from './risks.ts';

/** What the overview and the plan before a run know of the ticket, for a mode and a dial. */
export function runFacts(state: ConductState, mode: DriveMode, dial: DialLevel): OverviewFacts {
  return {
    mode,
    dial,
    state: state.phase,
    classes: classesOf(state, { content: '' }),
    deliverable: isDecisionOnly(state) ? 'design' : null,
    plan_by_person: state.plan?.provenance?.startsWith('human:') ?? false,
    prev_state: state.prev_state,
    track: state.brief?.track ?? null,
  };
}
