import type { Text } from '../../contract/brief.ts';
import type { ConductState } from '../../contract/conduct.ts';
import type { TicketState } from '../../contract/ticket.ts';
import { gateOf, planRun, resolveTrust } from '../../engine/delegation.ts';
import type { Announcement } from '../../engine/workflow.ts';
import {
  askedHere,
  endReport,
  gateLine,
  type PauseFacts,
  parentTicketReport,
  startReport,
  trustReport,
  whyPaused,
} from './announce.ts';
import { say } from './messages.ts';
import { planMessage } from './overview.ts';
import { pausingRisks, unreadOf } from './risks.ts';
import { awaitingOf } from './row.ts';
import { runFacts } from './run-facts.ts';

/** The texts of a ticket for an announcement. The surface only shows them. */
export function announce(state: ConductState, what: Announcement): readonly Text[] {
  const { run: ticket, phase } = state;
  switch (what.kind) {
    case 'start':
      return startReport(ticket, phase, what.mode);
    case 'denied':
      return trustReport(ticket, resolveTrust(what.trust ?? undefined), what.mode);
    case 'pause':
      return pauseLines(state, what);
    case 'end':
      return endLines(state, what.began as TicketState);
    case 'plan':
      return planLines(state, what);
  }
}

function pauseLines(state: ConductState, what: Extract<Announcement, { kind: 'pause' }>): readonly Text[] {
  const gate = gateOf(state.phase);
  const awaiting = awaitingOf(state);
  if (!gate || !awaiting) return [];
  const { brief, run: ticket } = state;
  const facts: PauseFacts = {
    ticket,
    gate,
    reason: awaiting.reason,
    track: brief?.track ?? null,
    content: what.content,
    iteration: brief?.iteration ?? 1,
    decide: brief?.doc.decide ?? '',
    pause: what.pause,
    hits: pausingRisks(state, { content: what.content }),
    unread: unreadOf(state, { content: what.content }),
    trust: resolveTrust(what.trust ?? undefined),
    mode: what.mode,
    drive_open: what.drive_open,
  };
  return what.asked_here ? askedHere(facts) : [gateLine(facts), ...whyPaused(facts)];
}

function endLines(state: ConductState, began: TicketState): readonly Text[] {
  const { run: ticket, phase, prev_state, left, children } = state;
  if (phase === 'Verified') return endReport({ ticket, began, state: phase });
  if (phase === 'Parked' || phase === 'Cancelled')
    return endReport({ ticket, began, state: phase, at: prev_state ?? began, why: left?.why ?? null });
  const listed = children.filter(({ archived }) => !archived);
  if (phase !== 'Decomposed' || listed.length === 0) return [];
  return parentTicketReport(
    ticket,
    began,
    listed.map(({ id, key, title, state: at }) => ({ id: id ?? key, title, state: at })),
  );
}

/** The plan for each gate, from the same policy that would decide there. */
function planLines(
  state: ConductState,
  { mode, trust }: Extract<Announcement, { kind: 'plan' }>,
): readonly Text[] {
  const { level } = resolveTrust(trust ?? undefined);
  const plans = planRun(runFacts(state, mode, level));
  return plans.flatMap((plan): Text[] => [say('conduct.plan.line', { gate: plan.gate }), planMessage(plan)]);
}
