import {
  type Activity,
  TERMINAL_STATES,
  TICKET_GATES,
  TICKET_STATES,
  type TicketGate,
  type TicketState,
} from '../../contract/ticket.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import type { PhaseDefinition } from '../../engine/workflow.ts';
import type { ConductMessageId } from './messages.ts';

/** One edge between two states. `from` is null for a ticket that does not exist yet. */
type Way = readonly [from: TicketState | null, to: TicketState];

const isTerminal = (state: TicketState) => TERMINAL_STATES.some((end) => end === state);
const LIVE = TICKET_STATES.filter((state) => !isTerminal(state));
const fromEveryLive = (to: TicketState): readonly Way[] => LIVE.map((from) => [from, to]);

/** The edges of each activity (CON-29..32). State and activity determine the target. There are no other edges. */
const EDGES = {
  capturing: [[null, 'Captured']],
  promoting: [['Captured', 'Idea']],
  clarifying: [['Idea', 'Clarified']],
  decomposing: [['Clarified', 'Decomposed']],
  designing: [['Decomposed', 'Designed']],
  planning: [['Designed', 'Planned']],
  building: [['Planned', 'Built']],
  releasing: [['Built', 'Released']],
  verifying: [['Released', 'Verified']],
  'revising-promoting': [
    ['Clarified', 'Idea'],
    ['Decomposed', 'Idea'],
    ['Designed', 'Idea'],
  ],
  'revising-clarifying': [
    ['Decomposed', 'Clarified'],
    ['Designed', 'Clarified'],
  ],
  'revising-decomposing': [
    ['Designed', 'Decomposed'],
    ['Planned', 'Decomposed'],
    ['Built', 'Decomposed'],
  ],
  'revising-designing': [['Planned', 'Designed']],
  'revising-building': [
    ['Built', 'Planned'],
    ['Released', 'Built'],
  ],
  parking: fromEveryLive('Parked'),
  // A parked ticket returns to its previous state, so every live state is a possible target (S11).
  unparking: LIVE.map((to) => ['Parked', to]),
  cancelling: fromEveryLive('Cancelled'),
  'rolling-up': [['Decomposed', 'Released']],
  'fast-forwarding': [
    ['Clarified', 'Verified'],
    ['Designed', 'Verified'],
  ],
} as const satisfies Record<Exclude<Activity, 'researching'>, readonly Way[]>;

/**
 * Activities that a stale ticket may still do (CON-33): going back,
 * research, parking, cancelling, and unparking to be patched.
 */
const WHILE_STALE = /^(?:revising-.+|researching|parking|unparking|cancelling)$/;

interface Moved {
  /** Null only while there is no ticket yet. */
  readonly to: TicketState | null;
}

/** The target of an activity from a state, or a refusal that names both. `prev_state`: the state before parking. */
export function edge(
  from: TicketState | null,
  activity: Activity,
  { stale, prev_state }: { readonly stale: boolean; readonly prev_state?: TicketState | null },
): Moved | Rejection {
  if (activity === 'researching') return { to: from };
  const ways = waysOf(activity).filter(([start]) => start === from);
  if (ways.length === 0) return refuse('conduct.edge.none', { from: from ?? 'none', activity });
  if (stale && !WHILE_STALE.test(activity))
    return refuse('conduct.edge.stale', { from: from ?? 'none', activity });
  const way = activity === 'unparking' ? ways.find(([, to]) => to === prev_state) : ways[0];
  if (way === undefined) return refuse('conduct.edge.no_way_back', {});
  return { to: way[1] };
}

function waysOf(activity: Activity): readonly Way[] {
  return Object.hasOwn(EDGES, activity) ? EDGES[activity as keyof typeof EDGES] : [];
}

function isGoingBack(activity: Activity): boolean {
  return activity.startsWith('revising-');
}

function refuse(msg: ConductMessageId, args: Readonly<Record<string, string | number>>): Rejection {
  return reject('wrong_moment', args, { msg });
}

