import type { BriefDoc } from '../../contract/brief.ts';
import type { ConductState } from '../../contract/conduct.ts';
import type {
  Clarification,
  Decomposition,
  Design,
  StalePatch,
  TicketPlan,
} from '../../contract/conduct-work.ts';
import type { KnowledgeType } from '../../contract/knowledge.ts';
import type { PromisedWrite } from '../../contract/promised-write.ts';
import type { DesignTrack } from '../../contract/ticket.ts';
import { type Composition, compose, docOf } from './compose.ts';
import { say } from './messages.ts';
import { go, inTrouble, type Next, notice } from './moves.ts';

type QuestionDraft = Pick<
  Clarification,
  'questions' | 'brief' | 'grounds' | 'related' | 'reasoning' | 'decision' | 'gap'
>;

/** A worker result holds either questions or a draft. This was checked when the result came in. */
function drafted<R extends QuestionDraft>(
  state: ConductState,
  role: string,
  result: R,
  make: (result: R, brief: NonNullable<R['brief']>) => Next,
): Next {
  if (result.brief) return make(result, result.brief);
  if (state.rounds_asked >= 3) return inTrouble(state, 'no-progress', role, result.questions.join(' '));
  return askQuestions(state, 'worker', role, result.questions);
}

/** Opens one gate for a round of questions. A drive never answers it for a person (CON-100). */
export function askQuestions(
  state: ConductState,
  kind: NonNullable<ConductState['round']>['kind'],
  by: string,
  questions: readonly (string | ReturnType<typeof say>)[],
): Next {
  const rounds = state.counts.rounds + 1;
  const round = {
    id: `${state.run}.r${rounds}`,
    kind,
    by,
    questions: questions.slice(0, 10).map((text, i) => ({ id: `q${i + 1}`, text })),
  };
  const asked = kind === 'worker' ? state.rounds_asked + 1 : state.rounds_asked;
  return go(state, { round, rounds_asked: asked, counts: { ...state.counts, rounds } }, [
    { kind: 'entry', name: 'round', data: round },
    notice(say('conduct.notice.asks', { by, n: round.questions.length })),
  ]);
}

/** The fields that every gate's brief copies from its worker's result. */
function common(
  result: QuestionDraft,
  by: string,
  type: KnowledgeType,
): Pick<Composition, 'by' | 'grounds' | 'related' | 'reasoning' | 'decision'> {
  return {
    by,
    grounds: result.grounds,
    related: result.related,
    reasoning: result.reasoning,
    decision: result.decision ? { ...result.decision, type } : null,
  };
}

/** The brief shows the person what the ledger does not cover (CON-96). */
function gapLine({ gap }: QuestionDraft) {
  return gap === null ? [] : [say('conduct.context.gap', { gap })];
}

const DELIVERABLE = say('conduct.banner.deliverable');

export function isDecisionOnly({ labels }: Pick<ConductState, 'labels'>): boolean {
  return labels.includes('decision-only');
}

export function onClarified(state: ConductState, result: Clarification): Next {
  return drafted(state, 'clarify', result, (draft, written) => {
    const payload: PromisedWrite[] = [
      ...draft.criteria.map((text) => ({ kind: 'acceptance_criterion' as const, text })),
      ...draft.labels.map((label) => ({ kind: 'label_add' as const, label })),
    ];
    const deliverable = isDecisionOnly(state) && draft.deliverable;
    const banners = deliverable ? [DELIVERABLE] : [];
    return compose(state, {
      ...common(draft, 'clarify', 'specification'),
      reason: 'clarification-draft',
      doc: docOf(written, { payload, context: gapLine(draft), banners }),
      pending_activity: 'clarifying',
      deliverable,
    });
  });
}

/** Existing children are confirmed and never created a second time (CON-76). */
export function onDecomposed(state: ConductState, result: Decomposition): Next {
  return drafted(state, 'decompose', result, (draft, written) => {
    const existing = new Set(state.children.filter((child) => !child.archived).map(({ title }) => title));
    const made = draft.children.filter(({ title }) => !existing.has(title));
    const payload: PromisedWrite[] = [
      ...made.map(({ criteria: _, ...child }) => ({ kind: 'child_ticket' as const, ...child })),
      ...made.flatMap(({ key, criteria }) =>
        criteria.map((criterion) => ({ kind: 'ac_transfer' as const, criterion, child: key })),
      ),
    ];
    const doc = docOf(written, { payload, context: gapLine(draft) });
    return compose(state, {
      ...common(draft, 'decompose', 'architecture'),
      reason: 'decomposition-proposal',
      doc: withSplitLines(doc, state),
      pending_activity: 'decomposing',
    });
  });
}

