import * as z from 'zod';
import { TicketId } from '../../contract/build-report.ts';
import { Child, type ConductState, TICKET_CAPS, TicketEdit, Title } from '../../contract/conduct.ts';
import type { Instant } from '../../contract/ids.ts';
import { DOMAINS, type Domain, KNOWLEDGE_TYPES, type KnowledgeType } from '../../contract/knowledge.ts';
import type { MoveRecord } from '../../contract/move.ts';
import {
  ACTIVITIES,
  type Activity,
  DESIGN_TRACKS,
  RISK_CLASSES,
  TICKET_GATES,
} from '../../contract/ticket.ts';
import { dayAfter } from '../../engine/calendar.ts';
import { refuseInput } from '../../engine/refuse-input.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { acknowledge as acknowledgeRisk } from '../../engine/risk-classes.ts';
import { rollUp } from './children.ts';
import { composeOutside, Outside } from './compose-outside.ts';
import { isLastTrack, withDeliverable } from './drafts.ts';
import { edge, refuseAsked } from './edges.ts';
import { say } from './messages.ts';
import { type Actor, andThen, arriveAt, go, type Next, notice, tellParent, travel } from './moves.ts';
import { TAKES_DECISION_ONLY } from './payload.ts';
import { askReopen } from './reopen.ts';
import { leave, REVIEW_DAYS } from './resolve.ts';
import { risksOf } from './risks.ts';
import { conduct } from './take-up.ts';
import { withRunbook } from './verify.ts';

interface Given {
  readonly by: string;
  readonly at: Instant;
}

type OnCommand = (
  state: ConductState,
  args: Readonly<Record<string, unknown>>,
  given: Given,
) => Next | Rejection;

/** A command's arguments through their schema, or the refusal that names the field. */
function reading<T>(
  schema: z.ZodType<T>,
  on: (state: ConductState, args: T, given: Given) => Next | Rejection,
): OnCommand {
  return (state, args, given) => {
    const parsed = schema.safeParse(args);
    return parsed.success ? on(state, parsed.data, given) : refuseInput(parsed.error, args);
  };
}

const Why = z.strictObject({ why: z.string().max(2_000).nullable().default(null) });
const person = ({ by }: Given): Actor => ({ name: by.slice(0, 300), provenance: 'human:cli' });

/** Everything that can be told to a ticket beside the answers at its gates. */
export const COMMANDS: Readonly<Record<string, OnCommand>> = {
  conduct: (state, _, { at }) => (state.phase === 'Parked' ? parked(state) : conduct(state, at)),
  park: reading(Why, (state, { why }, given) =>
    state.phase === 'Parked'
      ? parked(state)
      : leave(state, 'parking', why, { by: person(given), at: given.at }),
  ),
  cancel: reading(Why, (state, { why }, given) =>
    state.phase === 'Parked'
      ? parked(state)
      : leave(state, 'cancelling', why, { by: person(given), at: given.at }),
  ),
  unpark: (state, _, given) => unpark(state, given),
  reopen: reading(
    z.strictObject({
      to: z.enum(TICKET_GATES),
      why: z.string().trim().min(1).max(2_000),
      fates: z.record(z.string(), z.enum(['keep', 'cancel'])).default({}),
    }),
    askReopen,
  ),
  edit: reading(TicketEdit, editTicket),
  criteria: reading(
    z.strictObject({
      add: z.array(z.string().trim().min(1).max(300)).max(20).default([]),
      set: z.record(z.string().max(20), z.string().trim().min(1).max(300)).default({}),
      remove: z.array(z.string().max(20)).max(50).default([]),
    }),
    editCriteria,
  ),
  tracks: reading(z.strictObject({ required: z.array(z.enum(DESIGN_TRACKS)).min(1).max(3) }), setTracks),
  acknowledge: reading(
    z.strictObject({
      class: z.enum(RISK_CLASSES),
      why: z.string().trim().min(1).max(2_000),
      content: z.string().max(100_000).default(''),
    }),
    acknowledge,
  ),
  adopt: reading(z.strictObject({ id: TicketId, title: Title, state: Child.shape.state }), adopt),
  let_go: reading(z.strictObject({ id: TicketId }), letGo),
  reference: reading(z.strictObject({ decision: z.string().min(1).max(60) }), (state, { decision }) =>
    go(state, {}, [{ kind: 'knowledge_link', id: decision }]),
  ),
  consume_remark: reading(z.strictObject({ brief: z.string().min(1).max(60) }), (state, { brief }) =>
    state.remark?.brief === brief
      ? go(state, { remark: null }, [
          { kind: 'entry', name: 'consumed', data: { marker: 'remark', ...state.remark } },
        ])
      : go(state, {}),
  ),
  findings: reading(
    z.strictObject({
      entries: z
        .array(
          z.strictObject({
            type: z.enum(KNOWLEDGE_TYPES),
            title: Title,
            body: z.string().trim().min(1).max(20_000),
            domains: z.array(z.enum(DOMAINS)).min(1),
          }),
        )
        .min(1)
        .max(10),
    }),
    takeFindings,
  ),
  advance: reading(z.strictObject({ activity: z.enum(ACTIVITIES) }), advance),
  compose: reading(Outside, composeOutside),
  resume: (state, _, { at }) => conduct(state, at),
};

