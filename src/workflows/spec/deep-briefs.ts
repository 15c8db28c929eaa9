import type { Msg, Text } from '../../contract/brief.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { AnalystReport, Critic, Draft, SetupStage, SpecState } from '../../contract/spec.ts';
import { InvariantError } from '../../engine/errors.ts';
import { brief } from '../../engine/whole-brief.ts';
import { measuredLines } from '../kit/measured.ts';
import { say } from './messages.ts';

/** Calls one revision can add: the synthesis, its one retry for missing citations, the critic. */
const REVISION_CALLS = 3;

/**
 * quick or deep (SP-12). Without measurements, the gate shows worker calls, because a template does not know prices.
 */
export function modeGate(analysts: number, { measured }: SetupStage): GateSpec {
  const took = measuredLines(measured, 'mode');
  const args = { analysts, calls: analysts + 2, more: REVISION_CALLS };
  return {
    name: 'mode',
    brief: brief({
      decide: say('spec.mode.decide'),
      recommend: { text: say('spec.mode.quick'), confidence: 'medium' },
      why: [say('spec.mode.why'), say('spec.mode.deep_for')],
      context: took.length > 0 ? took : [say('spec.mode.figures')],
    }),
    describe: { deep: say('spec.mode.deep.calls', args) },
  };
}

/** The models of a deep run (SP-13). For an unreadable form, the gate names the wrong part and asks again. */
export function modelGate({ bad_model, bad_models, measured }: SetupStage): GateSpec {
  const again = bad_model !== null;
  return {
    name: 'model',
    brief: brief({
      decide: again
        ? say('spec.model.decide_again', { bad: bad_model, n: bad_models + 1 })
        : say('spec.model.decide'),
      recommend: { text: say('spec.model.balanced'), confidence: 'medium' },
      why: [say('spec.model.why')],
      context: [
        ...(bad_models === 2 ? [say('spec.model.last')] : []),
        ...measuredLines(measured, { presets_of: 'deep' }),
      ],
    }),
  };
}

/** Shows what was read from a typed form before it is used. */
export function modelConfirmGate({ models }: SetupStage): GateSpec {
  if (!models) throw new InvariantError('a confirmation without models');
  const { executor, advisor } = models;
  return {
    name: 'model_confirm',
    brief: brief({
      decide: say('spec.model.confirm.decide', { executor, advisor }),
      recommend: { text: say('spec.model.confirm.use'), confidence: 'high' },
      why: [say('spec.model.why')],
    }),
  };
}

/** No analyst gave a usable analysis (SP-40). A person decides how to continue before a draft is made. */
export function analystsGate(analyses: readonly AnalystReport[]): GateSpec {
  return {
    name: 'analysts',
    brief: brief({
      decide: say('spec.analysts.decide', { n: analyses.length }),
      recommend: { text: say('spec.analysts.retry'), confidence: 'medium' },
      why: analyses.map(({ role, status }) => say('spec.analysts.failed', { role, status })),
    }),
  };
}

/** The critic's gate (SP-46, SP-47, SP-49). Counts and round alone decide which variant it is. */
export function criticGate(state: SpecState, spec: Draft, critic: Critic): GateSpec {
  const findings = critic.last_findings_path;
  return {
    name: 'critic',
    ...(state.critic_gate === 'unreadable' ? unreadable(state) : found(state, critic)),
    artefacts: { spec: spec.hash, ...(findings ? { critic_findings: findings } : {}) },
  };
}

function unreadable(state: SpecState): Pick<GateSpec, 'offers' | 'brief'> {
  return {
    offers: ['approve', 'stop'],
    brief: brief({
      decide: say('spec.critic.decide_unreadable'),
      recommend: { text: say('spec.critic.stop'), cede: true },
      why: [say('spec.critic.unreadable_kept')],
      banners: notAddressed(state),
    }),
  };
}

function found(state: SpecState, critic: Critic): Pick<GateSpec, 'offers' | 'brief'> {
  if (!critic.counts) throw new InvariantError('findings without counts');
  const second = critic.round === 1;
  const heavy = state.findings_shown.filter(({ id }) => !id.startsWith('m'));
  const light = state.findings_shown.filter(({ id }) => id.startsWith('m'));
  return {
    offers: second ? ['approve', 'stop'] : ['auto_revise', 'modify', 'approve'],
    brief: brief({
      decide: say(second ? 'spec.critic.decide_second' : 'spec.critic.decide', critic.counts),
      recommend: second
        ? { text: say('spec.critic.approve'), cede: true }
        : { text: say('spec.critic.auto_revise'), confidence: 'high' },
      why: [...(second ? [say('spec.critic.once')] : []), ...itemLines(heavy)],
      context: [...itemLines(light), ...hiddenLine(state)],
      banners: notAddressed(state),
    }),
  };
}

/** The findings a gate lists by title, and how many more there are. */
export function findingLines(state: SpecState): Text[] {
  return [...itemLines(state.findings_shown), ...hiddenLine(state)];
}

function itemLines(items: SpecState['findings_shown']): Text[] {
  return items.map(({ id, title }) => say('spec.critic.item', { id, title }));
}

function hiddenLine({ critic, findings_shown }: SpecState): Text[] {
  const { critical, major, minor } = critic?.counts ?? { critical: 0, major: 0, minor: 0 };
  const n = critical + major + minor - findings_shown.length;
  return n > 0 ? [say('spec.critic.more', { n })] : [];
}

/**
 * Findings that the revision does not cite appear above everything else, at the second gate and at approval (SP-42).
 */
export function notAddressed({ not_addressed }: SpecState): Msg[] {
  if (not_addressed.length === 0) return [];
  return [say('spec.critic.not_addressed', { ids: not_addressed.join(', ') })];
}

/** Why the critic flow is halted, in words. The reason is for display only (SP-03). */
export function haltReason({ critic }: SpecState): Msg {
  return say('spec.halt.critic', { reason: critic?.failure_reason ?? 'other' });
}
