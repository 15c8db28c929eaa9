import type { ConductState } from '../../contract/conduct.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { Domain } from '../../contract/knowledge.ts';
import type { SlotRef, Step } from '../../contract/step.ts';
import type { TicketState } from '../../contract/ticket.ts';
import { brief } from '../../engine/whole-brief.ts';
import { buildStep } from './build.ts';
import { pass, ticketSlots, waits, work } from './calls.ts';
import { isRolledUp } from './children.ts';
import { trackOf } from './drafts.ts';
import type { ConductGate } from './gates.ts';
import { say } from './messages.ts';
import { activeChildren } from './moves.ts';
import { releaseStep } from './release.ts';
import { verifyStep } from './verify.ts';

/**
 * The current step of the ticket. Total and pure: called again while the step runs, it returns the same step (CON-24).
 */
export function next(state: ConductState): Step {
  const { phase } = state;
  if (state.ended) return { kind: 'end', outcome: { result: phase.toLowerCase() } };
  if (phase === 'Parked') return waits(['unpark'], say('conduct.rests.parked', { run: state.run }));
  if (state.hops.length > 0 && !isHeld(state)) return pass(state);
  const standing = asked(state) ?? idle(state);
  if (standing) return standing;
  if (state.stale) return drafting(state, 'stale_patch', { superseded: { json: state.stale } });
  return STEPS[phase](state);
}

/** A stale ticket is not fast-forwarded, although that needs no answer: its patch comes first (CON-93). */
function isHeld({ stale, hops }: ConductState): boolean {
  return stale !== null && hops[0] === 'fast-forwarding';
}

/**
 * The open question or judgement, in this order: trouble, a round of questions, the judge, a reopening, the open brief.
 */
function asked(state: ConductState): Step | null {
  const { round, trouble, brief: active } = state;
  if (trouble) return gate('trouble', troubleGate(state, trouble));
  if (round) return gate('round', roundGate(round));
  if (state.judging) return work(state, 'escalate_judge', judgeSlots(state));
  if (state.reopening) return gate('reopen', reopenGate(state, state.reopening));
  return active && !state.pending ? gate(GATE_OF[active.reason], briefGate(state, active)) : null;
}

/** The ticket is idle. A rolled-up parent asks a person to end it. Any other ticket waits for a command. */
function idle(state: ConductState): Step | null {
  if (!state.idle_because || isRolledUp(state)) return null;
  return state.parent_ticket && !state.stale
    ? gate('parent_ticket', parentTicketGate(state))
    : waits(['conduct', 'park', 'cancel'], state.idle_because);
}

const STEPS: Readonly<Record<TicketState, (state: ConductState) => Step>> = {
  // A captured ticket waits for `conduct`, which promotes it at once (CON-26).
  Captured: ({ run }) => waits(['conduct', 'park', 'cancel'], say('conduct.rests.new', { run })),
  Idea: (state) => drafting(state, 'clarify', {}),
  Clarified: (state) => drafting(state, 'decompose', { children: { json: state.children } }),
  Decomposed: decomposedStep,
  Designed: (state) => drafting(state, 'plan', {}),
  Planned: buildStep,
  Built: releaseStep,
  Released: verifyStep,
  Verified: pass,
  Parked: pass,
  Cancelled: pass,
};

/** A parent with children is not designed. Each of its children is conducted separately (CON-80). */
function decomposedStep(state: ConductState): Step {
  if (isRolledUp(state)) return pass(state);
  if (state.children.some(({ archived }) => !archived))
    return waits(['conduct', 'park', 'cancel'], parentTicketText(state), 'children');
  const { required } = state.tracks;
  return drafting(state, 'design', {
    track: { text: trackOf(state.tracks) ?? '' },
    required_tracks: { text: required?.join(', ') ?? '' },
  });
}

function parentTicketText(state: ConductState) {
  const list = state.children
    .filter(({ archived }) => !archived)
    .map(({ id, key, title, state: at }) => `${id ?? key} ${title} (${at})`)
    .join('; ');
  return say('conduct.rests.umbrella', { run: state.run, n: activeChildren(state).length, list });
}

