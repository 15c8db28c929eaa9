import type { AnsweredBy } from '../../contract/answer.ts';
import type { Msg } from '../../contract/brief.ts';
import type { DeliverPhase, DeliverState } from '../../contract/deliver.ts';
import { type Changes, SHOWN } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Failure } from '../../contract/outcome.ts';
import { detectLanguage } from '../../engine/language.ts';
import { say } from './messages.ts';

/** Phases whose documents are written when they are entered (WF-84). */
const DOCUMENTED: readonly DeliverPhase[] = [
  'plan_done',
  'generate_done',
  'verify_done',
  'evaluate_done',
  'completed',
];
/** Phases people are told about: the beginning and the end of each part (WF-88). */
const TOLD: readonly DeliverPhase[] = [...DOCUMENTED, 'planning', 'generating', 'verifying', 'evaluating'];

/**
 * One move: the fields that change together, the time it happened, and what is added beside the state. Entering a
 * phase opens its halt and its documents anew, and is told.
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
  const entered = { docs_due: DOCUMENTED.includes(phase), rested: false };
  const told = TOLD.includes(phase) ? [notice(say(`deliver.phase.${phase}`))] : [];
  return { state: { ...state, ...entered, ...changes, updated_at: at }, records: [...records, ...told] };
}

export function notice(text: Msg, level: 'info' | 'warning' = 'info'): MoveRecord {
  return { kind: 'notice', level, text };
}

export function warning(text: Msg): MoveRecord {
  return notice(text, 'warning');
}

/** The run stands still with all it has; a resume does the same step again. */
export function haltFailed(
  state: DeliverState,
  at: Instant,
  why: Msg,
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  return go(state, at, { halted: { kind: 'failed', why } }, [...records, warning(why)]);
}

/** The world failed us: nothing is lost. */
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

/** The beginning of a text for display; never splits a character. */
export function cutText(text: string, max: number): string {
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '');
}

/** The first line of a text, cut: what stands in a list. */
export function oneLine(text: string, max: number = SHOWN.characters): string {
  return cutText(text.replace(/\s+/g, ' ').trim(), max);
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
