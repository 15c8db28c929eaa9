import type { Answer } from '../../contract/answer.ts';
import { BriefDoc } from '../../contract/brief.ts';
import type { ActiveBrief, ConductState } from '../../contract/conduct.ts';
import type { Instant } from '../../contract/ids.ts';
import type { MoveRecord } from '../../contract/move.ts';
import { lintBrief } from '../../engine/brief.ts';
import { dayAfter } from '../../engine/calendar.ts';
import type { Decision } from '../../engine/decide.ts';
import { parseJson } from '../../engine/parse-json.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { acceptBrief, resolution } from './accept.ts';
import { askPerson } from './calls.ts';
import { ownDraft, plainText } from './compose.ts';
import { type ConductGate, conductGates } from './gates.ts';
import { say } from './messages.ts';
import { type Actor, actorOf, andThen, go, type Next, notice, patchedOnce, travel } from './moves.ts';
import { withOwnLines } from './own-lines.ts';
import { notOwnWords } from './own-words.ts';
import { readPayload, withPromises } from './payload.ts';

/** After this many days, a person should review a deferral or a research finding (CON-71, 98). */
export const REVIEW_DAYS = 90;

/** The gate of each kind of brief. Verify and reopen have other options. */
const GATE_OF = {
  'clarification-draft': 'clarify',
  'decomposition-proposal': 'decompose',
  'design-decision-draft': 'design',
  'plan-draft': 'plan',
  'release-decision-pending': 'release',
  'stale-patch-review': 'patch',
} as const satisfies Record<string, ConductGate>;

/** Asks about the open brief. */
export function askAboutBrief(state: ConductState, brief: ActiveBrief): Decision<Next> {
  const { reason } = brief;
  const spec = { brief: brief.doc, edition: brief.iteration, typed: state.run };
  const on = {
    accept: (answer: Answer) => acceptBrief(state, brief, answer),
    reshape: (answer: Answer) => reshape(state, brief, answer),
    edit: (answer: Answer) => edit(state, brief, answer),
    deny: (answer: Answer) =>
      reason === 'stale-patch-review' ? keepDiverging(state, brief, answer) : defer(state, answer),
  };
  switch (reason) {
    case 'verification-ack-pending': {
      // A parent has no build of its own to go back to.
      const offers = state.parent_ticket ? { offers: ['accept', 'reshape', 'edit', 'deny'] } : {};
      const back = (answer: Answer) => goBack(state, answer);
      return askPerson(state, conductGates.verify, { name: 'verify', ...spec, ...offers }, { ...on, back });
    }
    case 'revise-scope-review':
      return askPerson(
        state,
        conductGates.reopen,
        { name: 'reopen', ...spec },
        {
          accept: on.accept,
          deny: ({ by, text }) =>
            go(state, { brief: null }, [
              resolution(brief, 'defer', actorOf(by), text),
              notice(say('conduct.notice.not_reopened', { run: state.run })),
            ]),
        },
      );
    default: {
      const name = GATE_OF[reason];
      return askPerson(state, conductGates[name], { name, ...spec }, on);
    }
  }
}

/** The worker drafts the brief again. Nothing else changes, and a person answers the redraft (CON-75, 110). */
function reshape(state: ConductState, brief: ActiveBrief, { text, by }: Answer): Next {
  const pending = { command: 'iterate' as const, detail: text ?? '' };
  const revised = { ...brief, revised: true };
  return go(state, { pending, brief: revised, judged: null, release: beforeDraft(state, brief) }, [
    resolution(brief, 'iterate', actorOf(by), text),
  ]);
}

/** A release brief is drafted again from the last report of the host. */
function beforeDraft({ release }: ConductState, { reason }: ActiveBrief): ConductState['release'] {
  return reason === 'release-decision-pending' ? { ...release, stage: 'draft' } : release;
}

/** A person changes fields of the brief document as JSON, including the promised writes (CON-109). */
function edit(state: ConductState, brief: ActiveBrief, { text, by }: Answer): Next | Rejection {
  const doc = editedDoc(state, brief, text ?? '');
  if (isRejection(doc)) return doc;
  const { name } = actorOf(by);
  const edited = { ...brief, doc, iteration: brief.iteration + 1, revised: true, edited_by: name };
  const { id, reason, iteration, track } = edited;
  return go(state, { brief: edited, judged: null }, [
    resolution(brief, 'edit', actorOf(by), text),
    { kind: 'entry', name: 'brief', data: { id, reason, iteration, track, doc } },
    notice(say('conduct.notice.edited', { by: name, iteration })),
  ]);
}

