import type { BriefDoc, BriefReason } from '../../contract/brief.ts';
import type { ActiveBrief, ConductState } from '../../contract/conduct.ts';
import type { WorkerBrief } from '../../contract/conduct-work.ts';
import type { Domain, KnowledgeEntry, KnowledgeType } from '../../contract/knowledge.ts';
import type { MoveRecord } from '../../contract/move.ts';
import type { PromisedWrite } from '../../contract/promised-write.ts';
import type { Activity, DesignTrack } from '../../contract/ticket.ts';
import { brief } from '../../engine/whole-brief.ts';
import type { Translate } from '../../engine/workflow.ts';
import { say } from './messages.ts';
import { go, type Next } from './moves.ts';
import { unique, withPromises } from './payload.ts';
import { withUnproven } from './unproven.ts';

/** The parts that `compose` makes a brief from. */
export interface Composition {
  readonly reason: BriefReason;
  readonly doc: BriefDoc;
  readonly by: string;
  readonly pending_activity: Activity | null;
  readonly track?: DesignTrack | null;
  readonly deliverable?: boolean;
  readonly grounds?: readonly string[];
  readonly related?: readonly string[];
  readonly reasoning?: string;
  /** Sections written by an author outside the engine. */
  readonly expand_sections?: ActiveBrief['expand_sections'] | undefined;
  /** An entry that is already in the ledger. */
  readonly decision_ref?: ActiveBrief['decision_ref'];
  /** The ledger entry that the brief proposes: drafted now, accepted with the brief. */
  readonly decision?: {
    readonly title: string;
    readonly body: string;
    readonly domains: readonly Domain[];
    readonly type: KnowledgeType;
  } | null;
}

/**
 * Puts the brief in front of a person (CON-68). A redraft keeps its id
 * and raises the iteration. It uses up a pending reshape or remark.
 */
export function compose(state: ConductState, parts: Composition, changes: Partial<ConductState> = {}): Next {
  const same = state.brief?.reason === parts.reason ? state.brief : null;
  const entry = entryOf(state, parts, same);
  const counts = {
    ...state.counts,
    briefs: state.counts.briefs + (same ? 0 : 1),
    decisions: state.counts.decisions + (entry && ownDraft(same) === null ? 1 : 0),
  };
  const kept = state.set_aside?.reason === parts.reason ? state.set_aside : null;
  const first = {
    id: `${state.run}.b${counts.briefs}`,
    iteration: 0,
    revised: kept !== null,
  };
  const { id, iteration, revised } = same ?? first;
  const next: ActiveBrief = {
    ...stated(state, {
      ...parts,
      doc: withUnproven(withPromises(parts.doc, state), state.run, state.unproven),
    }),
    id,
    iteration: iteration + 1,
    revised,
    edited_by: null,
    decision_ref: entry ? { type: entry.type, id: entry.id } : (parts.decision_ref ?? null),
  };
  const { reason, doc, track } = next;
  const records: MoveRecord[] = [
    { kind: 'entry', name: 'brief', data: { id, reason, iteration: next.iteration, track, doc } },
    ...(entry ? [{ kind: 'knowledge' as const, entry }] : []),
    ...consumedMarkers(state, kept),
  ];
  const shadow = state.policy.shadow_judge && FORWARD.includes(reason);
  const taken = { brief: next, pending: null, remark: null, judged: null, judging: shadow, knowledge: null };
  const set_aside = kept ? null : (state.set_aside ?? null);
  return go(state, { ...taken, set_aside, counts, ...changes }, records);
}

/** The fields of the brief that come from the composition. */
function stated(
  { knowledge }: ConductState,
  parts: Composition,
): Omit<ActiveBrief, 'id' | 'iteration' | 'revised' | 'edited_by' | 'decision_ref'> {
  const { reason, doc, by, pending_activity, track = null, deliverable = false } = parts;
  const { grounds = [], related = [], reasoning = '', expand_sections } = parts;
  return {
    reason,
    doc,
    track,
    pending_activity,
    deliverable,
    expand_sections: expand_sections ?? (reasoning === '' ? {} : { reasoning: reasoning.slice(0, 20_000) }),
    related: [...related],
    grounds: [...grounds],
    depends_on: (knowledge?.entries ?? [])
      .filter(({ id }) => grounds.includes(id))
      .map(({ id, status }) => ({ id, status })),
    created_by: by,
  };
}

/** Briefs that a drive may accept for a person. The shadow judge looks only at these. */
const FORWARD: readonly BriefReason[] = [
  'clarification-draft',
  'decomposition-proposal',
  'design-decision-draft',
  'plan-draft',
];

/** Records the markers that a redraft has used, each exactly once (INV-14). */
function consumedMarkers({ pending, remark }: ConductState, kept: ConductState['set_aside']): MoveRecord[] {
  const consumed = (marker: string, data: unknown): MoveRecord => ({
    kind: 'entry',
    name: 'consumed',
    data: { marker, ...(data as object) },
  });
  const detail = pending?.detail ?? kept?.detail ?? null;
  return [
    ...(detail === null ? [] : [consumed('reshape', { command: 'iterate', detail })]),
    ...(remark ? [consumed('remark', remark)] : []),
  ];
}

/** Our own workers whose drafts include a ledger entry. */
const AUTHORS: readonly string[] = ['clarify', 'decompose', 'design', 'plan'];

/**
 * The entry drafted with the brief. Null for a brief from outside,
 * because this ticket may not change the entry it refers to.
 */
export function ownDraft(brief: ActiveBrief | null): string | null {
  return brief && AUTHORS.includes(brief.created_by) ? (brief.decision_ref?.id ?? null) : null;
}

function entryOf(
  state: ConductState,
  { decision }: Composition,
  same: ActiveBrief | null,
): KnowledgeEntry | null {
  if (!decision) return null;
  return {
    id: ownDraft(same) ?? `${state.run}.d${state.counts.decisions + 1}`,
    type: decision.type,
    status: 'Asserted',
    title: decision.title,
    body: decision.body,
    domains: [...decision.domains],
    source_type: 'ticket',
    source_activity: state.activity,
    source_task_id: state.run,
    review_by: null,
  };
}

/** Turns a worker's brief into the document that a gate stores. The gate adds promised writes and engine lines. */
export function docOf(
  written: WorkerBrief,
  more: {
    payload?: readonly PromisedWrite[];
    context?: BriefDoc['context'];
    banners?: BriefDoc['banners'];
  } = {},
): BriefDoc {
  const { recommend } = written;
  return brief({
    ...written,
    recommend: recommend && {
      text: recommend.text,
      ...(recommend.confidence ? { confidence: recommend.confidence } : {}),
      ...(recommend.cede ? { cede: true } : {}),
    },
    items: written.items.map(({ kind, text, recommendation, deferred }) => ({
      kind,
      text,
      ...(recommendation === undefined ? {} : { recommendation }),
      ...(deferred ? { deferred } : {}),
    })),
    context: [...(more.context ?? []), ...written.context],
    payload: unique(more.payload ?? []),
    banners: [...(more.banners ?? [])],
    tail: say('conduct.tail'),
  });
}

/**
 * Returns a worker's text unchanged, and only the arguments of an
 * engine message. It is for rules that check the words of workers.
 */
export const plainText: Translate = (text) =>
  typeof text === 'string' ? text : Object.values(text.args ?? {}).join(' ');
