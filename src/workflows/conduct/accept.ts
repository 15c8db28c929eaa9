import type { Answer } from '../../contract/answer.ts';
import { type ActiveBrief, type ConductState, TICKET_CAPS } from '../../contract/conduct.ts';
import type { Instant } from '../../contract/ids.ts';
import type { MoveRecord } from '../../contract/move.ts';
import { PromisedWrite } from '../../contract/promised-write.ts';
import type { TicketGate } from '../../contract/ticket.ts';
import { delegate } from '../../engine/delegation.ts';
import { parseMode } from '../../engine/drive-mode.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { riskClasses } from '../../engine/risk-classes.ts';
import { readyToBuild } from './build.ts';
import { say } from './messages.ts';
import {
  type Actor,
  actorOf,
  andThen,
  ENGINE,
  go,
  isPerson,
  type Next,
  notice,
  patchedOnce,
  travel,
} from './moves.ts';
import { refOf, unique } from './payload.ts';
import { onReleaseAccepted } from './release.ts';
import { pausingRisks, unreadOf } from './risks.ts';

/**
 * The only path of an accept, by a person or by a drive (CON-53). One move holds the promised writes, the ledger entry,
 * the links and, last, the change of state.
 */
export function acceptBrief(state: ConductState, brief: ActiveBrief, answer: Answer): Next | Rejection {
  const by = actorOf(answer.by);
  // A deliverable, a brief that a person changed and a ticket with an unproven change need a person (CON-92, 110, 116).
  const personal = brief.deliverable || brief.revised || (state.unproven ?? null) !== null;
  if (!isPerson(by) && personal) return reject('not_a_person');
  const writes = readWrites(brief);
  if (!writes) return reject('bad_input', { field: 'payload', problem: 'not readable' });
  const resolved: MoveRecord[] = [
    resolution(brief, 'accept', by, answer.text),
    acceptedNote(brief),
    ...ledger(state, brief, by),
  ];
  const remark = answer.text?.trim() ? { remark: { brief: brief.id, text: answer.text } } : {};
  const written = applyWrites({ ...state, ...remark, decided: decidedWith(state, brief) }, brief, writes);
  if ('rejection' in written) return written;
  const first: Next = { ...written, records: [...resolved, ...written.records] };
  return andThen(first, (after) =>
    brief.pending_activity === null && NEEDS_ACTIVITY.includes(brief.reason)
      ? go(after, { brief: null, knowledge: null, judged: null, rounds_asked: 0 })
      : ACCEPTED[brief.reason](after, brief, by, answer.at),
  );
}

/** Without a pending activity, an accept of these briefs closes the brief but does not move the ticket (CON-70). */
const NEEDS_ACTIVITY: readonly ActiveBrief['reason'][] = [
  'clarification-draft',
  'decomposition-proposal',
  'plan-draft',
  'verification-ack-pending',
];

type Accepted = (state: ConductState, brief: ActiveBrief, by: Actor, at: Instant) => Next;

const ACCEPTED: Readonly<Record<ActiveBrief['reason'], Accepted>> = {
  'clarification-draft': (state, brief, by, at) =>
    andThen(travel(state, 'clarifying', by, at), (after) => finishDecision(after, brief)),
  'decomposition-proposal': (state, _, by, at) => travel(state, 'decomposing', by, at),
  'design-decision-draft': onDesignAccepted,
  'plan-draft': onPlanAccepted,
  'release-decision-pending': (state, _, by, at) => onReleaseAccepted(state, by, at),
  'verification-ack-pending': (state, _, by, at) =>
    andThen(travel(state, 'verifying', by, at), (after) => go(after, { ended: true, idle_because: null })),
  'stale-patch-review': onPatchAccepted,
  'revise-scope-review': (state, { pending_activity: back }, by, at) =>
    back ? travel(state, back, by, at) : go(state, { brief: null }),
};

/** A decision-only ticket ends with its deliverable. The next step moves it straight to Verified (CON-92). */
function finishDecision(state: ConductState, { deliverable }: ActiveBrief): Next {
  return deliverable ? go(state, { hops: ['fast-forwarding'] }) : go(state, {});
}

/**
 * An accepted design entry completes its track on this ticket.
 * The last required track moves the ticket on (CON-81, 82).
 */
function onDesignAccepted(state: ConductState, brief: ActiveBrief, by: Actor, at: Instant): Next {
  const track = brief.track ?? 'technical';
  const tracks = { ...state.tracks, done: [...new Set([...state.tracks.done, track])] };
  const after = { ...state, tracks };
  if (brief.pending_activity === null)
    return go(after, { brief: null, knowledge: null, rounds_asked: 0 }, [
      notice(say('conduct.notice.track_done', { track })),
    ]);
  return andThen(travel(after, 'designing', by, at), (moved) => finishDecision(moved, brief));
}

