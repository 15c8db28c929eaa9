import * as z from 'zod';
import { TicketId } from '../../contract/build-report.ts';
import { Child, type ConductState, TICKET_CAPS, TicketEdit } from '../../contract/conduct.ts';
import type { Instant } from '../../contract/ids.ts';
import { DOMAINS, type Domain, KNOWLEDGE_TYPES, type KnowledgeType } from '../../contract/knowledge.ts';
import type { MoveRecord } from '../../contract/move.ts';
import type { Signal } from '../../contract/outcome.ts';
import { Title } from '../../contract/promised-write.ts';
import {
  ACTIVITIES,
  type Activity,
  DESIGN_TRACKS,
  RISK_CLASSES,
  TICKET_GATES,
} from '../../contract/ticket.ts';
import { dayAfter } from '../../engine/calendar.ts';
import type { Needs } from '../../engine/operation.ts';
import { refuseInput } from '../../engine/refuse-input.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { acknowledge as acknowledgeRisk } from '../../engine/risk-classes.ts';
import { rollUp } from './children.ts';
import { composeOutside, Outside } from './compose-outside.ts';
import { isLastTrack, withDeliverable } from './drafts.ts';
import { edge, refuseAsked } from './edges.ts';
import { say } from './messages.ts';
import { type Actor, andThen, arriveAt, go, type Next, notice, notifyParent, travel } from './moves.ts';
import { TAKES_DECISION_ONLY, withPromises } from './payload.ts';
import { askReopen } from './reopen.ts';
import { leave, REVIEW_DAYS } from './resolve.ts';
import { risksOf } from './risks.ts';
import { conduct } from './take-up.ts';
import { flagUnproven } from './unproven.ts';
import { withRunbook } from './verify.ts';

interface CommandInput {
  readonly by: string;
  readonly at: Instant;
  /** Absent counts as `none`. */
  readonly proof?: Extract<Signal, { type: 'command' }>['proof'];
}

type OnCommand = (
  state: ConductState,
  args: Readonly<Record<string, unknown>>,
  given: CommandInput,
) => Next | Rejection;

/** Parses a command's arguments with their schema, or refuses them and names the wrong field. */
function reading<T>(
  schema: z.ZodType<T>,
  on: (state: ConductState, args: T, given: CommandInput) => Next | Rejection,
): OnCommand {
  return (state, args, given) => {
    const parsed = schema.safeParse(args);
    return parsed.success ? on(state, parsed.data, given) : refuseInput(parsed.error, args);
  };
}

/**
 * A command that changes the ticket or its brief. Without proof of a person it is still accepted, but the ticket is
 * flagged and a drive pauses (CON-116).
 */
function changing<T>(
  what: NonNullable<ConductState['unproven']>['what'],
  schema: z.ZodType<T>,
  on: (state: ConductState, args: T, given: CommandInput) => Next | Rejection,
): OnCommand {
  const read = reading(schema, on);
  return (state, args, given) => {
    const { by, at, proof = 'none' } = given;
    const unproven = proof === 'none' ? { what, by: by.slice(0, 300), at } : null;
    const move = read({ ...state, unproven }, args, given);
    return isRejection(move) ? move : flagUnproven(state, move, unproven);
  };
}

const Why = z.strictObject({ why: z.string().max(2_000).nullable().default(null) });
const person = ({ by }: CommandInput): Actor => ({ name: by.slice(0, 300), provenance: 'human:cli' });

/** All commands of a ticket. Answers at its gates are not commands. */
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
  edit: changing('edit', TicketEdit, editTicket),
  criteria: changing(
    'criteria',
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
  compose: changing('compose', Outside, composeOutside),
  resume: (state, _, { at }) => conduct(state, at),
};

/** Decisions about a ticket. Labels are evidence of risk, so removing one is a decision too (CON-105, INV-17). */
const DECISIONS: readonly string[] = ['park', 'unpark', 'cancel', 'tracks', 'acknowledge'];
/** Changes by anyone but a worker. Without proof of a person the ticket is flagged (CON-116). */
const CHANGES: readonly string[] = ['edit', 'criteria', 'compose', 'reopen'];

