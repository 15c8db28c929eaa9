import { type DeliverState, type Mode, PERSONAS, type Persona } from '../../contract/deliver.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import { Critique, DeliverSpec, Proposal, QaProposal } from '../../contract/deliver-work.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import { cutText } from '../../engine/cut-text.ts';
import { type Call, type Ended, gate, work } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import { specGate } from './briefs.ts';
import { artefact, call, type Slots, scopeSlot, text } from './calls.ts';
import { deliverGates } from './gates.ts';
import { isOpen, workGroup } from './group.ts';
import { say } from './messages.ts';
import { go, haltFailed, languageAfter, type Next, notice, signed } from './moves.ts';
import { findConventions } from './prepare.ts';
import { approvedByTicket } from './ticket.ts';
import { workerLine, workersFailed } from './worker-lines.ts';

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
export function plan(state: DeliverState): Next {
  if (!state.conventions) return findConventions(state);
  const planners = plannersOf(state);
  if (planners.length === 0) {
    const author = call(state, 'planner_single', DeliverSpec, plannerSlots(state));
    return work([author], ([spec], at) => settleSpec(state, spec, at));
  }
  const { proposals, critiques } = state.plan;
  if (isOpen(planners, proposals)) {
    return workGroup(state, {
      name: 'proposals',
      members: planners,
      results: proposals,
      store: (results) => ({ plan: { proposals: results } }),
      ask: (persona) =>
        call(state, persona, persona === 'qa_specialist' ? QaProposal : Proposal, plannerSlots(state)),
      named: (persona) => `proposal_${persona}`,
    });
  }
  if (state.mode === 'multi' && isOpen(planners, critiques)) {
    return workGroup(state, {
      name: 'critiques',
      members: planners,
      results: critiques,
      store: (results) => ({ plan: { critiques: results } }),
      ask: (persona) => critique(state, persona),
      named: (persona) => `critique_${persona}`,
    });
  }
  return work([synthesis(state)], ([spec], at) => settleSpec(state, spec, at));
}

/** True if exactly the present specification was approved, and no change to it is in progress. */
export function isReadyToBuild({ plan: { approval, spec, revising } }: DeliverState): boolean {
  return approval !== null && approval.hash === spec?.hash && !revising;
}

/**
 * A person decides about the specification (WF-43). Only Proceed approves. It stores who answered, when, and which text.
 * One worker applies a requested change, and the person is asked again.
 */
export function approveSpec(state: DeliverState): Next {
  if (state.plan.revising) return work([synthesis(state)], ([spec], at) => settleSpec(state, spec, at));
  const {
    plan: { spec },
  } = state;
  if (!spec) throw new InvariantError('a spec gate without a specification');
  return gate(deliverGates.spec, specGate(state, spec), {
    proceed: ({ at, by, digest }) => {
      const approval = { hash: spec.hash, ...signed(by), at, digest };
      const { revision } = spec;
      const phase = state.phase === 'plan_done' ? 'generate_ready' : state.phase;
      return go(state, at, { plan: { approval }, phase }, [
        { kind: 'decision', name: 'spec_approved', data: { ...approval, revision } },
        notice(say('deliver.notice.approved', { by: approval.by, revision })),
      ]);
    },
    modify: ({ at, text }) => {
      const shown = [...state.plan.requests_shown, cutText(text, SHOWN.characters)].slice(-SHOWN.requests);
      const user_lang = languageAfter(state, text);
      return go(state, at, { plan: { revising: true, approval: null, requests_shown: shown }, user_lang }, [
        { kind: 'entry', name: 'request', data: { text } },
        notice(say('deliver.notice.modify')),
      ]);
    },
  });
}

/** Every first proposal gets the same eight inputs, each always present (WF-37), plus an approved spec (WF-42). */
function plannerSlots(state: DeliverState): Slots {
  const {
    conventions,
    plan: { handover },
  } = state;
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
function critique(state: DeliverState, persona: Persona): Call<unknown> {
  const [first, second] = plannersOf(state).filter((other) => other !== persona);
  return call(state, 'cross_critique', Critique, {
    persona: text(persona),
    task: text(state.task),
    proposal_one: artefact(first && state.plan.proposals[first]),
    proposal_two: artefact(second && state.plan.proposals[second]),
    user_lang: text(state.user_lang),
  });
}

/**
 * Makes one specification from all proposals and critiques. At the spec gate, it makes a new revision as the person
 * requested.
 */
function synthesis(state: DeliverState): Call<DeliverSpec> {
  const {
    plan: { proposals, critiques },
  } = state;
  return call(state, 'synthesis', DeliverSpec, {
    task: text(state.task),
    scope: scopeSlot(state),
    user_lang: text(state.user_lang),
    approved_spec: artefact(state.from_spec?.spec),
    ...Object.fromEntries(PERSONAS.map((persona) => [`proposal_${persona}`, artefact(proposals[persona])])),
    ...Object.fromEntries(PERSONAS.map((persona) => [`critique_${persona}`, artefact(critiques[persona])])),
    present_spec: artefact(state.plan.revising ? state.plan.spec?.hash : null),
    ...(state.plan.revising ? { requests: { records: 'request' } as const } : {}),
  });
}

/** Stores a valid specification as a new revision. The approval of an earlier revision is void (WF-43). */
function settleSpec(state: DeliverState, ended: Ended<DeliverSpec>, at: Instant): Move<DeliverState> {
  const line = workerLine(ended);
  if (ended.kind !== 'ok') {
    if (!state.plan.revising) return haltFailed(state, at, workersFailed([ended]), [line]);
    return go(state, at, { plan: { revising: false } }, [
      line,
      notice(say('deliver.notice.revision_failed'), 'warning'),
    ]);
  }
  const doc = ended.result;
  const criteria = doc.completion_criteria.map(({ id }) => id);
  const revision = (state.plan.spec?.revision ?? 0) + 1;
  const spec = { hash: ended.artefact, revision, criteria, edge_cases: doc.edge_cases.length };
  const text = say('deliver.notice.spec', { revision, criteria: criteria.length, edges: spec.edge_cases });
  const phase = state.phase === 'planning' ? 'plan_done' : state.phase;
  const { approval, records } = approvedByTicket(state, spec);
  return go(state, at, { phase, plan: { spec, approval, revising: false }, documents: 'outdated' }, [
    line,
    { kind: 'artefact', name: state.plan.spec_file === 'spec.md' ? 'spec' : 'deliver_spec', hash: spec.hash },
    notice(text),
    ...records,
  ]);
}