/**
 * A person's accept of the plan is also the go to build. A delegated
 * accept gives the go only if the mode continues at build (S9).
 */
function onPlanAccepted(state: ConductState, brief: ActiveBrief, by: Actor, at: Instant): Next {
  const go_on = isPerson(by) || goesOnAtBuild(state, by);
  const plan = {
    text: state.plan?.text ?? '',
    accepted: { by: by.name, at, decision: brief.decision_ref?.id ?? null },
    provenance: by.provenance,
    go: go_on,
  };
  return andThen(travel({ ...state, plan }, 'planning', by, at), (after) =>
    go_on ? readyToBuild(after) : go(after, { building: null }),
  );
}

/** Asks the policy of the drive that accepted the plan about the build gate, which has no brief of its own. */
function goesOnAtBuild(state: ConductState, by: Actor): boolean {
  const mode = parseMode(by.name);
  if (!mode) return false;
  const nothing = { revised: false, deliverable: false, judgement: null, sure_signals: [], reason: null };
  const classes = riskClasses(pausingRisks(state, { content: '' }));
  const unproven = (state.unproven ?? null) !== null;
  const unread = unreadOf(state, { content: '' }).length > 0;
  const row = { ...nothing, gate: 'build', stale: state.stale !== null, unproven, unread, classes } as const;
  return delegate({ mode, trust: 'balanced', row }).kind !== 'pause';
}

/**
 * The ticket is up to date with the newer decision. If work must
 * be redone, it goes back along the edge that the patch names.
 */
function onPatchAccepted(state: ConductState, brief: ActiveBrief, by: Actor, at: Instant): Next {
  const newer = state.stale?.superseded_by ?? null;
  const linked: MoveRecord[] = newer ? [{ kind: 'knowledge_link', id: newer }] : [];
  const rework = brief.pending_activity;
  const after = rework
    ? travel(state, rework, by, at)
    : go(state, { brief: null, ...patchedOnce(state), knowledge: null, judged: null });
  return { ...after, records: [...linked, ...after.records] };
}

function decidedWith(
  { decided }: ConductState,
  { decision_ref: ref, reason, track }: ActiveBrief,
): ConductState['decided'] {
  const gate = GATE_OF_REASON[reason];
  return ref && gate ? [...decided, { gate, id: ref.id, track }].slice(-60) : decided;
}

/** Accepts the brief's ledger entry and links the entries that the brief depends on to the ticket. */
function ledger(state: ConductState, brief: ActiveBrief, { name }: Actor): MoveRecord[] {
  const { decision_ref: ref, grounds } = brief;
  const own: MoveRecord[] = ref
    ? [
        { kind: 'knowledge_status', id: ref.id, status: 'Accepted' },
        { kind: 'knowledge_link', id: ref.id },
        { kind: 'decision', name: 'knowledge_accepted', data: { id: ref.id, by: name, ticket: state.run } },
      ]
    : [];
  return [...own, ...grounds.map((id): MoveRecord => ({ kind: 'knowledge_link', id }))];
}

/** Records how a brief was answered, by whom and with which provenance (CON-70). */
export function resolution(
  brief: ActiveBrief,
  command: string,
  by: Actor,
  detail: string | null,
): MoveRecord {
  const { id, reason, iteration, track } = brief;
  const data = {
    brief: id,
    reason,
    command,
    provenance: by.provenance,
    by: by.name,
    iteration,
    track,
    detail,
  };
  return { kind: 'decision', name: 'brief_resolved', data };
}

/** The part of an accepted brief that later workers read. */
function acceptedNote({ reason, doc, track }: ActiveBrief): MoveRecord {
  const { decide, recommend } = doc;
  return { kind: 'entry', name: 'accepted', data: { reason, track, decide, recommend } };
}

function readWrites({ doc }: ActiveBrief): PromisedWrite[] | null {
  const parsed = doc.payload.map((write) => PromisedWrite.safeParse(write));
  return parsed.every(({ success }) => success) ? unique(parsed.flatMap(({ data }) => data ?? [])) : null;
}

/**
 * Applies each promised write once, children before transfers, and records each in the ledger by its content (CON-72).
 */