/** What a caller needs to give a command. */
export function commandNeeds(command: string, { labels_remove }: Readonly<Record<string, unknown>>): Needs {
  const removes = Array.isArray(labels_remove) && labels_remove.length > 0;
  if (DECISIONS.includes(command) || removes) return 'person';
  return CHANGES.includes(command) ? 'noted_person' : 'not_a_worker';
}

function parked({ run }: ConductState): Rejection {
  return reject('wrong_moment', { run }, { msg: 'conduct.is_parked' });
}

/** Returns the ticket to its state before parking. The next `conduct` continues it from there (S11). */
function unpark(state: ConductState, given: CommandInput): Next | Rejection {
  const { prev_state, run } = state;
  if (state.phase !== 'Parked' || prev_state === null)
    return reject('wrong_moment', { run }, { msg: 'conduct.not_parked' });
  const back = {
    ...state,
    prev_state: null,
    left: null,
    idle_because: say('conduct.idle.unparked'),
  };
  return arriveAt(back, prev_state, 'unparking', { by: person(given), at: given.at });
}

/**
 * An edit takes effect at the next read (CON-106). The label `decision-only` is refused if the ticket is too far along.
 */
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
    records: [{ kind: 'entry', name: 'edited', data: edit }, ...notifyParent(after)],
  };
}

interface CriteriaEdit {
  readonly add: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** The open brief shows changed criteria at once, as a new draft of the same brief (CON-65, CON-91). */
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
  if (!brief) return { state: after, records };
  const verifies = brief.reason === 'verification-ack-pending';
  const doc = withPromises(verifies ? withRunbook(brief.doc, after) : brief.doc, after);
  return go(after, { brief: { ...brief, doc, iteration: brief.iteration + 1 } }, records);
}

const BEFORE_DESIGN: readonly ConductState['phase'][] = ['Captured', 'Idea', 'Clarified'];

/** A person sets the required tracks (CON-82). The open design brief is updated. */
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

/**
 * Acknowledged evidence does not pause this ticket again. New
 * evidence does. The command works only if the settings allow it.
 */
function acknowledge(
  state: ConductState,
  { class: name, why, content }: { class: (typeof RISK_CLASSES)[number]; why: string; content: string },
  { by }: CommandInput,
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
  // After the roll-up the children are complete. The person who accepts the parent has not seen another child.
  if (state.parent_ticket) return reject('wrong_moment', { run: state.run }, { msg: 'conduct.rolled_up' });
  if (state.children.length >= TICKET_CAPS.children)
    return reject('bad_input', { field: 'children', problem: `more than ${TICKET_CAPS.children}` });
  const child = { key: id, id, title, state: at, archived: false, after: [] };
  return go(state, { children: [...state.children, child] }, [
    { kind: 'message', to: id, name: 'adopted', data: {} },
    notice(say('conduct.notice.adopted', { id, run: state.run })),
  ]);
}

function letGo(state: ConductState, { id }: { id: string }, { at }: CommandInput): Next | Rejection {
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

/** A research finding is a claim to be reviewed. It is never accepted by itself (CON-98). */
function takeFindings(
  state: ConductState,
  { entries }: { entries: readonly Finding[] },
  { at }: CommandInput,
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

/** Moves along an edge without a brief. An edge with its own gate needs the answer at that gate (S17). */
function advance(
  state: ConductState,
  { activity }: { activity: Activity },
  given: CommandInput,
): Next | Rejection {
  const found = edge(state.phase, activity, { stale: state.stale !== null });
  const refused = isRejection(found) ? found : refuseAsked(activity, 'worker');
  if (refused) return refused;
  if (activity === 'researching') return go(state, { activity });
  const by = { name: given.by.slice(0, 300), provenance: 'engine' };
  return { ...travel({ ...state, idle_because: null }, activity, by, given.at), interrupt: true };
}
