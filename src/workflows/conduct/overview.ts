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
import type { overviewMessages } from './overview-messages.ts';

/** The row as just read. `prev_state` is where a parked or cancelled ticket stood. */
export interface OverviewFacts extends RunFacts {
  readonly prev_state: TicketState | null;
  /** The track of the design brief that is open. */
  readonly track: DesignTrack | null;
}

/** The seven phases in order (CON-103). Made from the row each time; it decides nothing and is never stored. */
export function ticketOverview(facts: OverviewFacts): readonly OverviewLine[] {
  const plans = isDelegating(effectiveMode(facts.mode, facts.dial)) ? planRun(facts) : [];
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
      marks: status === 'in_progress' ? marksOf(gate, facts) : [],
    };
  });
}

function marksOf(gate: TicketGate, { track }: OverviewFacts): Msg[] {
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

/** What the policy would do at a gate, in words. */
export function planMessage({ will }: GatePlan): Msg {
  if (will.kind !== 'pause') return say(`conduct.plan.${will.kind}`);
  if (will.cause !== 'risk-floor') return say(`conduct.plan.pause.${will.cause}`);
  return say('conduct.plan.pause.risk-floor', { classes: (will.classes ?? []).join(', ') });
}

function say(msg: keyof typeof overviewMessages.en, args?: Msg['args']): Msg {
  return args ? { msg, args } : { msg };
}

/** The overview as plain text (CON-112): same row, same bytes. */
export function renderOverview(ticket: string, facts: OverviewFacts, t: Translate): string {
  const heading = `${ticket}: ${t({ msg: `conduct.state.${facts.state}` })}`;
  return [heading, ...ticketOverview(facts).map((line) => overviewText(line, t))].join('\n');
}