function applyWrites(
  state: ConductState,
  brief: ActiveBrief,
  writes: readonly PromisedWrite[],
): Next | Rejection {
  const ordered = [...writes].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  const full = refuseTooMany(state, writes);
  if (full) return full;
  let made = go(state, {});
  for (const write of ordered) {
    const record: MoveRecord = {
      kind: 'entry',
      name: 'ledger',
      data: { brief: brief.id, ref: refOf(write) },
    };
    made = andThen(made, (now) => go(now, {}, [record]));
    made = andThen(made, (now) => WRITE[write.kind](now, write as never, writes));
  }
  return made;
}

const ORDER: readonly PromisedWrite['kind'][] = [
  'acceptance_criterion',
  'child_ticket',
  'checklist_item',
  'ac_transfer',
  'label_add',
];

function refuseTooMany(state: ConductState, writes: readonly PromisedWrite[]): Rejection | null {
  const count = (kind: PromisedWrite['kind']) => writes.filter((write) => write.kind === kind).length;
  const over = [
    ['criteria', state.criteria.length + count('acceptance_criterion'), TICKET_CAPS.criteria],
    ['children', state.children.length + count('child_ticket'), TICKET_CAPS.children],
    ['labels', state.labels.length + count('label_add'), 50],
    ['checklist', state.checklist.length + count('checklist_item'), TICKET_CAPS.checklist],
  ].find(([, n, cap]) => (n as number) > (cap as number));
  return over ? reject('bad_input', { field: String(over[0]), problem: `more than ${over[2]}` }) : null;
}

type Write<K extends PromisedWrite['kind']> = Extract<PromisedWrite, { kind: K }>;
type Writers = {
  readonly [K in PromisedWrite['kind']]: (
    state: ConductState,
    write: Write<K>,
    all: readonly PromisedWrite[],
  ) => Next;
};

const WRITE: Writers = {
  acceptance_criterion: (state, { text }) => {
    if (state.criteria.some((one) => one.text === text)) return go(state, {});
    const criteria = state.counts.criteria + 1;
    const added = { id: `AC-${criteria}`, text, checked: false };
    return go(state, { criteria: [...state.criteria, added], counts: { ...state.counts, criteria } });
  },
  /**
   * The child is created in the same move, before the parent moves
   * on. It inherits the parent's clarification (CON-76, 77).
   */
  child_ticket: (state, { key, title, description, priority, after }, all) => {
    const taken = all.flatMap((write) =>
      write.kind === 'ac_transfer' && write.child === key ? [write.criterion] : [],
    );
    const criteria = state.criteria.filter(({ id }) => taken.includes(id)).map(({ text }) => text);
    const child = { key, id: null, title, state: 'Idea' as const, archived: false, after };
    const clarification = [
      state.inherited ?? '',
      state.title,
      state.description,
      ...state.criteria.map(({ text }) => `- ${text}`),
    ]
      .filter((text) => text !== '')
      .join('\n')
      .slice(0, 20_000);
    const made = { parent: state.run, key, clarification, after, epic: state.epic, criteria };
    const input = { title, description, priority, lang: state.user_lang, child: made };
    return go(state, { children: [...state.children, child] }, [
      { kind: 'spawn', key: `child-${state.counts.briefs}-${key}`, workflow: 'conduct', input },
    ]);
  },
  checklist_item: (state, { text }) => go(state, { checklist: [...state.checklist, { text, done: false }] }),
  /**
   * The new child already has the criterion, so the parent drops
   * it. If no write creates that child, the parent keeps it.
   */
  ac_transfer: (state, { criterion, child }, all) =>
    all.some((write) => write.kind === 'child_ticket' && write.key === child)
      ? go(state, { criteria: state.criteria.filter(({ id }) => id !== criterion) })
      : go(state, {}),
  label_add: (state, { label }) => go(state, { labels: [...new Set([...state.labels, label])].slice(0, 50) }),
};

/** Moves the ticket along one edge of a chain that needs no answers. */
export function onHop(state: ConductState, at: Instant): Next {
  const [activity, ...hops] = state.hops;
  if (!activity) return go(state, {});
  const moved = travel(state, activity, ENGINE, at);
  return andThen(moved, (after) => {
    if (after.phase === 'Verified') return go(after, { hops: [], ended: true, idle_because: null });
    if (hops.length === 0 && after.phase === 'Planned' && after.plan?.accepted)
      return readyToBuild({ ...after, hops: [], plan: { ...after.plan, go: true } });
    return go(after, { hops });
  });
}

/** The gate of each kind of brief, for records of decisions. Briefs that are not listed do not record one. */
export const GATE_OF_REASON: Readonly<Partial<Record<ActiveBrief['reason'], TicketGate>>> = {
  'clarification-draft': 'clarify',
  'decomposition-proposal': 'decompose',
  'design-decision-draft': 'design',
  'plan-draft': 'plan',
};