/** Lines of the engine stay. The editor cannot remove the banners, the criteria or the evidence of a verify brief. */
function editedDoc(state: ConductState, { doc, reason }: ActiveBrief, text: string): BriefDoc | Rejection {
  const allowed = Object.keys(BriefDoc.shape).join(', ');
  const look = `baton call get_brief '{"task_id": "${state.run}"}'`;
  const bad = (field: string, problem: string) =>
    reject('bad_input', { field, problem, allowed, look }, { msg: 'conduct.edit_refused' });
  const given = parseJson(text);
  if (given === undefined) return bad('text', 'not JSON');
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return bad('text', 'not an object of fields');
  const own = ['banners', 'criteria'].find((field) => field in (given as object));
  if (own !== undefined) return bad(own, 'written by the engine');
  const parsed = BriefDoc.safeParse({ ...doc, ...given });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return bad(issue?.path.join('.') || 'doc', issue?.message ?? 'not readable');
  }
  const said = notOwnWords(parsed.data, doc);
  if (said !== null) return bad(said, 'text of ours, write your own');
  const payload = readPayload(parsed.data.payload, state);
  if ('problem' in payload) return bad(payload.at, payload.problem);
  const edited = withPromises(withOwnLines({ ...parsed.data, payload }, reason, state), state);
  const botAuthored = state.build_pr?.author_is_bot ?? false;
  const [wrong] = lintBrief(edited, plainText, { reason, botAuthored }).errors;
  return wrong ? bad(wrong.at, wrong.code.replaceAll('_', ' ')) : edited;
}

/** Deny parks the ticket on a person's word. The reason becomes a ledger entry to review later (CON-71, 105). */
export function defer(state: ConductState, { text, by, at }: Answer): Next {
  const actor = actorOf(by);
  const why = text?.trim() ? text.trim() : null;
  const resolved = state.brief ? [resolution(state.brief, 'defer', actor, why)] : [];
  const draft = ownDraft(state.brief);
  const dropped: MoveRecord[] = draft ? [{ kind: 'knowledge_status', id: draft, status: 'Archived' }] : [];
  const entry = why === null ? { state, records: [] } : deferral(state, why, at);
  return andThen({ state: entry.state, records: [...resolved, ...dropped, ...entry.records] }, (now) =>
    park(now, why, actor, at),
  );
}

function deferral(state: ConductState, why: string, at: Instant): Next {
  const decisions = state.counts.decisions + 1;
  const id = `${state.run}.d${decisions}`;
  return go(state, { counts: { ...state.counts, decisions } }, [
    {
      kind: 'knowledge',
      entry: {
        id,
        type: 'deferral',
        status: 'Accepted',
        title: `Deferred: ${state.title}`.slice(0, 200),
        body: why.slice(0, 20_000),
        domains: ['process'],
        source_type: 'ticket',
        source_activity: 'defer',
        source_task_id: state.run,
        review_by: dayAfter(at, REVIEW_DAYS),
      },
    },
    { kind: 'knowledge_link', id },
  ]);
}

/** A parked ticket stores its previous state. Only a person can bring it back (S11). */
function park(state: ConductState, why: string | null, by: Actor, at: Instant): Next {
  return leave(state, 'parking', why, { by, at });
}

export function leave(
  state: ConductState,
  activity: 'parking' | 'cancelling',
  why: string | null,
  { by, at }: { by: Actor; at: Instant },
): Next {
  const prev_state = state.phase === 'Parked' ? state.prev_state : state.phase;
  const gone = {
    prev_state,
    left: { by: by.name, why: why?.slice(0, 2_000) ?? null },
    idle_because: null,
    ended: activity === 'cancelling',
  };
  return andThen(travel(state, activity, by, at), (after) => go(after, gone));
}

/**
 * The person knows of the newer decision and keeps the ticket as it
 * is. The divergence is recorded and nothing is parked (CON-97).
 */
function keepDiverging(state: ConductState, brief: ActiveBrief, { text, by }: Answer): Next {
  const why = `knowing-divergence: ${text?.trim() ?? ''}`.trim();
  const after = { brief: null, ...patchedOnce(state), knowledge: null, judged: null, pending: null };
  return go(state, after, [
    resolution(brief, 'defer', actorOf(by), text),
    { kind: 'decision', name: 'knowing_divergence', data: { about: state.stale, why, by: actorOf(by).name } },
    notice(say('conduct.notice.diverges', { why })),
  ]);
}

/** A person found a problem in the released change. The ticket goes back to build with their report (CON-91). */
function goBack(state: ConductState, { text, by, at }: Answer): Next {
  const actor = actorOf(by);
  const resolved = state.brief ? [resolution(state.brief, 'back', actor, text)] : [];
  const data = { kind: 'problem found at verify', text: text ?? '' };
  const first = go(state, { observed: null, runbook: [], plan: state.plan && { ...state.plan, go: true } }, [
    ...resolved,
    { kind: 'entry', name: 'answers', data },
  ]);
  // The person's answer moves it from Released to Built, the next
  // step from Built to Planned. Both are edges of the table.
  return andThen(
    andThen(first, (now) => travel(now, 'revising-building', actor, at)),
    (after) => go(after, { hops: ['revising-building'], idle_because: null }),
  );
}
