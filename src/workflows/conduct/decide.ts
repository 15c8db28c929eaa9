import type { ConductState } from '../../contract/conduct.ts';
import { Clarification, Decomposition, Design, StalePatch, TicketPlan } from '../../contract/conduct-work.ts';
import type { Domain } from '../../contract/knowledge.ts';
import type { SlotRef } from '../../contract/step.ts';
import { Judgement, type TicketState } from '../../contract/ticket.ts';
import {
  ask,
  type Call,
  type Decision,
  end,
  fromDecide,
  pass,
  query,
  type Reader,
  work,
} from '../../engine/decide.ts';
import { onHop } from './accept.ts';
import { build } from './build.ts';
import { callWorker, ticketSlots, waits } from './calls.ts';
import { isRolledUp, rollUp } from './children.ts';
import { onClarified, onDecomposed, onDesigned, onPatched, onPlanned, trackOf } from './drafts.ts';
import { say } from './messages.ts';
import { activeChildren, go, inTrouble, type Next } from './moves.ts';
import {
  askAboutParent,
  askAboutReopening,
  askAboutTrouble,
  askForApproval,
  askForGo,
  askRound,
} from './questions.ts';
import { onDeployedLate, onMergedLate, release } from './release.ts';
import { askAboutBrief } from './resolve.ts';
import { verify } from './verify.ts';

/**
 * The next step of the ticket and its continuation. Total and pure: called again while the step runs, it is the same
 * (CON-24).
 */
function decide(state: ConductState): Decision<Next> {
  const { phase } = state;
  if (state.ended) return end({ result: phase.toLowerCase() });
  if (phase === 'Parked') return parked();
  if (state.hops.length > 0 && !isHeld(state)) return pass((at) => onHop(state, at));
  const open = question(state) ?? idle(state);
  if (open) return open;
  if (state.stale)
    return drafting(
      state,
      draft(state, 'stale_patch', StalePatch, { superseded: { json: state.stale } }),
      onPatched,
    );
  return PHASES[phase](state);
}

export const { next, settle } = fromDecide<ConductState>({
  decide,
  failed: (state, what, { detail, code }) =>
    inTrouble(state, 'world', what.replace('query ', ''), `${detail} (${code})`),
  late: { merge: onMergedLate, deploy: onDeployedLate },
});

const PHASES: Readonly<Record<TicketState, (state: ConductState) => Decision<Next>>> = {
  // A captured ticket waits for `conduct`, which promotes it at once (CON-26).
  Captured: () => waits(['conduct', 'park', 'cancel'], say('conduct.idle.new')),
  Idea: (state) => drafting(state, draft(state, 'clarify', Clarification), onClarified),
  Clarified: (state) => {
    const children = { json: state.children };
    return drafting(state, draft(state, 'decompose', Decomposition, { children }), onDecomposed);
  },
  Decomposed: design,
  Designed: (state) => drafting(state, draft(state, 'plan', TicketPlan), onPlanned),
  Planned: (state) => (state.building ? build(state, state.building) : askForGo(state)),
  Built: (state) => (state.release.stage === 'approval' ? askForApproval(state) : release(state)),
  Released: verify,
  Verified: over,
  Cancelled: over,
  Parked: parked,
};

function over({ phase }: ConductState): Decision<Next> {
  return end({ result: phase.toLowerCase() });
}

function parked(): Decision<Next> {
  return waits(['unpark'], say('conduct.idle.parked'));
}

/** A stale ticket is not fast-forwarded, although that needs no answer: its patch comes first (CON-93). */
function isHeld({ stale, hops }: ConductState): boolean {
  return stale !== null && hops[0] === 'fast-forwarding';
}

/**
 * The open question or judgement, in this order: trouble, a round of questions, the judge, a reopening, the open brief.
 */
function question(state: ConductState): Decision<Next> | null {
  const { round, trouble, brief, reopening } = state;
  if (trouble) return askAboutTrouble(state, trouble);
  if (round) return askRound(state, round);
  if (state.judging) return judge(state);
  if (reopening) return askAboutReopening(state, reopening);
  return brief && !state.pending ? askAboutBrief(state, brief) : null;
}

/** The ticket is idle. A rolled-up parent asks a person to end it. Any other ticket waits for a command. */
function idle(state: ConductState): Decision<Next> | null {
  if (!state.idle_because || isRolledUp(state)) return null;
  return state.parent_ticket && !state.stale
    ? askAboutParent(state)
    : waits(['conduct', 'park', 'cancel'], state.idle_because);
}

/** A parent with children is not designed. Each of its children is conducted separately (CON-80). */
function design(state: ConductState): Decision<Next> {
  if (isRolledUp(state)) return pass((at) => rollUp(state, at));
  if (state.children.some(({ archived }) => !archived))
    return waits(['conduct', 'park', 'cancel'], parentTicketText(state), 'children');
  const { required } = state.tracks;
  const slots = {
    track: { text: trackOf(state.tracks) ?? '' },
    required_tracks: { text: required?.join(', ') ?? '' },
  };
  return drafting(state, draft(state, 'design', Design, slots), onDesigned);
}

function parentTicketText(state: ConductState) {
  const list = state.children
    .filter(({ archived }) => !archived)
    .map(({ id, key, title, state: at }) => `${id ?? key} ${title} (${at})`)
    .join('; ');
  return say('conduct.idle.parent_ticket', { n: activeChildren(state).length, list });
}

/** The ledger domains that a gate queries before it drafts (CON-96). */
const DOMAINS_OF: Readonly<Record<string, Domain[]>> = {
  clarify: ['product', 'customer', 'process'],
  decompose: ['product', 'engineering', 'process'],
  design: ['engineering', 'data', 'operations', 'product', 'customer'],
  plan: ['engineering', 'operations', 'data', 'process'],
  stale_patch: ['engineering', 'operations', 'data', 'product', 'customer', 'process'],
};

function draft<R>(
  state: ConductState,
  role: string,
  result: Reader<R>,
  more: Readonly<Record<string, SlotRef>> = {},
): Call<R> {
  return ask(role, result, { ...ticketSlots(state), ...more });
}

/** Queries the ledger first, then calls the worker with the entries found. */
function drafting<R>(
  state: ConductState,
  call: Call<R>,
  on: (state: ConductState, result: R) => Next,
): Decision<Next> {
  if (state.knowledge) return callWorker(state, call, (result) => on(state, result));
  const domains = DOMAINS_OF[call.call.role] ?? [];
  const input = { domains, search: state.title, ticket: state.run, limit: 20 };
  return query('knowledge', input, (knowledge) => go(state, { knowledge }));
}

/** A verdict covers one draft of one brief. If the judge fails, the person decides (S5). */
function judge(state: ConductState): Decision<Next> {
  const { brief } = state;
  const { ticket } = ticketSlots(state);
  const slots = {
    ...(ticket ? { ticket } : {}),
    brief: brief ? { json: brief.doc } : { text: '' },
    content: brief ? { brief: brief.doc, ref: brief.decision_ref } : { text: '' },
    knowledge: { json: brief?.depends_on ?? [] },
  };
  return work([ask('escalate_judge', Judgement, slots)], ([call]) => {
    if (!brief) return go(state, { judging: false });
    const verdict = call.kind === 'ok' ? call.result : null;
    const judged = { brief: brief.id, iteration: brief.iteration, verdict };
    return go(state, { judging: false, judged }, [
      { kind: 'entry', name: 'judgement', data: { ...judged, reason: brief.reason } },
    ]);
  });
}
