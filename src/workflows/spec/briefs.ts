import type { Text } from '../../contract/brief.ts';
import type { GateSpec } from '../../contract/gate.ts';
import { type Draft, REQUESTS_SHOWN, type SetupStage, type SpecState } from '../../contract/spec.ts';
import { cutText } from '../../engine/cut-text.ts';
import { brief } from '../../engine/whole-brief.ts';
import { findingLines, notAddressed } from './deep-briefs.ts';
import { documentSources, specDocuments } from './documents.ts';
import { say } from './messages.ts';
import { subjectOf } from './moves.ts';

/** The command that builds an approved specification by hand, at any later time (WF-94). */
const FROM_SPEC = 'baton deliver --from-spec <run>';

/** A live run works on the same subject (SP-62). The gate says what Resume will really do. */
export function sessionGate(state: SpecState, other: NonNullable<SetupStage['other']>): GateSpec {
  const phase = other.phase ?? 'other';
  const context: Text[] = [say('spec.session.phase', { phase })];
  if (other.title !== null) context.unshift(say('spec.session.other', { title: other.title }));
  return {
    name: 'session',
    brief: brief({
      decide: say('spec.session.decide', { run: other.run, subject: subjectOf(state.slug) }),
      recommend: { text: say('spec.session.resume'), cede: true },
      context,
    }),
    describe: { resume: say('spec.session.resume.phase', { phase }) },
  };
}

/**
 * The task looks like work for another workflow, or for no workflow of Baton (SP-08, SP-66). The gate is only an offer.
 */
export function routingGate(setup: SetupStage): GateSpec {
  const kind = setup.routing ?? 'other';
  const better = kind === 'improve' || kind === 'implement';
  return {
    name: 'routing',
    offers: better ? ['continue', 'deliver', 'stop'] : ['continue', 'stop'],
    brief: brief({
      decide: say('spec.routing.decide', { kind }),
      recommend: { text: say(better ? 'spec.routing.deliver' : 'spec.routing.continue'), cede: true },
      why: [say('spec.routing.why', { kind })],
      context: [
        say('spec.routing.seen'),
        ...(kind === 'implement' ? [say('spec.routing.from_spec', { command: FROM_SPEC })] : []),
      ],
    }),
  };
}

/** docs_path already holds documents (SP-09). Nothing has been created yet. */
export function collisionGate(state: SpecState, setup: SetupStage): GateSpec {
  return {
    name: 'slug_collision',
    brief: brief({
      decide: say('spec.collision.decide', { path: state.docs_path }),
      recommend: { text: say('spec.collision.timestamp'), confidence: 'high' },
      why: [say('spec.collision.why')],
      context: [say('spec.collision.found', { files: setup.taken.join(', ') })],
    }),
  };
}

/** One round of questions is one form. Every field may stay empty. */
export function questionsGate(state: SpecState): GateSpec {
  const questions = state.round?.questions ?? [];
  const round = state.qa_round ?? 1;
  return {
    name: 'questions',
    offers: ['answer', round === 1 ? 'skip' : 'no_more'],
    brief: brief({
      decide: say('spec.questions.decide', { n: questions.length, round, of: 3 }),
      why: [say('spec.questions.open')],
      context: [say('spec.questions.task', { task: cutText(state.task, 300) })],
    }),
    fields: questions.map(({ id, text, why }) => ({ id, text, why, required: false })),
  };
}

/** Always asked. The gate shows everything that may speak against an approval (SP-51). */
export function approvalGate(state: SpecState, spec: Draft): GateSpec {
  const { unconfirmed, critic } = state;
  const text = say('spec.approval.approve');
  const banners = approvalBanners(state, spec);
  const { critical, major } = critic?.counts ?? { critical: 0, major: 0 };
  const sound = unconfirmed.length + banners.length + critical + major === 0;
  const findings = critic?.last_findings_path;
  return {
    name: 'approval',
    brief: brief({
      decide: say('spec.approval.decide', { criteria: spec.criteria, unconfirmed: unconfirmed.length }),
      recommend: sound ? { text, confidence: 'medium' } : { text, cede: true },
      why: [say('spec.approval.complete'), ...reviewLines(state)],
      context: [
        ...listedFindings(state),
        ...requestLines(state),
        say('spec.approval.output', { path: `${state.docs_path}spec.md` }),
      ],
      items: unconfirmed.map((id) => ({
        kind: 'content-input',
        text: say('spec.approval.unconfirmed', { id }),
      })),
      banners,
    }),
    artefacts: { spec: spec.hash, ...(findings ? { critic_findings: findings } : {}) },
  };
}

/**
 * Asked after the documents are written: build now or later. No work waits for the answer, so the gate has no time
 * limit (SP-56).
 */
export function nextStepGate(state: SpecState): GateSpec {
  const { docs_path, branch } = state;
  const sources = documentSources(state);
  const files = sources.map(([name]) => specDocuments[name].file).join(', ');
  const artefacts = sources.flatMap(([name, ref]) =>
    'artefact' in ref ? [[name, ref.artefact] as const] : [],
  );
  return {
    name: 'next_step',
    brief: brief({
      decide: say('spec.next.decide', { path: `${docs_path}spec.md` }),
      recommend: { text: say('spec.next.start_deliver'), confidence: 'medium' },
      why: [say('spec.next.why')],
      context: [
        say('spec.next.documents', { path: docs_path, files }),
        ...(branch ? [say('spec.next.branch', { branch, merge: `git merge ${branch}` })] : []),
        say('spec.next.open'),
      ],
    }),
    artefacts: Object.fromEntries(artefacts),
  };
}

function approvalBanners(state: SpecState, { code_in }: Draft): Text[] {
  const { critic } = state;
  const reason = critic?.failure_reason;
  return [
    ...(critic && reason ? [say('spec.approval.reason', { reason, round: critic.round })] : []),
    ...notAddressed(state),
    ...(code_in.length > 0 ? [say('spec.approval.code', { parts: code_in.join(', ') })] : []),
  ];
}

/** Whether and how a critic has read the draft. */
function reviewLines({ mode, critic }: SpecState): Text[] {
  if (mode !== 'deep') return [say('spec.approval.no_critic')];
  if (critic?.counts) return [say('spec.approval.critic', { ...critic.counts, round: critic.round })];
  return critic?.failure_reason ? [] : [say('spec.approval.critic_empty')];
}

/** Reports missing findings, which are not an error. */
function listedFindings(state: SpecState): Text[] {
  if (state.mode !== 'deep') return [];
  if (!state.critic?.last_findings_path) return [say('spec.approval.no_findings')];
  const lines = findingLines(state);
  return lines.length > 0 ? [say('spec.approval.findings'), ...lines] : [];
}

/** All requests so far. The request made at the critic's gate of this pass comes last (SP-65). */
function requestLines({ requests, requests_shown, critic }: SpecState): Text[] {
  const now = critic?.modify_text ?? null;
  const shown = now === null ? requests_shown : [...requests_shown, cutText(now, REQUESTS_SHOWN.characters)];
  const n = requests + shown.length - requests_shown.length;
  if (n === 0) return [];
  const hidden = n - shown.length;
  return [
    say('spec.approval.requests', { n }),
    ...(hidden > 0 ? [say('spec.approval.requests_cut', { n: hidden })] : []),
    ...shown.map((text, n) => say('spec.approval.request', { n: hidden + n + 1, text })),
  ];
}
