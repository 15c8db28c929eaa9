import type { ConductState } from '../../contract/conduct.ts';
import type { Delegation } from '../../contract/ticket.ts';
import { delegate as decide, gateOf, sureSignals } from '../../engine/delegation.ts';
import { riskClasses } from '../../engine/risk-classes.ts';
import type { DelegationAsk } from '../../engine/workflow.ts';
import { pausingRisks } from './risks.ts';
import { awaitingOf } from './row.ts';

/** May this drive accept what the ticket waits with, for the person? The policy on the row as it stands (CON-35). */
export function delegate(state: ConductState, { mode, dial, content }: DelegationAsk): Delegation {
  const gate = gateOf(state.phase);
  const awaiting = awaitingOf(state);
  if (!gate || !awaiting) return { kind: 'pause', cause: 'question' };
  // A round, a go or an approval may wait in front of a brief: then the brief is not what is asked about.
  const brief = awaiting.ref.type === 'brief' ? state.brief : null;
  const { judged } = state;
  const current =
    judged && judged.brief === brief?.id && judged.iteration === brief.iteration ? judged : null;
  return decide({
    mode,
    dial,
    row: {
      gate,
      reason: awaiting.reason,
      stale: state.stale !== null,
      revised: brief?.revised ?? false,
      deliverable: brief?.deliverable ?? false,
      classes: riskClasses(pausingRisks(state, { content })),
      judgement: current ? (current.verdict ?? 'failed') : null,
      sure_signals: brief
        ? sureSignals(
            brief.doc,
            brief.rests_on.map(({ status }) => status),
          )
        : [],
    },
  });
}
