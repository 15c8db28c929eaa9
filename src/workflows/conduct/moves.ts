import type { AnsweredBy } from '../../contract/answer.ts';
import type { Msg } from '../../contract/brief.ts';
import type { ConductState, WorkerFault } from '../../contract/conduct.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Activity, TicketGate, TicketState } from '../../contract/ticket.ts';
import { gateOf, isBefore } from '../../engine/delegation.ts';
import { InvariantError } from '../../engine/errors.ts';
import { provenance } from '../../engine/provenance.ts';
import { isRejection } from '../../engine/rejection.ts';
import { edge } from './edges.ts';
import { say } from './messages.ts';

export type Next = Move<ConductState>;

/** Who caused a move: a person at a surface, a drive acting for a person, or a rule of the engine. */
export interface Actor {
  readonly name: string;
  readonly provenance: string;
}

export const ENGINE: Actor = { name: 'engine', provenance: 'engine' };

export function actorOf(by: AnsweredBy): Actor {
  const name = 'person' in by ? by.person : by.agent;
  return { name: name.slice(0, 300), provenance: provenance(by) };
}

export function isPerson({ provenance }: Actor): boolean {
  return provenance.startsWith('human:');
}

export function go(
  state: ConductState,
  changes: Partial<ConductState>,
  records: readonly MoveRecord[] = [],
): Next {
  return { state: { ...state, ...changes }, records };
}

/** Chains two moves. The second gets the state that the first one left. */
export function andThen(first: Next, more: (state: ConductState) => Next): Next {
  const second = more(first.state);
  return {
    state: second.state,
    records: [...first.records, ...second.records],
    ...(first.interrupt || second.interrupt ? { interrupt: true as const } : {}),
  };
}

export function notice(text: Msg, level: 'info' | 'warning' = 'info'): MoveRecord {
  return { kind: 'notice', level, text };
}

/** An accept of an earlier build does not count for this one (CON-86). */
export const FRESH_RELEASE: ConductState['release'] = {
  stage: 'query',
  found: null,
  accepted: null,
  merged_sha: null,
  deployed_sha: null,
  waits: 0,
  wait_until: null,
};

/**
 * Cleared when the ticket leaves a gate: its brief, questions,
 * judgement, findings, trouble, and the moves planned there (CON-34).
 */
export const GATE_LEFT = {
  brief: null,
  round: null,
  rounds_asked: 0,
  pending: null,
  set_aside: null,
  judging: false,
  judged: null,
  knowledge: null,
  trouble: null,
  reopening: null,
  hops: [],
  building: null,
} satisfies Partial<ConductState>;

/** True if the activity leads out of the ticket's state. A rolled-up parent has no build of its own to go back to. */
export function leavesState({ phase, stale, parent_ticket }: ConductState, activity: Activity): boolean {
  if (parent_ticket && activity.startsWith('revising-')) return false;
  return !isRejection(edge(phase, activity, { stale: stale !== null }));
}

/** Moves the ticket along one edge of the table and clears everything that belongs to the gate it leaves. */
export function travel(state: ConductState, activity: Activity, by: Actor, at: Instant): Next {
  const found = edge(state.phase, activity, { stale: state.stale !== null });
  if (isRejection(found) || found.to === null)
    throw new InvariantError(`${state.run}: ${activity} does not lead out of ${state.phase}`);
  return arriveAt(state, found.to, activity, { by, at });
}

export function arriveAt(
  state: ConductState,
  to: TicketState,
  activity: Activity,
  { by, at }: { by: Actor; at: Instant },
): Next {
  const data = { at, activity, from: state.phase, to, by: by.name, provenance: by.provenance };
  const after: ConductState = {
    ...state,
    ...GATE_LEFT,
    ...arrival(state, to, activity),
    phase: to,
    activity,
  };
  return {
    state: after,
    records: [
      { kind: 'entry', name: 'history', data },
      notice(say('conduct.notice.moved', { run: state.run, from: state.phase, to })),
      ...notifyParent(after),
      ...abandoned(state, to),
    ],
  };
}

/**
 * Going back clears the stale state and, except on the way to Built,
 * the build. Entering Built always needs a new accept (CON-86).
 */
function arrival(state: ConductState, to: TicketState, activity: Activity): Partial<ConductState> {
  const merged_sha = activity === 'building' ? null : state.release.merged_sha;
  const deployed_sha = activity === 'unparking' ? (state.release.deployed_sha ?? null) : null;
  const back = activity.startsWith('revising-');
  const gate = gateOf(to);
  return {
    ...(back ? { stale: null, stale_more: [] } : {}),
    ...(back && gate && to !== 'Built' ? { ...undone(state, gate), build: null, build_pr: null } : {}),
    ...(to === 'Built' ? { release: { ...FRESH_RELEASE, merged_sha, deployed_sha } } : {}),
  };
}

/** Clears the results of the gates that the ticket goes back over. */
export function undone({ tracks }: ConductState, to: TicketGate): Partial<ConductState> {
  const from = (gate: TicketGate) => !isBefore(gate, to);
  const required = tracks.by_person ? tracks.required : null;
  return {
    ...(from('design') ? { tracks: { ...tracks, required, done: [] } } : {}),
    ...(from('plan') ? { plan: null, checklist: [] } : {}),
    ...(from('clarify') ? { criteria: [] } : {}),
  };
}

/** One patch is done. If another decision was superseded meanwhile, it is the next one to patch. */
export function patchedOnce({ stale_more }: ConductState): Pick<ConductState, 'stale' | 'stale_more'> {
  const [next = null, ...rest] = stale_more;
  return { stale: next, stale_more: rest };
}

/** Abandons the build run if the ticket no longer waits for it. */
function abandoned({ building, build_run }: ConductState, to: TicketState): MoveRecord[] {
  const left = building === 'child' && build_run !== null && to !== 'Built';
  return left ? [{ kind: 'command', to: build_run, command: 'abandon' }] : [];
}

/** Sends number, title, state and the archived flag to the parent, which knows its children only by these messages. */
export function notifyParent(state: ConductState): MoveRecord[] {
  const { parent, parent_key: key, run: id, title, phase, archived } = state;
  if (parent === null) return [];
  return [{ kind: 'message', to: parent, name: 'child', data: { key, id, title, state: phase, archived } }];
}

/** The ticket stays where it is. A gate shows the person what went wrong and asks what to do (CON-105). */
export function inTrouble(state: ConductState, fault: WorkerFault, what: string, detail: string): Next {
  const text = detail.replace(/\s+/g, ' ').trim().slice(0, 900);
  const trouble = { fault, what: what.slice(0, 300), detail: text };
  return go(state, { trouble }, [
    { kind: 'entry', name: 'trouble', data: trouble },
    notice(say('conduct.notice.trouble', { what, detail: text }), 'warning'),
  ]);
}

/** The ticket stays idle until it is conducted again. */
export function stayIdle(state: ConductState, why: Msg, records: readonly MoveRecord[] = []): Next {
  return go(state, { idle_because: why }, [...records, notice(why)]);
}

/** Live children: those that are not archived and not cancelled (S8). */
export function activeChildren({ children }: ConductState): ConductState['children'] {
  return children.filter(({ archived, state }) => !archived && state !== 'Cancelled');
}
