import { type DeliverState, type Mode, PERSONAS, type Persona } from '../../contract/deliver.ts';
import { DeliverSpec } from '../../contract/deliver-work.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import type { CallOutcome, Outcome } from '../../contract/outcome.ts';
import type { Step, WorkerCall } from '../../contract/step.ts';
import { artefact, call, type Slots, scopeSlot, text, work } from './calls.ts';
import { say } from './messages.ts';
import { go, haltFailed, notice } from './moves.ts';
import { settleGroup } from './settle-group.ts';
import { approvedByTicket } from './ticket.ts';
import { callsOf, workerLine, workersFailed } from './worker-lines.ts';

/** Planners of each mode (WF-39). */
const PLANNERS: Readonly<Record<Mode, readonly Persona[]>> = {
  single: [],
  standard: ['architect', 'senior_dev'],
  multi: PERSONAS,
};

function plannersOf({ mode }: DeliverState): readonly Persona[] {
  return PLANNERS[mode ?? 'single'];
}

/**
 * Requests proposals, then in multi mode critiques, then the synthesis. Only results that are not stored yet are
 * requested.
 */
export function planStep(state: DeliverState): Step {
  const planners = plannersOf(state);
  if (planners.length === 0) return work(state, [call(state, 'planner_single', plannerSlots(state))]);
  const unproposed = planners.filter((persona) => !state.proposals[persona]);
  if (unproposed.length > 0) {
    return work(
      state,
      unproposed.map((persona) => call(state, persona, plannerSlots(state))),
    );
  }
  const silent = state.mode === 'multi' ? planners.filter((persona) => !state.critiques[persona]) : [];
  if (silent.length > 0)
    return work(
      state,
      silent.map((persona) => critique(state, persona)),
    );
  return work(state, [synthesis(state)]);
}

/** Every first proposal gets the same eight inputs, each always present (WF-37), plus an approved spec (WF-42). */
function plannerSlots(state: DeliverState): Slots {
  const { conventions, handover } = state;
  return {
    task: text(state.task),
    repo_path: text(state.repo_path),
    lang: text(state.lang),
    scope: scopeSlot(state),
    user_lang: text(state.user_lang),
    qa_discovery_notes: artefact(handover?.qa_notes),
    critic_findings: artefact(handover?.critic_findings),
    conventions: conventions && conventions !== 'skipped' ? conventions : text(''),
    approved_spec: artefact(state.from_spec?.spec),
  };
}

/** A critic of the plan sees the other two proposals, not its own (WF-39). */
function critique(state: DeliverState, persona: Persona): WorkerCall {
  const [first, second] = plannersOf(state).filter((other) => other !== persona);
  return call(state, 'cross_critique', {
    persona: text(persona),
    task: text(state.task),
    proposal_one: artefact(first && state.proposals[first]),
    proposal_two: artefact(second && state.proposals[second]),
    user_lang: text(state.user_lang),
  });
}

/**
 * Makes one specification from all proposals and critiques. At the spec gate, it makes a new revision as the person
 * requested.
 */
export function synthesis(state: DeliverState): WorkerCall {
  const { proposals, critiques } = state;
  return call(state, 'synthesis', {
    task: text(state.task),
    scope: scopeSlot(state),
    user_lang: text(state.user_lang),
    approved_spec: artefact(state.from_spec?.spec),
    ...Object.fromEntries(PERSONAS.map((persona) => [`proposal_${persona}`, artefact(proposals[persona])])),
    ...Object.fromEntries(PERSONAS.map((persona) => [`critique_${persona}`, artefact(critiques[persona])])),
    present_spec: artefact(state.revising ? state.spec?.hash : null),
    ...(state.revising ? { requests: { records: 'request' } as const } : {}),
  });
}

export function onProposals(state: DeliverState, step: Step, outcome: Outcome): Move<DeliverState> {
  return settleGroup(state, outcome, {
    name: 'proposals',
    members: callsOf(step).map(({ role }) => role as Persona),
    named: (persona) => `proposal_${persona}`,
    of: plannersOf(state).length,
  });
}

export function onCritiques(state: DeliverState, step: Step, outcome: Outcome): Move<DeliverState> {
  return settleGroup(state, outcome, {
    name: 'critiques',
    members: callsOf(step).map(({ slots }) => personaIn(slots)),
    named: (persona) => `critique_${persona}`,
    of: plannersOf(state).length,
  });
}

function personaIn(slots: WorkerCall['slots']): Persona {
  const ref = slots.persona;
  return (ref && 'text' in ref ? ref.text : '') as Persona;
}

/** Stores a valid specification as a new revision. The approval of an earlier revision is void (WF-43). */
export function onSpec(
  state: DeliverState,
  role: string,
  ended: CallOutcome,
  at: Instant,
): Move<DeliverState> {
  const line = workerLine(role, ended);
  if (ended.kind !== 'ok') {
    if (!state.revising) return haltFailed(state, at, workersFailed([ended], [role]), [line]);
    return go(state, at, { revising: false }, [
      line,
      notice(say('deliver.notice.revision_failed'), 'warning'),
    ]);
  }
  const doc = DeliverSpec.parse(ended.result);
  const criteria = doc.completion_criteria.map(({ id }) => id);
  const revision = (state.spec?.revision ?? 0) + 1;
  const spec = { hash: ended.artefact, revision, criteria, edge_cases: doc.edge_cases.length };
  const text = say('deliver.notice.spec', { revision, criteria: criteria.length, edges: spec.edge_cases });
  const phase = state.phase === 'planning' ? 'plan_done' : state.phase;
  const { approval, records } = approvedByTicket(state, spec);
  return go(state, at, { phase, spec, approval, revising: false, docs_due: true }, [
    line,
    { kind: 'artefact', name: state.spec_file === 'spec.md' ? 'spec' : 'deliver_spec', hash: spec.hash },
    notice(text),
    ...records,
  ]);
}
