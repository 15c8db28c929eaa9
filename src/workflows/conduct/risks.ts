import type { ConductState } from '../../contract/conduct.ts';
import type { RiskClass } from '../../contract/ticket.ts';
import { detectRisks, type RiskHit, riskClasses, withoutAcknowledged } from '../../engine/risk-classes.ts';

/** What is looked at beside the ticket itself: the brief as people read it, and the paths a build changed. */
export interface RiskView {
  readonly content: string;
  readonly paths?: readonly string[];
}

/** Everything that trips a class on the ticket as it stands; made anew each time, never stored (CON-40). */
export function risksOf(state: ConductState, { content, paths }: RiskView): RiskHit[] {
  const { title, description, labels, build, policy } = state;
  return detectRisks({
    title,
    description,
    content,
    labels,
    paths: paths ?? build?.paths ?? [],
    shared_core: { modules: policy.modules, globs: policy.globs },
  });
}

export function classesOf(state: ConductState, view: RiskView): RiskClass[] {
  return riskClasses(risksOf(state, view));
}

/** Those that pause: evidence a person has acknowledged for this ticket does not, where that is switched on. */
export function pausingRisks(state: ConductState, view: RiskView): RiskHit[] {
  const hits = risksOf(state, view);
  return state.policy.acknowledge ? withoutAcknowledged(hits, state.acknowledged) : hits;
}
