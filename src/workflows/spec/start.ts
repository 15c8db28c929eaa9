import type { Move, MoveRecord } from '../../contract/move.ts';
import { SpecInput, type SpecState } from '../../contract/spec.ts';
import { detectLanguage } from '../../engine/language.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { toSlug } from '../../engine/slug.ts';
import type { StartFacts } from '../../engine/workflow.ts';
import { say } from './messages.ts';
import { notice, placesOf, subjectOf } from './moves.ts';
import { routingHint } from './routing.ts';

/** First move of a run, in `setup` and owning nothing; or a refusal before anything exists. */
export function start(raw: unknown, facts: StartFacts): Move<SpecState> | Rejection {
  const parsed = SpecInput.safeParse(raw);
  if (!parsed.success) return badInput(parsed.error.issues[0]);
  const input = parsed.data;
  const refusal = refuse(input);
  if (refusal) return refusal;
  return { state: initial(input, facts), records: firstRecords(input) };
}

function badInput(issue: { path: readonly PropertyKey[]; message: string } | undefined): Rejection {
  const field = issue?.path.map(String).join('.') || 'input';
  return reject('bad_input', { field, problem: issue?.message ?? 'not usable' });
}

function refuse(input: SpecInput): Rejection | null {
  if (input.mode === 'deep') {
    return reject('bad_input', { field: 'mode', value: input.mode }, { msg: 'spec.deep_not_yet' });
  }
  if (input.model_config !== null) {
    const args = { field: 'model_config', value: input.model_config };
    return reject('bad_input', args, { msg: 'spec.model_config_quick' });
  }
  return null;
}

function firstRecords(input: SpecInput): MoveRecord[] {
  if (input.mode !== null) return [];
  return [
    { kind: 'decision', name: 'mode', data: { mode: 'quick' }, by_rule: 'SP-12' },
    notice(say('spec.notice.mode_quick')),
  ];
}

function initial(input: SpecInput, facts: StartFacts): SpecState {
  const { policy, now } = facts;
  const slug = toSlug(input.task, facts.short_id);
  const other = facts.live.find((live) => live.subject === subjectOf(slug) && live.status !== 'ended');
  const routing = routingHint(input.task);
  return {
    version: 1,
    skill: 'spec',
    task: input.task,
    slug,
    mode: 'quick',
    model_config: null,
    user_lang: input.lang ?? detectLanguage(input.task),
    has_git: facts.git !== null,
    phase: 'setup',
    qa_round: null,
    branch: null,
    docs_path: placesOf(policy.namespace, slug).docs_path,
    // The runtime has checked a reference before we are asked; the convention step checks it again (SP-18).
    cli_flags: {
      reference: facts.reference?.path ?? input.reference,
      reference_hash: facts.reference?.hash ?? null,
    },
    conventions: null,
    critic: null,
    created_at: now,
    updated_at: now,
    namespace: policy.namespace,
    in_place: policy.in_place,
    unattended: policy.unattended,
    lang_explicit: input.lang !== null,
    base: null,
    overwrite: false,
    setup: {
      stage: other ? 'session' : routing ? 'routing' : 'looking',
      other: other ? { run: other.run, phase: other.phase, title: other.title } : null,
      routing,
      taken: [],
      stamped: false,
    },
    convention_stage: null,
    round: null,
    asked: 0,
    unconfirmed: [],
    spec: null,
    requests: 0,
    requests_shown: [],
    approved: null,
    halted: null,
    ended: null,
  };
}
