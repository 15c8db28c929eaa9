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
import type { edgeMessages } from './edge-messages.ts';

/** One way from state to state; a ticket that does not exist yet has no state. */
type Way = readonly [from: TicketState | null, to: TicketState];

const isTerminal = (state: TicketState) => TERMINAL_STATES.some((end) => end === state);
const LIVE = TICKET_STATES.filter((state) => !isTerminal(state));
const fromEveryLive = (to: TicketState): readonly Way[] => LIVE.map((from) => [from, to]);

/** Where each activity leads (CON-29..32). State and activity determine the target; what is not here does not exist. */
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
  // Back to where it was parked, so every live state is a possible end (S11).
  unparking: LIVE.map((to) => ['Parked', to]),
  cancelling: fromEveryLive('Cancelled'),
  'rolling-up': [['Decomposed', 'Released']],
  'fast-forwarding': [
    ['Clarified', 'Verified'],
    ['Designed', 'Verified'],
  ],
} as const satisfies Record<Exclude<Activity, 'researching'>, readonly Way[]>;

/** What stays possible while the ticket is stale (CON-33): going back, standing by, and coming back to be patched. */
const WHILE_STALE = /^(?:revising-.+|researching|parking|unparking|cancelling)$/;

interface Moved {
  /** Null only while there is no ticket yet. */
  readonly to: TicketState | null;
}

/** Where an activity leads from a state, or a refusal that names both. `prev_state`: where the ticket was parked. */
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

function refuse(
  msg: keyof typeof edgeMessages.en,
  args: Readonly<Record<string, string | number>>,
): Rejection {
  return reject('wrong_moment', args, { msg });
}

/** How an activity comes about: asked for by anyone or by a person, by the answer to a gate, or by the engine alone. */
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

/** Why a client may not ask for this activity (S17, CON-32, CON-105); null when it may. */
export function refuseAsked(activity: Activity, by: 'person' | 'worker'): Rejection | null {
  const how = Object.hasOwn(ASKED_BY, activity) ? ASKED_BY[activity] : 'engine';
  const may = how === 'anyone' || (how === 'person' && by === 'person');
  return may ? null : refuse('conduct.edge.not_so', { activity, how });
}

/** The gates that can be opened again: the state each begins in, and from where (CON-99). */
const REOPEN: Readonly<
  Partial<Record<TicketGate, { readonly lands: TicketState; readonly from: readonly TicketState[] }>>
> = {
  clarify: { lands: 'Idea', from: ['Decomposed', 'Designed'] },
  decompose: { lands: 'Clarified', from: ['Decomposed', 'Designed'] },
  design: { lands: 'Decomposed', from: ['Decomposed', 'Designed', 'Planned', 'Built'] },
  build: { lands: 'Planned', from: ['Built', 'Released'] },
};

const MOST_HOPS = 4;

interface Reopening {
  readonly lands: TicketState;
  /** Activities in order; none when the ticket stands there already. */
  readonly hops: readonly Activity[];
}

/** The way back to the gate a person wants open again, or a refusal that names what can be. */
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
  const hops = walkBack(from, way.lands, MOST_HOPS);
  return hops
    ? { lands: way.lands, hops }
    : refuse('conduct.reopen.stuck', { from, target, limit: MOST_HOPS });
}

/** The shortest chain of revising activities, in the order of the table; null when there is none that short. */
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

/** The phases of a ticket for the engine: every edge above and no other. */
export const ticketPhases = Object.fromEntries(
  TICKET_STATES.map((state, order): [TicketState, PhaseDefinition] => {
    const ways = Object.values<readonly Way[]>(EDGES).flat();
    const to = new Set(ways.filter(([from]) => from === state).map(([, end]) => end));
    return [state, { label: { msg: `conduct.state.${state}` }, order, to: [...to] }];
  }),
) as Readonly<Record<TicketState, PhaseDefinition>>;