/** What causes an activity: a request by anyone, a request by a person, the answer to a gate, or the engine alone. */
const ASKED_BY: Readonly<Record<Activity, 'anyone' | 'person' | 'answer' | 'engine'>> = {
  capturing: 'engine',
  promoting: 'anyone',
  clarifying: 'answer',
  decomposing: 'answer',
  designing: 'answer',
  planning: 'answer',
  building: 'engine',
  releasing: 'engine',
  verifying: 'answer',
  'revising-promoting': 'person',
  'revising-clarifying': 'person',
  'revising-decomposing': 'person',
  'revising-designing': 'person',
  'revising-building': 'person',
  parking: 'person',
  unparking: 'person',
  cancelling: 'person',
  researching: 'anyone',
  'rolling-up': 'engine',
  'fast-forwarding': 'engine',
};

/** The reason why a client may not request this activity (S17, CON-32, CON-105), or null if it may. */
export function refuseAsked(activity: Activity, by: 'person' | 'worker'): Rejection | null {
  const how = Object.hasOwn(ASKED_BY, activity) ? ASKED_BY[activity] : 'engine';
  const may = how === 'anyone' || (how === 'person' && by === 'person');
  return may ? null : refuse('conduct.edge.not_so', { activity, how });
}

/** The gates that can be reopened: the state each one begins in, and the states that may go back to it (CON-99). */
const REOPEN: Readonly<
  Partial<Record<TicketGate, { readonly target: TicketState; readonly from: readonly TicketState[] }>>
> = {
  clarify: { target: 'Idea', from: ['Decomposed', 'Designed'] },
  decompose: { target: 'Clarified', from: ['Decomposed', 'Designed'] },
  design: { target: 'Decomposed', from: ['Decomposed', 'Designed', 'Planned', 'Built'] },
  build: { target: 'Planned', from: ['Built', 'Released'] },
};

const MOST_HOPS = 4;

interface Reopening {
  readonly target: TicketState;
  /** Activities in order. Empty if the ticket is already in the target state. */
  readonly hops: readonly Activity[];
}

/** Plans the way back to the gate a person wants to reopen, or refuses and names the gates that can be reopened. */
export function planReopen(from: TicketState, target: TicketGate): Reopening | Rejection {
  const way = REOPEN[target];
  if (way === undefined || !way.from.includes(from)) {
    const targets = TICKET_GATES.filter((gate) => REOPEN[gate]?.from.includes(from));
    return refuse('conduct.reopen.not_from', {
      from,
      target,
      sources: way?.from.join(', ') ?? 'none',
      targets: targets.join(', ') || 'none',
    });
  }
  const hops = walkBack(from, way.target, MOST_HOPS);
  return hops
    ? { target: way.target, hops }
    : refuse('conduct.reopen.stuck', { from, target, limit: MOST_HOPS });
}

/**
 * The shortest chain of revising activities, or null if none fits
 * the limit. Among equal chains, the first in the table wins.
 */
export function walkBack(from: TicketState, to: TicketState, limit: number): readonly Activity[] | null {
  if (from === to) return [];
  if (limit === 0) return null;
  const chains = BACK.filter(({ way }) => way[0] === from).flatMap(({ activity, way }) => {
    const rest = walkBack(way[1], to, limit - 1);
    return rest ? [[activity, ...rest]] : [];
  });
  return chains.sort((a, b) => a.length - b.length)[0] ?? null;
}

const BACK = (Object.keys(EDGES) as (keyof typeof EDGES)[])
  .filter(isGoingBack)
  .flatMap((activity) => waysOf(activity).map((way) => ({ activity, way })));

/** The phases of a ticket for the engine. They allow exactly the edges above. */
export const ticketPhases = Object.fromEntries(
  TICKET_STATES.map((state, order): [TicketState, PhaseDefinition] => {
    const ways = Object.values<readonly Way[]>(EDGES).flat();
    const to = new Set(ways.filter(([from]) => from === state).map(([, end]) => end));
    return [state, { label: { msg: `conduct.state.${state}` }, order, to: [...to] }];
  }),
) as Readonly<Record<TicketState, PhaseDefinition>>;