const GATE_OF = {
  'clarification-draft': 'clarify',
  'decomposition-proposal': 'decompose',
  'design-decision-draft': 'design',
  'plan-draft': 'plan',
  'release-decision-pending': 'release',
  'verification-ack-pending': 'verify',
  'stale-patch-review': 'patch',
  'revise-scope-review': 'reopen',
} as const satisfies Record<string, ConductGate>;

function gate(name: ConductGate, spec: Omit<GateSpec, 'name'>): Step {
  return { kind: 'gate', gate: { name, ...spec } };
}

function briefGate(
  { run, parent_ticket }: ConductState,
  { doc, iteration, reason }: NonNullable<ConductState['brief']>,
): Omit<GateSpec, 'name'> {
  // A parent has no build of its own to go back to.
  const isRolledUp = parent_ticket && reason === 'verification-ack-pending';
  const offers = isRolledUp ? { offers: ['accept', 'reshape', 'edit', 'deny'] } : {};
  return { brief: doc, edition: iteration, typed: run, ...offers };
}

function parentTicketGate({ run, children }: ConductState): Omit<GateSpec, 'name'> {
  const listed = children.map(({ id, title, state }) => `${id ?? ''} ${title} (${state})`);
  return {
    brief: brief({
      decide: say('conduct.umbrella.decide', { run }),
      context: listed,
      tail: say('conduct.umbrella.tail', { run }),
    }),
    typed: run,
  };
}

function reopenGate(
  state: ConductState,
  { to, hops, why, fates, asked: edition }: NonNullable<ConductState['reopening']>,
): Omit<GateSpec, 'name'> {
  const lost = state.decided.map(({ id }) => id).join(', ');
  return {
    brief: brief({
      decide: say('conduct.reopen.decide', { run: state.run, to }),
      why: [why],
      context: [
        say('conduct.reopen.hops', { hops: hops.join(', ') }),
        ...(lost === '' ? [] : [say('conduct.reopen.superseded', { list: lost })]),
        ...Object.entries(fates).map(([id, fate]) => say('conduct.reopen.fate', { id, fate })),
      ],
    }),
    edition,
  };
}

function roundGate({ questions, by }: NonNullable<ConductState['round']>): Omit<GateSpec, 'name'> {
  return {
    brief: brief({ decide: say('conduct.round.decide', { by, n: questions.length }) }),
    fields: questions.map(({ id, text }) => ({ id, text, required: true })),
  };
}

function troubleGate(
  { run, phase }: ConductState,
  { fault, what, detail }: NonNullable<ConductState['trouble']>,
): Omit<GateSpec, 'name'> {
  return {
    brief: brief({
      decide: say('conduct.trouble.decide', { run, what }),
      context: [
        say('conduct.trouble.fault', { fault: fault.replaceAll('-', '_'), detail }),
        say('conduct.trouble.stays', { run, phase }),
      ],
    }),
  };
}

/** The ledger domains that a gate queries before it drafts (CON-96). */
const DOMAINS_OF: Readonly<Record<string, readonly Domain[]>> = {
  clarify: ['product', 'customer', 'process'],
  decompose: ['product', 'engineering', 'process'],
  design: ['engineering', 'data', 'operations', 'product', 'customer'],
  plan: ['engineering', 'operations', 'data', 'process'],
  stale_patch: ['engineering', 'operations', 'data', 'product', 'customer', 'process'],
};

/** Queries the ledger first, then calls the worker with the entries found. */
function drafting(state: ConductState, role: keyof typeof DOMAINS_OF, more: Record<string, SlotRef>): Step {
  if (state.knowledge) return work(state, role, { ...ticketSlots(state), ...more });
  const input = { domains: DOMAINS_OF[role] ?? [], search: state.title, ticket: state.run, limit: 20 };
  return { kind: 'query', during: state.phase, what: { what: 'knowledge', input } };
}

function judgeSlots(state: ConductState): Record<string, SlotRef> {
  const { ticket } = ticketSlots(state);
  const { brief: draft } = state;
  return {
    ...(ticket ? { ticket } : {}),
    brief: draft ? { json: draft.doc } : { text: '' },
    content: draft ? { brief: draft.doc, ref: draft.decision_ref } : { text: '' },
    knowledge: { json: draft?.depends_on ?? [] },
  };
}
