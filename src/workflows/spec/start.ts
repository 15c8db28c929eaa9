import type { Move } from '../../contract/move.ts';
import { type ModelConfig, type SetupStage, SpecInput, type SpecState } from '../../contract/spec.ts';
import { detectLanguage } from '../../engine/language.ts';
import { refuseInput } from '../../engine/refuse-input.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { toSlug } from '../../engine/slug.ts';
import type { StartFacts } from '../../engine/workflow.ts';
import { measure } from '../kit/measured.ts';
import { parseModels } from './models.ts';
import { locationsOf, subjectOf } from './moves.ts';
import { NO_PASS } from './pass.ts';
import { routingHint } from './routing.ts';
import { openStage } from './setup.ts';

/** First move of a run, in `setup` and without a subject, or a rejection before the run exists. */
export function start(raw: unknown, facts: StartFacts): Move<SpecState> | Rejection {
  const parsed = SpecInput.safeParse(raw);
  if (!parsed.success) return refuseInput(parsed.error, raw);
  const input = parsed.data;
  return refuseModels(input) ?? { state: initial(input, facts), records: [] };
}

/** Rejects unusable models before the run exists (SP-12, SP-13). */
function refuseModels({ mode, model_config: value }: SpecInput): Rejection | null {
  if (value === null) return null;
  const field = 'model_config';
  if (mode === 'quick') return reject('bad_input', { field, value }, { msg: 'spec.model_config_quick' });
  const models = parseModels(value);
  if (!('bad' in models)) return null;
  return reject('bad_input', { field, value, bad: models.bad }, { msg: 'spec.model_config_bad' });
}

function initial(input: SpecInput, facts: StartFacts): SpecState {
  const { policy, now } = facts;
  const slug = toSlug(input.task, facts.short_id);
  return {
    version: 2,
    skill: 'spec',
    task: input.task,
    slug,
    mode: input.mode,
    model_config: null,
    user_lang: input.lang ?? detectLanguage(input.task),
    has_git: facts.git !== null,
    phase: 'setup',
    qa_round: null,
    branch: null,
    docs_path: locationsOf(policy.namespace, slug).docs_path,
    // The runtime checks a reference before the start. The convention step checks it again (SP-18).
    cli_flags: {
      reference: facts.reference?.path ?? input.reference,
      reference_hash: facts.reference?.hash ?? null,
    },
    conventions: null,
    created_at: now,
    updated_at: now,
    namespace: policy.namespace,
    in_place: policy.in_place,
    unattended: policy.unattended,
    lang_explicit: input.lang !== null,
    base: null,
    overwrite: false,
    setup: firstStage(input, facts, subjectOf(slug)),
    convention_stage: null,
    round: null,
    asked: 0,
    unconfirmed: [],
    rounds_closed: 0,
    reopened: false,
    ...NO_PASS,
    passes: 0,
    requests: 0,
    requests_shown: [],
    approved: null,
    halted: null,
    ended: null,
  };
}

function firstStage(input: SpecInput, facts: StartFacts, subject: string): SetupStage {
  const other = facts.live.find((live) => live.subject === subject && live.status !== 'ended');
  const asks = { routing: routingHint(input.task), models: modelsOf(input) };
  return {
    ...asks,
    stage: other ? 'session' : openStage(asks, input.mode),
    other: other ? { run: other.run, phase: other.phase, title: other.title } : null,
    taken: [],
    stamped: false,
    bad_models: 0,
    bad_model: null,
    measured: measure(facts.measured),
  };
}

function modelsOf({ model_config }: SpecInput): ModelConfig | null {
  const models = model_config === null ? null : parseModels(model_config);
  return models && !('bad' in models) ? models : null;
}
