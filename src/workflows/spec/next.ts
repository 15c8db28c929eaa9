import type { Msg } from '../../contract/brief.ts';
import type { SpecPhase, SpecState } from '../../contract/spec.ts';
import type { SlotRef, Step, WorkerCall } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { type ConventionScope, conventionStep } from '../common/conventions.ts';
import { approvalGate, collisionGate, questionsGate, routingGate, sessionGate } from './briefs.ts';
import { specDocuments } from './documents.ts';
import { say } from './messages.ts';
import { placesOf } from './moves.ts';
import { maxQuestions } from './questions.ts';

/** What this run does now. Total and pure: asked again while the step runs, it answers the same. */
export function next(state: SpecState): Step {
  if (state.ended) return end(state.ended);
  if (state.halted) return wait(state.halted.why);
  if (state.convention_stage) return conventionStep(state.convention_stage, conventionScope(state));
  return STEPS[state.phase](state);
}

const STEPS: Readonly<Record<SpecPhase, (state: SpecState) => Step>> = {
  setup: setupStep,
  convention_scan_active: integrity,
  qa_active: (state) =>
    state.round ? { kind: 'gate', gate: questionsGate(state) } : work('qa_active', interviewer(state)),
  // A step without a call: what closes the questions and what starts the writing are two commits.
  qa_complete: (state) =>
    state.conventions ? { kind: 'work', during: 'qa_complete', calls: [] } : integrity(),
  gen_ready: (state) => (state.conventions ? work('gen_ready', writer(state)) : integrity()),
  critic_active: deepNotYet,
  re_synthesis_active: deepNotYet,
  re_critic_active: deepNotYet,
  critic_complete: deepNotYet,
  critic_halted: deepNotYet,
  spec_ready: (state) =>
    state.approved ? writeDocuments(state) : { kind: 'gate', gate: approvalGate(state) },
  completed: () => ({ kind: 'end', outcome: { result: 'approved' } }),
};

/** What the shared convention step needs to know of this run. */
export function conventionScope(state: SpecState): ConventionScope {
  const { phase, task, user_lang, has_git, cli_flags } = state;
  return { phase, task, lang: user_lang, has_git, ...cli_flags, tier: tierOf(state) };
}

function setupStep(state: SpecState): Step {
  const { setup } = state;
  if (!setup) throw new InvariantError('phase setup without its working part');
  switch (setup.stage) {
    case 'session':
      return { kind: 'gate', gate: sessionGate(state, setup) };
    case 'replacing': {
      const run = setup.other?.run ?? '';
      return { kind: 'wait', until: { kind: 'run_ended', run, why: say('spec.session.waiting', { run }) } };
    }
    case 'routing':
      return { kind: 'gate', gate: routingGate(setup) };
    case 'looking':
      return { kind: 'look', during: 'setup', what: { what: 'setup', input: setupLook(state) } };
    case 'collision':
      return { kind: 'gate', gate: collisionGate(state, setup) };
  }
}

/** A branch only where documents are committed and not written into the checkout. */
function setupLook({ slug, docs_path, namespace, has_git, in_place }: SpecState) {
  return { slug, docs_path, branch: has_git && !in_place ? placesOf(namespace, slug).branch : null };
}

function interviewer(state: SpecState): WorkerCall {
  const round = state.qa_round ?? 1;
  const said = { text: `round ${round} of 3, at most ${maxQuestions(round)} questions` };
  return call(state, 'interviewer', { ...common(state), round: said });
}

function writer(state: SpecState): WorkerCall {
  return call(state, 'writer', common(state));
}

function common(state: SpecState): Record<string, SlotRef> {
  const { conventions } = state;
  return {
    task: { text: state.task },
    notes: { records: 'note' },
    conventions: conventions && conventions !== 'skipped' ? conventions : { text: '' },
    lang: { text: state.user_lang },
    requests: { records: 'request' },
  };
}

function call(state: SpecState, role: string, slots: Record<string, SlotRef>): WorkerCall {
  return { role, slots, tier: tierOf(state) };
}

function tierOf(state: SpecState): WorkerCall['tier'] {
  return state.model_config?.advisor ?? 'inherit';
}

function work(during: SpecPhase, one: WorkerCall): Step {
  return { kind: 'work', during, calls: [one] };
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

function documentSources({ spec, conventions }: SpecState): [keyof typeof specDocuments, SlotRef][] {
  if (!spec) throw new InvariantError('an approved run without a specification');
  const found: [keyof typeof specDocuments, SlotRef][] = [
    ['spec', { artefact: spec.hash }],
    ['qa_notes', { records: 'note' }],
  ];
  return conventions && conventions !== 'skipped' ? [...found, ['conventions', conventions]] : found;
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

function deepNotYet(): Step {
  return wait(say('spec.halt.deep_not_yet'));
}

function wait(why: Msg): Step {
  return { kind: 'wait', until: { kind: 'command', commands: ['resume', 'abandon'], why } };
}
