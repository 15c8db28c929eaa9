import type { ConductState } from '../../contract/conduct.ts';
import type { Delegation } from '../../contract/ticket.ts';
import { delegate as decide, gateOf, sureSignals } from '../../engine/delegation.ts';
import { riskClasses } from '../../engine/risk-classes.ts';
import type { DelegationAsk } from '../../engine/workflow.ts';
import { pausingRisks } from './risks.ts';

/** May this drive accept the brief for the person? The policy on the row as it stands (CON-35). */
export function delegate(state: ConductState, { mode, dial, content }: DelegationAsk): Delegation {
  const { brief, judged } = state;
  const gate = gateOf(state.phase);
  if (!brief || !gate) return { kind: 'pause', cause: 'question' };
  const current = judged?.brief === brief.id && judged.iteration === brief.iteration ? judged : null;
  return decide({
    mode,
    dial,
    row: {
      gate,
      reason: brief.reason,
      stale: state.stale !== null,
      revised: brief.revised,
      deliverable: brief.deliverable,
      classes: riskClasses(pausingRisks(state, { content })),
      judgement: current ? (current.verdict ?? 'failed') : null,
      sure_signals: sureSignals(brief.doc),
    },
  });
}
