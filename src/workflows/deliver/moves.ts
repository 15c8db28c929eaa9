import type { AnsweredBy, Person } from '../../contract/answer.ts';
import type { Msg } from '../../contract/brief.ts';
import type { DeliverPhase, DeliverState } from '../../contract/deliver.ts';
import { type Changes, SHOWN } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord, NoticeTopic } from '../../contract/move.ts';
import type { Failure } from '../../contract/outcome.ts';
import { cutText } from '../../engine/cut-text.ts';
import { detectLanguage } from '../../engine/language.ts';
import { say } from './messages.ts';

/** Phases whose documents are written on entry (WF-84). */
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
 * halt and its documents due again, and adds a notice for the phases in TOLD.
 */
export function go(
  state: DeliverState,
  at: Instant,
  changes: Partial<DeliverState>,
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  const { phase } = changes;
  if (!phase || phase === state.phase) {
    return { state: { ...state, ...changes, updated_at: at }, records };
  }
  const entered = { docs_due: DOCUMENTED.includes(phase), was_idle: false };
  const told = TOLD.includes(phase) ? [notice(say(`deliver.phase.${phase}`), 'info', { phase })] : [];
  return { state: { ...state, ...entered, ...changes, updated_at: at }, records: [...records, ...told] };
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
  at: Instant,
  what: string,
  { code, detail }: Failure,
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
