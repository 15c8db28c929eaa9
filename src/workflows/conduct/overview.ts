import type { Msg } from '../../contract/brief.ts';
import { type DesignTrack, TICKET_GATES, type TicketGate, type TicketState } from '../../contract/ticket.ts';
import {
  effectiveMode,
  type GatePlan,
  gateOf,
  isBefore,
  planRun,
  type RunFacts,
} from '../../engine/delegation.ts';
import { isDelegating } from '../../engine/drive-mode.ts';
import { overviewText } from '../../engine/overview-text.ts';
import type { OverviewLine, Translate } from '../../engine/workflow.ts';
import { say } from './messages.ts';

/** The row as just read. `prev_state` is the state before the ticket was parked or cancelled. */
export interface OverviewFacts extends RunFacts {
  readonly prev_state: TicketState | null;
  /** The track of the open design brief. */
  readonly track: DesignTrack | null;
}

/**
 * The seven phases in order (CON-103). The overview is computed from
 * the row each time. It does not decide anything and is never stored.
 */
export function ticketOverview(facts: OverviewFacts): readonly OverviewLine[] {
  const plans = isDelegating(effectiveMode(facts.mode, facts.trust)) ? planRun(facts) : [];
  return TICKET_GATES.map((gate) => {
    const status = statusOf(gate, facts);
    const plan = plans.find((one) => one.gate === gate);
    const label = say(`conduct.gate.${gate}`);
    return {
      phase: gate,
      status,
      label,
      says: say(`conduct.overview.${status}`),
      ...(plan && status !== 'completed' ? { plan: planMessage(plan) } : {}),
      badges: status === 'in_progress' ? badgesOf(gate, facts) : [],
    };
  });
}

function badgesOf(gate: TicketGate, { track }: OverviewFacts): Msg[] {
  const current = say('conduct.overview.current');
  return track !== null && gate === 'design'
    ? [current, say('conduct.overview.track', { track })]
    : [current];
}

function statusOf(gate: TicketGate, { state, prev_state }: OverviewFacts): OverviewLine['status'] {
  if (state === 'Verified') return 'completed';
  const current = gateOf(state);
  const reached = current ?? (prev_state === null ? null : gateOf(prev_state));
  if (reached !== null && isBefore(gate, reached)) return 'completed';
  return gate === current ? 'in_progress' : 'pending';
}

/** Describes what the policy would do at a gate. */
export function planMessage({ will }: GatePlan): Msg {
  if (will.kind !== 'pause') return say(`conduct.plan.${will.kind}`);
  if (will.cause !== 'risk-floor') return say(`conduct.plan.pause.${will.cause}`);
  if (!will.classes?.length) return say('conduct.plan.pause.unread');
  return say('conduct.plan.pause.risk-floor', { classes: (will.classes ?? []).join(', ') });
}

/** The overview as plain text (CON-112). The same row gives the same bytes. */
export function renderOverview(ticket: string, facts: OverviewFacts, t: Translate): string {
  const heading = `${ticket}: ${t({ msg: `conduct.state.${facts.state}` })}`;
  return [heading, ...ticketOverview(facts).map((line) => overviewText(line, t))].join('\n');
}