const SPLIT_LINES: readonly string[] = ['conduct.context.child_there', 'conduct.context.no_split'];

/**
 * Lists existing children, or says that the ticket is not split.
 * The promised writes list the children an accept creates.
 */
export function withSplitLines(doc: BriefDoc, { children }: Pick<ConductState, 'children'>): BriefDoc {
  const there = children
    .filter(({ archived }) => !archived)
    .map(({ title }) => say('conduct.context.child_there', { title }));
  const splits = doc.payload.some((write) => (write as { kind?: unknown }).kind === 'child_ticket');
  const none = there.length === 0 && !splits ? [say('conduct.context.no_split')] : [];
  const others = doc.context.filter((text) => typeof text === 'string' || !SPLIT_LINES.includes(text.msg));
  return { ...doc, context: [...there, ...none, ...others] };
}

const TRACK_TYPES: Readonly<Record<DesignTrack, KnowledgeType>> = {
  product: 'product-design',
  technical: 'technical-design',
  'ux-ui': 'ux-ui-design',
};

/**
 * The current track: the first required one that is not done.
 * Null if all are done or the required tracks are not known yet.
 */
export function trackOf({ required, done }: ConductState['tracks']): DesignTrack | null {
  return required?.find((track) => !done.includes(track)) ?? null;
}

/** The worker of the gate names the required tracks, not the engine, unless a person has set them (CON-81, 82). */
export function onDesigned(state: ConductState, result: Design): Next {
  return drafted(state, 'design', result, (draft, written) => {
    const required = state.tracks.required ?? draft.tracks;
    const tracks = { ...state.tracks, required: [...new Set(required)] };
    const track = trackOf(tracks) ?? draft.tracks[0] ?? 'technical';
    const last = isLastTrack(tracks, track);
    const deliverable = last && isDecisionOnly(state);
    const banners = deliverable ? [DELIVERABLE] : [];
    const context = [
      ...gapLine(draft),
      say('conduct.context.track', { track, required: required.join(', ') }),
    ];
    return compose(
      state,
      {
        ...common(draft, 'design', TRACK_TYPES[track]),
        reason: 'design-decision-draft',
        doc: docOf(written, { context, banners }),
        track,
        pending_activity: last ? 'designing' : null,
        deliverable,
      },
      { tracks },
    );
  });
}

export function isLastTrack(tracks: ConductState['tracks'], track: DesignTrack): boolean {
  return (tracks.required ?? []).every((one) => one === track || tracks.done.includes(one));
}

/**
 * The label and the tracks decide if accepting the open design ends the ticket (CON-92). When that changes, the brief
 * gets a new iteration, so that an accept always covers what was shown.
 */
export function withDeliverable(state: ConductState): ConductState {
  const { brief } = state;
  const last = brief?.reason === 'design-decision-draft' && brief.pending_activity === 'designing';
  const deliverable = isDecisionOnly(state) && (last || brief?.deliverable === true);
  if (!brief || brief.deliverable === deliverable) return state;
  const others = brief.doc.banners.filter((text) => typeof text === 'string' || text.msg !== DELIVERABLE.msg);
  const doc = { ...brief.doc, banners: deliverable ? [...others, DELIVERABLE] : others };
  return { ...state, brief: { ...brief, doc, deliverable, iteration: brief.iteration + 1 } };
}

export function onPlanned(state: ConductState, result: TicketPlan): Next {
  return drafted(state, 'plan', result, (draft, written) => {
    const payload = draft.checklist.map((text) => ({ kind: 'checklist_item' as const, text }));
    const text = draft.decision?.body ?? draft.checklist.join('\n');
    return compose(
      state,
      {
        ...common(draft, 'plan', 'specification'),
        reason: 'plan-draft',
        doc: docOf(written, { payload, context: gapLine(draft) }),
        pending_activity: 'planning',
      },
      { plan: { text, accepted: null, provenance: null, go: false } },
    );
  });
}

/** A patch brings a stale ticket up to date, with or without redone work (CON-97). */
export function onPatched(state: ConductState, result: StalePatch): Next {
  return drafted(state, 'stale_patch', result, (draft, written) => {
    const { stale } = state;
    const args = { id: stale?.id ?? '', by: stale?.superseded_by ?? 'none' };
    const context = [say('conduct.context.superseded', args), ...gapLine(draft)];
    return compose(state, {
      ...common({ ...draft, decision: null }, 'stale_patch', 'convention'),
      reason: 'stale-patch-review',
      doc: docOf(written, { context }),
      pending_activity: draft.rework,
    });
  });
}