function parked({ run }: ConductState): Rejection {
  return reject('wrong_moment', { run }, { msg: 'conduct.is_parked' });
}

/** Back to where it stood; whoever conducts it goes on from there (S11). */
function unpark(state: ConductState, given: Given): Next | Rejection {
  const { prev_state, run } = state;
  if (state.phase !== 'Parked' || prev_state === null)
    return reject('wrong_moment', { run }, { msg: 'conduct.not_parked' });
  const back = { ...state, prev_state: null, left: null, resting: say('conduct.rests.unparked', { run }) };
  return arriveAt(back, prev_state, 'unparking', { by: person(given), at: given.at });
}

/** An edit counts at the next read (CON-106); the label that ends a ticket early is refused when it is too late. */
function editTicket(state: ConductState, edit: TicketEdit): Next | Rejection {
  const { labels_add = [], labels_remove = [], archived, ...fields } = edit;
  if (labels_add.includes('decision-only') && !TAKES_DECISION_ONLY.includes(state.phase))
    return reject('wrong_moment', { state: state.phase }, { msg: 'conduct.decision_only_late' });
  const labels = [...new Set([...state.labels, ...labels_add])].filter(
    (label) => !labels_remove.includes(label),
  );
  if (labels.length > 50) return reject('bad_input', { field: 'labels', problem: 'more than 50' });
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const after = { ...state, ...given, labels, ...(archived === undefined ? {} : { archived }) };
  return {
    state: withDeliverable(after),
    records: [{ kind: 'entry', name: 'edited', data: edit }, ...tellParent(after)],
  };
}

