import type { ConductState } from '../../contract/conduct.ts';
import { PromisedWrite } from '../../contract/promised-write.ts';
import type { RiskClass } from '../../contract/ticket.ts';
import { detectRisks, type RiskHit, riskClasses, withoutAcknowledged } from '../../engine/risk-classes.ts';
import { type UnreadLine, unreadLines } from '../../engine/unread-text.ts';

/** What the risk check reads besides the ticket: the brief as a person reads it, and the paths a build changed. */
export interface RiskView {
  readonly content: string;
  readonly paths?: readonly string[];
}

/** All evidence of risk classes on the current ticket. It is computed each time and never stored (CON-40). */
export function risksOf(state: ConductState, { content, paths }: RiskView): RiskHit[] {
  const { title, description, criteria, build, policy } = state;
  const promised = (state.brief?.doc.payload ?? []).flatMap((write) => {
    const { data } = PromisedWrite.safeParse(write);
    return data?.kind === 'label_add' ? [data.label] : [];
  });
  return detectRisks({
    title,
    description,
    content,
    criteria: criteria.map(({ text }) => text),
    labels: [...state.labels, ...promised],
    paths: paths ?? build?.paths ?? [],
    shared_core: { modules: policy.modules, globs: policy.globs },
  });
}

export function classesOf(state: ConductState, view: RiskView): RiskClass[] {
  return riskClasses(risksOf(state, view));
}

/**
 * The evidence that pauses a drive. If the setting is on, it
 * excludes evidence that a person acknowledged for this ticket.
 */
export function pausingRisks(state: ConductState, view: RiskView): RiskHit[] {
  const hits = risksOf(state, view);
  return state.policy.acknowledge ? withoutAcknowledged(hits, state.acknowledged) : hits;
}

/** Lines that no list of risk words covers. They also pause a drive (CON-117). */
export function unreadOf(state: ConductState, { content }: RiskView): UnreadLine[] {
  const { title, description, criteria } = state;
  return unreadLines({ title, description, content, criteria: criteria.map(({ text }) => text) });
}
