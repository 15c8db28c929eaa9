import type { AnsweredBy, Person } from '../../contract/answer.ts';
import type { Msg } from '../../contract/brief.ts';
import {
  DELIVER_GROUPS,
  type DeliverChanges,
  type DeliverPhase,
  type DeliverState,
} from '../../contract/deliver.ts';
import { type Changes, SHOWN } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord, NoticeTopic } from '../../contract/move.ts';
import type { Failure } from '../../contract/outcome.ts';
import { cutText } from '../../engine/cut-text.ts';
import type { Decision } from '../../engine/decide.ts';
import { detectLanguage } from '../../engine/language.ts';
import { withDueDocuments } from './due-documents.ts';
import { say } from './messages.ts';

/** What a phase of this workflow decides: a step, and the move that follows it. */
export type Next = Decision<Move<DeliverState>>;

/** Phases that are entered with a new result, so the written documents are outdated (WF-84). */
const DOCUMENTED: readonly DeliverPhase[] = [
  'plan_done',
  'generate_done',
  'verify_done',
  'evaluate_done',
  'completed',
];
/** Phases that add a notice on entry: the beginning and the end of each part (WF-88). */
const TOLD: readonly DeliverPhase[] = [...DOCUMENTED, 'planning', 'generating', 'verifying', 'evaluating'];

/**
 * One move: the fields that change together, the time, and the records added to the state. Entering a phase makes its
 * halt due again, and adds a notice for the phases in TOLD.
 */
export function go(
  state: DeliverState,
  at: Instant,
  changes: DeliverChanges,
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  const { phase } = changes;
  if (!phase || phase === state.phase) {
    return { state: withDueDocuments({ ...withChanges(state, changes), updated_at: at }), records };
  }
  const documents = DOCUMENTED.includes(phase) ? 'outdated' : state.documents;
  const told = TOLD.includes(phase) ? [notice(say(`deliver.phase.${phase}`), 'info', { phase })] : [];
  const entered = withChanges({ ...state, documents, was_idle: false, updated_at: at }, changes);
  return { state: withDueDocuments(entered), records: [...records, ...told] };
}

/** The state with these changes. Fields of a group that are not named stay as they are. */
export function withChanges(state: DeliverState, changes: DeliverChanges): DeliverState {
  const groups = DELIVER_GROUPS.flatMap((group) =>
    changes[group] ? [[group, { ...state[group], ...changes[group] }]] : [],
  );
  return { ...state, ...changes, ...Object.fromEntries(groups) };
}

export function notice(text: Msg, level: 'info' | 'warning' = 'info', about?: NoticeTopic): MoveRecord {
  return { kind: 'notice', level, text, ...(about && { about }) };
}

export function warning(text: Msg): MoveRecord {
  return notice(text, 'warning');
}

/** The run waits with its whole state. A resume repeats the same step. */
export function haltFailed(
  state: DeliverState,
  at: Instant,
  why: Msg,
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  return go(state, at, { halted: { kind: 'failed', why } }, [...records, warning(why)]);
}

/** An outside operation failed. The run halts and loses nothing. */
export function worldFailed(
  state: DeliverState,
  what: string,
  { code, detail }: Failure,
  at: Instant,
): Move<DeliverState> {
  return haltFailed(
    state,
    at,
    say('deliver.halt.failed', { what, code, detail: cutText(detail, SHOWN.characters) }),
  );
}

/** Free text of a person may switch the language (WF-31), unless a language was named at the start. */
export function languageAfter(state: DeliverState, text: string): DeliverState['user_lang'] {
  return state.lang_explicit ? state.user_lang : detectLanguage(text, state.user_lang);
}

/** The whole text on one line, cut to `max`, for use in a list. */
export function oneLine(text: string, max: number = SHOWN.characters): string {
  return cutText(text.replace(/\s+/g, ' ').trim(), max);
}

/** Who answered, and the proof of it, for the evidence. */
export function signed(by: AnsweredBy): { readonly by: string } & Partial<Pick<Person, 'proof' | 'code'>> {
  if (!('person' in by)) return { by: nameOf(by) };
  const { proof, code } = by;
  return { by: nameOf(by), proof, ...(code && { code }) };
}

export function nameOf(by: AnsweredBy): string {
  return cutText('person' in by ? by.person : by.agent, 300);
}

/** Paths of the change set, in the order modified, created, deleted. */
export function changedPaths({
  changes,
}: {
  readonly changes: Pick<Changes, 'modified' | 'created' | 'deleted'> | null;
}): string[] {
  return changes ? [...changes.modified, ...changes.created, ...changes.deleted] : [];
}