interface CriteriaEdit {
  readonly add: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** What a verify brief shows follows the criteria at once, as a new draft of the same brief (CON-91). */
function editCriteria(state: ConductState, { add, set, remove }: CriteriaEdit): Next | Rejection {
  const known = new Set(state.criteria.map(({ id }) => id));
  const unknown = [...Object.keys(set), ...remove].find((id) => !known.has(id));
  if (unknown !== undefined) {
    const args = { field: 'criterion', value: unknown, allowed: [...known].join(', ') || '-' };
    return reject('bad_input', args, { msg: 'conduct.no_such_criterion' });
  }
  const kept = state.criteria
    .filter(({ id }) => !remove.includes(id))
    .map((one) =>
      Object.hasOwn(set, one.id) ? { ...one, text: set[one.id] ?? one.text, checked: false } : one,
    );
  const first = state.counts.criteria;
  const added = add.map((text, i) => ({ id: `AC-${first + i + 1}`, text, checked: false }));
  const criteria = [...kept, ...added];
  if (criteria.length > TICKET_CAPS.criteria)
    return reject('bad_input', { field: 'criteria', problem: `more than ${TICKET_CAPS.criteria}` });
  const after = { ...state, criteria, counts: { ...state.counts, criteria: first + add.length } };
  const records = [{ kind: 'entry' as const, name: 'edited', data: { criteria: { add, set, remove } } }];
  const { brief } = after;
  if (brief?.reason !== 'verification-ack-pending') return { state: after, records };
  const doc = withRunbook(brief.doc, after);
  return go(after, { brief: { ...brief, doc, iteration: brief.iteration + 1 } }, records);
}

const BEFORE_DESIGN: readonly ConductState['phase'][] = ['Captured', 'Idea', 'Clarified'];

/** A person says which tracks are needed (CON-82); the brief on the table follows. */
function setTracks(
  state: ConductState,
  { required }: { required: ConductState['tracks']['done'] },
): Next | Rejection {
  if (state.phase !== 'Decomposed' && !BEFORE_DESIGN.includes(state.phase))
    return reject('wrong_moment', { state: state.phase }, { msg: 'conduct.tracks_late' });
  const tracks = { ...state.tracks, required: [...new Set(required)], by_person: true };
  const { brief } = state;
  if (brief?.reason !== 'design-decision-draft' || !brief.track) return go(state, { tracks });
  const last = isLastTrack(tracks, brief.track);
  const next = {
    ...brief,
    pending_activity: last ? ('designing' as const) : null,
    iteration: brief.iteration + 1,
  };
  return go(withDeliverable({ ...state, tracks, brief: next }), {});
}

/** The same evidence does not pause this ticket again; new evidence does. Switched on in the settings only. */
function acknowledge(
  state: ConductState,
  { class: name, why, content }: { class: (typeof RISK_CLASSES)[number]; why: string; content: string },
  { by }: Given,
): Next | Rejection {
  if (!state.policy.acknowledge) return reject('wrong_moment', {}, { msg: 'conduct.acknowledge_off' });
  const { evidence } = acknowledgeRisk(risksOf(state, { content }), name);
  if (evidence.length === 0)
    return reject('bad_input', { class: name }, { msg: 'conduct.acknowledge_nothing' });
  const entry = {
    class: name,
    evidence: evidence.map((key) => key.slice(0, 200)).slice(0, 50),
    why,
    by: by.slice(0, 300),
  };
  return go(state, { acknowledged: [...state.acknowledged, entry].slice(-20) }, [
    { kind: 'decision', name: 'risk_acknowledged', data: entry },
  ]);
}

function adopt(
  state: ConductState,
  { id, title, state: at }: { id: string; title: string; state: Child['state'] },
): Next | Rejection {
  if (id === state.run) return reject('bad_input', { field: 'child', id }, { msg: 'conduct.own_child' });
  if (state.children.some((child) => child.id === id)) return go(state, {});
  // Its children were all there was to do; whoever answers for it has not seen another one.
  if (state.umbrella) return reject('wrong_moment', { run: state.run }, { msg: 'conduct.rolled_up' });
  if (state.children.length >= TICKET_CAPS.children)
    return reject('bad_input', { field: 'children', problem: `more than ${TICKET_CAPS.children}` });
  const child = { key: id, id, title, state: at, archived: false, after: [] };
  return go(state, { children: [...state.children, child] }, [
    { kind: 'message', to: id, name: 'adopted', data: {} },
    notice(say('conduct.notice.adopted', { id, run: state.run })),
  ]);
}

function letGo(state: ConductState, { id }: { id: string }, { at }: Given): Next | Rejection {
  if (!state.children.some((child) => child.id === id))
    return reject('bad_input', { field: 'child', id }, { msg: 'conduct.no_such_child' });
  const children = state.children.filter((child) => child.id !== id);
  const first = go(state, { children }, [{ kind: 'message', to: id, name: 'let_go', data: {} }]);
  return andThen(first, (now) => rollUp(now, at));
}

interface Finding {
  readonly type: KnowledgeType;
  readonly title: string;
  readonly body: string;
  readonly domains: Domain[];
}

/** What research brought is somebody's claim, to be looked at again: never accepted by itself (CON-98). */
function takeFindings(
  state: ConductState,
  { entries }: { entries: readonly Finding[] },
  { at }: Given,
): Next {
  const first = state.counts.decisions;
  const records = entries.map(
    (found, i): MoveRecord => ({
      kind: 'knowledge',
      entry: {
        ...found,
        id: `${state.run}.d${first + i + 1}`,
        status: 'Asserted',
        source_type: 'research',
        source_activity: 'researching',
        source_task_id: state.run,
        review_by: dayAfter(at, REVIEW_DAYS),
      },
    }),
  );
  const counts = { ...state.counts, decisions: first + entries.length };
  return go(state, { counts, knowledge: null }, records);
}

/** Edges without a brief; those with a gate of their own move only through its answer (S17). */
function advance(state: ConductState, { activity }: { activity: Activity }, given: Given): Next | Rejection {
  const found = edge(state.phase, activity, { stale: state.stale !== null });
  const refused = isRejection(found) ? found : refuseAsked(activity, 'worker');
  if (refused) return refused;
  if (activity === 'researching') return go(state, { activity });
  const by = { name: given.by.slice(0, 300), provenance: 'engine' };
  return { ...travel({ ...state, resting: null }, activity, by, given.at), interrupt: true };
}
