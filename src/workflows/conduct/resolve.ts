import type { Answer } from '../../contract/answer.ts';
import { BriefDoc } from '../../contract/brief.ts';
import { type ActiveBrief, type ConductState, TICKET_CAPS } from '../../contract/conduct.ts';
import type { Instant } from '../../contract/ids.ts';
import type { MoveRecord } from '../../contract/move.ts';
import { lintBrief } from '../../engine/brief.ts';
import { dayAfter } from '../../engine/calendar.ts';
import { parseJson } from '../../engine/parse-json.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { acceptBrief, resolution } from './accept.ts';
import { provePresent, readyToBuild } from './build.ts';
import { ownDraft, plainText } from './compose.ts';
import type { ConductGate } from './gates.ts';
import { say } from './messages.ts';
import {
  type Actor,
  actorOf,
  andThen,
  go,
  isPerson,
  type Next,
  notice,
  patchedOnce,
  travel,
} from './moves.ts';
import { withOwnLines } from './own-lines.ts';
import { notOwnWords } from './own-words.ts';
import { readPayload, withPromises } from './payload.ts';
import { executeReopen } from './reopen.ts';

/** After this many days, a person should review a deferral or a research finding (CON-71, 98). */
export const REVIEW_DAYS = 90;

type OnAnswer = (state: ConductState, answer: Answer) => Next | Rejection;

/** The handler for the answers at each gate. Release and verify accept answers only from a person (CON-90). */
export const ON_ANSWER: Readonly<Record<ConductGate, OnAnswer>> = {
  clarify: onBrief,
  decompose: onBrief,
  design: onBrief,
  plan: onBrief,
  release: byPerson(onBrief),
  verify: byPerson((state, answer) =>
    answer.option === 'back' ? goBack(state, answer) : onBrief(state, answer),
  ),
  parent_ticket: byPerson(onParentTicket),
  patch: byPerson(onBrief),
  reopen: byPerson(onReopen),
  build_go: byPerson(onGo),
  approval: byPerson((state, answer) =>
    answer.option === 'deny'
      ? defer(state, answer)
      : go(state, { release: { ...state.release, stage: 'recheck' } }),
  ),
  round: byPerson(onRound),
  trouble: byPerson((state, answer) => (answer.option === 'deny' ? defer(state, answer) : retry(state))),
};

function byPerson(on: OnAnswer): OnAnswer {
  return (state, answer) => (isPerson(actorOf(answer.by)) ? on(state, answer) : reject('not_a_person'));
}

function onBrief(state: ConductState, answer: Answer): Next | Rejection {
  const { brief } = state;
  if (!brief) return reject('wrong_moment');
  switch (answer.option) {
    case 'accept':
      return acceptBrief(state, brief, answer);
    case 'reshape':
      return reshape(state, brief, answer);
    case 'edit':
      return edit(state, brief, answer);
    default:
      return brief.reason === 'stale-patch-review'
        ? keepDiverging(state, brief, answer)
        : defer(state, answer);
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
function defer(state: ConductState, { text, by, at }: Answer): Next {
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

/** All children are verified, so a person's accept is enough, with or without a brief (CON-79). */
function onParentTicket(state: ConductState, answer: Answer): Next {
  const by = actorOf(answer.by);
  const data = {
    brief: null,
    reason: 'verification-ack-pending',
    command: 'accept',
    provenance: by.provenance,
    by: by.name,
  };
  const moved = andThen(travel(state, 'verifying', by, answer.at), (after) =>
    go(after, { ended: true, idle_because: null }),
  );
  return { ...moved, records: [{ kind: 'decision', name: 'brief_resolved', data }, ...moved.records] };
}

/**
 * Answers a way back that a person requested or a brief proposes. If the person declines, the ticket stays where it is.
 */
function onReopen(state: ConductState, answer: Answer): Next | Rejection {
  const { reopening, brief } = state;
  const by = actorOf(answer.by);
  if (answer.option === 'accept')
    return !reopening && brief ? acceptBrief(state, brief, answer) : executeReopen(state, by, answer.at);
  const closed = reopening ? { reopening: null } : { brief: null };
  const resolved = !reopening && brief ? [resolution(brief, 'defer', by, answer.text)] : [];
  return go(state, closed, [...resolved, notice(say('conduct.notice.not_reopened', { run: state.run }))]);
}

function onGo(state: ConductState, answer: Answer): Next {
  if (answer.option !== 'accept') return defer(state, answer);
  const by = actorOf(answer.by);
  const plan = state.plan && { ...state.plan, go: true };
  return andThen(
    go(state, { plan }, [
      { kind: 'decision', name: 'build_go', data: { by: by.name, provenance: by.provenance } },
    ]),
    readyToBuild,
  );
}

/** Passes the answers to the part that asked. The next draft uses each set of answers once (CON-100). */
function onRound(state: ConductState, { fields, by }: Answer): Next {
  const { round } = state;
  if (!round) return go(state, {});
  const answers = round.questions.map(({ id, text }) => ({ question: text, answer: fields[id] ?? '' }));
  const first = go(state, { round: null }, [
    { kind: 'entry', name: 'answers', data: { round: round.id, by: actorOf(by).name, answers } },
  ]);
  return andThen(first, (now) =>
    ON_ROUND[round.kind](
      now,
      answers.map(({ answer }) => answer),
    ),
  );
}

type Round = NonNullable<ConductState['round']>;

const ON_ROUND: Readonly<Record<Round['kind'], (state: ConductState, answers: readonly string[]) => Next>> = {
  worker: (state) => go(state, {}),
  /** Each line is a criterion. Then the build starts. */
  criteria: (state, answers) => {
    const lines = answers
      .flatMap((text) => text.split('\n'))
      .map((line) =>
        line
          .replace(/^[-*\s]+/, '')
          .trim()
          .slice(0, 300),
      );
    const texts = lines.filter((line) => line !== '').slice(0, 20);
    const first = state.counts.criteria;
    const criteria = texts.map((text, i) => ({ id: `AC-${first + i + 1}`, text, checked: false }));
    const counts = { ...state.counts, criteria: first + texts.length };
    const all = [...state.criteria, ...criteria].slice(0, TICKET_CAPS.criteria);
    return readyToBuild({ ...state, criteria: all, counts });
  },
  tests: (state, [why = '']) => provePresent({ ...state, exemption: why.slice(0, 2_000) }),
  pulls: (state) => go(state, {}),
  stuck: (state) => go(state, {}),
};

/** Repeats the same step. A build without a result is started again. */
function retry(state: ConductState): Next {
  const again = state.phase === 'Planned' && state.building === null && state.plan?.go;
  const lifted = { ...state, trouble: null, rounds_asked: 0 };
  return again ? readyToBuild(lifted) : go(lifted, {});
}
