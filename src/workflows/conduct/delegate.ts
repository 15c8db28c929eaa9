import type { ConductState } from '../../contract/conduct.ts';
import type { Delegation } from '../../contract/ticket.ts';
import { delegate as decide, gateOf, sureSignals } from '../../engine/delegation.ts';
import { riskClasses } from '../../engine/risk-classes.ts';
import type { DelegationAsk } from '../../engine/workflow.ts';
import { pausingRisks, unreadOf } from './risks.ts';
import { awaitingOf } from './row.ts';

/** Applies the policy to the current row (CON-35): may this drive accept the open item for the person? */
export function delegate(state: ConductState, { mode, trust, content }: DelegationAsk): Delegation {
  const gate = gateOf(state.phase);
  const awaiting = awaitingOf(state);
  if (!gate || !awaiting) return { kind: 'pause', cause: 'question' };
  // A round, a go or an approval may be open before a brief. Then the question is not about the brief.
  const brief = awaiting.ref.type === 'brief' ? state.brief : null;
  const { judged } = state;
  const current =
    judged && judged.brief === brief?.id && judged.iteration === brief.iteration ? judged : null;
  return decide({
    mode,
    trust,
    row: {
      gate,
      reason: awaiting.reason,
      stale: state.stale !== null,
      revised: brief?.revised ?? false,
      unproven: (state.unproven ?? null) !== null,
      deliverable: brief?.deliverable ?? false,
      classes: riskClasses(pausingRisks(state, { content })),
      unread: unreadOf(state, { content }).length > 0,
      judgement: current ? (current.verdict ?? 'failed') : null,
      sure_signals: brief
        ? sureSignals(
            brief.doc,
            brief.depends_on.map(({ status }) => status),
          )
        : [],
    },
  });
}
