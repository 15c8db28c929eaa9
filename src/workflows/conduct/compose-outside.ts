import * as z from 'zod';
import { BriefDoc, BriefReason } from '../../contract/brief.ts';
import { ActiveBrief, type ConductState } from '../../contract/conduct.ts';
import { ACTIVITIES, type Activity, DESIGN_TRACKS, type TicketState } from '../../contract/ticket.ts';
import { lintBrief } from '../../engine/brief.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { compose, plainText } from './compose.ts';
import { withDeliverable } from './drafts.ts';
import { go, leavesState, type Next } from './moves.ts';
import { withOwnLines } from './own-lines.ts';
import { notOwnWords } from './own-words.ts';
import { readPayload } from './payload.ts';

export const Outside = z.strictObject({
  reason: BriefReason,
  doc: BriefDoc,
  pending_activity: z
    .union([z.enum(ACTIVITIES), z.literal('null')])
    .nullable()
    .default(null),
  track: z.enum(DESIGN_TRACKS).nullable().default(null),
  decision_ref: ActiveBrief.shape.decision_ref.default(null),
  expand_sections: ActiveBrief.shape.expand_sections,
  related: ActiveBrief.shape.related.default([]),
});
type Outside = z.infer<typeof Outside>;

/** Briefs a stale ticket may have. */
export const WHILE_STALE: readonly BriefReason[] = ['stale-patch-review', 'revise-scope-review'];

const BACK = ACTIVITIES.filter((activity) => activity.startsWith('revising-'));

/**
 * The state each brief belongs to (null: any) and the activities its accept may do. A release brief has none (CON-85).
 */
const BELONGS: Readonly<
  Record<BriefReason, { readonly at: TicketState | null; readonly activities: readonly Activity[] }>
> = {
  'clarification-draft': { at: 'Idea', activities: ['clarifying'] },
  'decomposition-proposal': { at: 'Clarified', activities: ['decomposing'] },
  'design-decision-draft': { at: 'Decomposed', activities: ['designing'] },
  'plan-draft': { at: 'Designed', activities: ['planning'] },
  'release-decision-pending': { at: 'Built', activities: [] },
  'verification-ack-pending': { at: 'Released', activities: ['verifying'] },
  'stale-patch-review': { at: null, activities: BACK },
  'revise-scope-review': { at: null, activities: BACK },
};

/** Takes a brief from outside, written by a worker that has the ticket. The rules for our own briefs apply (CON-68). */
export function composeOutside(
  state: ConductState,
  given: Outside,
  { by }: { readonly by: string },
): Next | Rejection {
  const { reason, track, decision_ref, expand_sections, related } = given;
  const activity = given.pending_activity === 'null' ? null : given.pending_activity;
  const refused = RULES.map((rule) => rule(state, given, activity)).find((found) => found !== null);
  if (refused) return reject('bad_input', { reason, ...refused.args }, { msg: refused.msg });
  const said = notOwnWords(given.doc, state.brief?.doc ?? null);
  if (said !== null) return refuseDoc(said, 'text of ours, write your own');
  const payload = readPayload(given.doc.payload, state);
  if ('problem' in payload) return refuseDoc(payload.at, payload.problem);
  const doc = withOwnLines({ ...given.doc, payload }, reason, state);
  const botAuthored = state.build_pr?.author_is_bot ?? false;
  const [wrong] = lintBrief(doc, plainText, { reason, botAuthored }).errors;
  if (wrong) return refuseDoc(wrong.at, wrong.code.replaceAll('_', ' '));
  const more = { decision_ref, expand_sections, related };
  const composition = { reason, doc, by, track, pending_activity: activity, ...more };
  const made = compose(state, composition, { idle_because: null });
  return { ...go(withDeliverable(made.state), {}, made.records), interrupt: true };
}

function refuseDoc(field: string, problem: string): Rejection {
  return reject('bad_input', { field, problem }, { msg: 'conduct.compose_refused' });
}

interface Refused {
  readonly msg: string;
  readonly args?: Readonly<Record<string, string>>;
}

type Rule = (state: ConductState, given: Outside, activity: Activity | null) => Refused | null;

/** In order. The first rule that applies gives the refusal. */
const RULES: readonly Rule[] = [
  ({ phase }) => (phase === 'Captured' ? { msg: 'conduct.compose_captured' } : null),
  ({ stale }, { reason }) =>
    stale !== null && !WHILE_STALE.includes(reason) ? { msg: 'conduct.compose_stale' } : null,
  (_, { reason, track }) =>
    reason === 'design-decision-draft' && track === null ? { msg: 'conduct.compose_track' } : null,
  (state, { reason }, activity) =>
    continuesFrom(state, reason, activity)
      ? null
      : {
          msg: 'conduct.no_such_edge',
          args: {
            activity: activity ?? '',
            state: state.phase,
            allowed: BELONGS[reason].activities.join(', ') || '-',
          },
        },
  (state) => (isBusy(state) ? { msg: 'conduct.compose_busy' } : null),
  ({ brief }, { reason }) =>
    brief !== null && brief.reason !== reason
      ? { msg: 'conduct.compose_other', args: { active: brief.reason } }
      : null,
  (state, { reason }) =>
    isAt(state, reason) ? null : { msg: 'conduct.compose_elsewhere', args: { state: state.phase } },
  // A release brief shows the host's report, so the host must have been queried.
  ({ release }, { reason }) =>
    reason === 'release-decision-pending' && release.found === null
      ? { msg: 'conduct.compose_unlooked' }
      : null,
];

function continuesFrom(state: ConductState, reason: BriefReason, activity: Activity | null): boolean {
  if (activity === null) return true;
  return BELONGS[reason].activities.includes(activity) && leavesState(state, activity);
}

/**
 * A gate's brief is allowed only in its own state, and a patch only on a stale ticket. A parked ticket takes no brief,
 * and a parent with children takes no design brief.
 */
function isAt({ phase, stale, children }: ConductState, reason: BriefReason): boolean {
  if (phase === 'Parked') return false;
  if (reason === 'stale-patch-review') return stale !== null;
  if (reason === 'design-decision-draft' && children.some(({ archived }) => !archived)) return false;
  return BELONGS[reason].at === null || BELONGS[reason].at === phase;
}

function isBusy({ round, building, trouble, judging, hops, reopening }: ConductState): boolean {
  return (
    round !== null ||
    building !== null ||
    trouble !== null ||
    judging ||
    hops.length > 0 ||
    reopening !== null
  );
}
