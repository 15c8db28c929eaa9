import { ConductInput, type ConductState } from '../../contract/conduct.ts';
import { detectLanguage } from '../../engine/language.ts';
import { refuseInput } from '../../engine/refuse-input.ts';
import type { Rejection } from '../../engine/rejection.ts';
import { toSlug } from '../../engine/slug.ts';
import type { StartFacts } from '../../engine/workflow.ts';
import { say } from './messages.ts';
import { FRESH_RELEASE, GATE_LEFT, type Next, notifyParent } from './moves.ts';

/** A new ticket starts at Captured (CON-106), a child at Idea (CON-77). It waits until it is conducted. */
export function start(raw: unknown, facts: StartFacts): Next | Rejection {
  const parsed = ConductInput.safeParse(raw);
  if (!parsed.success) return refuseInput(parsed.error, raw);
  const state = initial(parsed.data, facts);
  const { run, phase, title } = state;
  const data = {
    at: facts.now,
    activity: 'capturing',
    from: null,
    to: phase,
    by: 'engine',
    provenance: 'engine',
  };
  return {
    state,
    records: [
      { kind: 'claim', subject: `ticket:${run}` },
      { kind: 'entry', name: 'history', data },
      { kind: 'notice', level: 'info', text: say('conduct.notice.created', { run, title }) },
      ...notifyParent(state),
    ],
  };
}

/** The fields of a ticket before any work on it. */
const UNTOUCHED = {
  ...GATE_LEFT,
  archived: false,
  children: [],
  activity: null,
  prev_state: null,
  left: null,
  stale: null,
  stale_more: [],
  unproven: null,
  remark: null,
  criteria: [],
  checklist: [],
  tracks: { required: null, by_person: false, done: [] },
  plan: null,
  build_run: null,
  builds: 0,
  build: null,
  exemption: null,
  build_pr: null,
  pulls: [],
  release: FRESH_RELEASE,
  parent_ticket: false,
  observed: null,
  runbook: [],
  decided: [],
  counts: { briefs: 0, rounds: 0, decisions: 0, criteria: 0 },
  acknowledged: [],
  ended: false,
} satisfies Partial<ConductState>;

function initial(input: ConductInput, { run, uuid, policy }: StartFacts): ConductState {
  const { title, description, priority, child } = input;
  const slug = toSlug(title, run.toLowerCase());
  const { acknowledge = false, shadow_judge = false, modules = [], globs = [] } = policy.conduct ?? {};
  return {
    ...UNTOUCHED,
    phase: child ? 'Idea' : 'Captured',
    user_lang: input.lang ?? detectLanguage(`${title}\n${description}`),
    run,
    uuid,
    title,
    description,
    labels: [...new Set(input.labels)],
    priority,
    slug,
    docs_path: `docs/${policy.namespace}/${slug}/`,
    parent: child?.parent ?? null,
    parent_key: child?.key ?? null,
    epic: child?.epic ?? null,
    after: child?.after ?? [],
    inherited: child?.clarification ?? null,
    criteria: (child?.criteria ?? []).map((text, i) => ({ id: `AC-${i + 1}`, text, checked: false })),
    counts: { ...UNTOUCHED.counts, criteria: child?.criteria.length ?? 0 },
    idle_because: say('conduct.idle.new'),
    policy: { acknowledge, shadow_judge, modules: [...modules], globs: [...globs] },
  };
}
