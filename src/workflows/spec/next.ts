import type { Msg } from '../../contract/brief.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { SpecPhase, SpecState } from '../../contract/spec.ts';
import type { Step, WorkerCall } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { type ConventionScope, conventionStep } from '../kit/conventions.ts';
import type { AnalystTable } from './analysts.ts';
import {
  approvalGate,
  collisionGate,
  nextStepGate,
  questionsGate,
  routingGate,
  sessionGate,
} from './briefs.ts';
import { interviewerCall, tierOf, writerCall } from './calls.ts';
import {
  analystsGate,
  criticGate,
  haltReason,
  modeGate,
  modelConfirmGate,
  modelGate,
} from './deep-briefs.ts';
import { analystCalls, criticCall, synthesisCall } from './deep-calls.ts';
import { documentSources, specDocuments } from './documents.ts';
import { say } from './messages.ts';
import { locationsOf } from './moves.ts';

/** Returns the next step of the run. Total and pure: called again while the step runs, it returns the same step. */
export function next(state: SpecState, analysts: AnalystTable): Step {
  if (state.ended) return end(state.ended);
  if (state.halted) return wait(state.halted.why);
  if (state.convention_stage) return conventionStep(state.convention_stage, conventionScope(state));
  return STEPS[state.phase](state, analysts);
}

const STEPS: Readonly<Record<SpecPhase, (state: SpecState, analysts: AnalystTable) => Step>> = {
  setup: setupStep,
  convention_scan_active: integrity,
  qa_active: questionStep,
  qa_complete: (state) => (state.conventions ? pass('qa_complete') : integrity()),
  gen_ready: generationStep,
  critic_active: criticStep,
  re_synthesis_active: (state) => work('re_synthesis_active', [synthesisCall(state)]),
  re_critic_active: criticStep,
  critic_complete: () => pass('critic_complete'),
  critic_halted: (state) => wait(haltReason(state), ['reopen', 'restart', 'abandon']),
  spec_ready: (state) => (state.approved ? writeDocuments(state) : gate(approvalGate(state))),
  completed: (state) => gate(nextStepGate(state)),
};

/** Input of the shared convention step from this run. */
export function conventionScope(state: SpecState): ConventionScope {
  const { phase, task, user_lang, has_git, cli_flags } = state;
  return { phase, task, lang: user_lang, has_git, ...cli_flags, tier: tierOf(state) };
}

function setupStep(state: SpecState, analysts: AnalystTable): Step {
  const { setup } = state;
  if (!setup) throw new InvariantError('phase setup without its working part');
  switch (setup.stage) {
    case 'session':
      return gate(sessionGate(state, setup));
    case 'replacing': {
      const run = setup.other?.run ?? '';
      return { kind: 'wait', until: { kind: 'run_ended', run, why: say('spec.session.waiting', { run }) } };
    }
    case 'routing':
      return gate(routingGate(setup));
    case 'mode':
      return gate(modeGate(Object.keys(analysts).length, setup));
    case 'model':
      return gate(modelGate(setup));
    case 'model_confirm':
      return gate(modelConfirmGate(setup));
    case 'looking':
      return { kind: 'query', during: 'setup', what: { what: 'setup', input: setupQuery(state) } };
    case 'collision':
      return gate(collisionGate(state, setup));
  }
}

/** Names a branch only if documents are committed and not written into the checkout. */
function setupQuery({ slug, docs_path, namespace, has_git, in_place }: SpecState) {
  return { slug, docs_path, branch: has_git && !in_place ? locationsOf(namespace, slug).branch : null };
}

/** A reopened run may have no round left. Three rounds are the limit, even with open questions (SP-26). */
function questionStep(state: SpecState): Step {
  if (state.round) return gate(questionsGate(state));
  return state.rounds_closed < 3 ? work('qa_active', [interviewerCall(state)]) : pass('qa_active');
}

/** Analyses stored in this pass are not requested again (SP-35). If all failed, a person decides (SP-40). */
function generationStep(state: SpecState, analysts: AnalystTable): Step {
  if (!state.conventions) return integrity();
  if (state.mode !== 'deep') return work('gen_ready', [writerCall(state)]);
  const { analyses, notes_only } = state;
  if (analyses === null) return work('gen_ready', analystCalls(state, analysts));
  const failed = analyses.every(({ status }) => status !== 'ok');
  return failed && !notes_only ? gate(analystsGate(analyses)) : work('gen_ready', [synthesisCall(state)]);
}

function criticStep(state: SpecState): Step {
  return state.critic_gate ? gate(criticGate(state)) : work(state.phase, [criticCall(state)]);
}

function gate(spec: GateSpec): Step {
  return { kind: 'gate', gate: spec };
}

function work(during: SpecPhase, calls: WorkerCall[]): Step {
  return { kind: 'work', during, calls };
}

/** A step without a call, so that entering and leaving the phase are two commits. */
function pass(during: SpecPhase): Step {
  return { kind: 'work', during, calls: [] };
}

/** One outside write for all documents: written files, and with git their commit on the run's branch. */
function writeDocuments(state: SpecState): Step {
  const { docs_path, branch, base, in_place, overwrite, slug } = state;
  const documents = documentSources(state).map(([document, source]) => ({
    file: specDocuments[document].file,
    document,
    source,
  }));
  const message = say('spec.commit', { slug });
  const input = { docs_path, branch, base, in_place, overwrite, message, documents };
  return { kind: 'workspace', during: 'spec_ready', op: { op: 'write_documents', input } };
}

function end({ result, why, successor }: NonNullable<SpecState['ended']>): Step {
  return {
    kind: 'end',
    outcome: { result, ...(why ? { why } : {}), ...(successor ? { successor } : {}) },
  };
}

function integrity(): Step {
  return wait(say('spec.halt.integrity'));
}

function wait(why: Msg, commands: readonly string[] = ['resume', 'abandon']): Step {
  return { kind: 'wait', until: { kind: 'command', commands, why } };
}
