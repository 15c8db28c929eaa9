import type { AnsweredBy } from '../../contract/answer.ts';
import type { Msg } from '../../contract/brief.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Failure } from '../../contract/outcome.ts';
import type { SpecState } from '../../contract/spec.ts';
import { cutText } from '../../engine/cut-text.ts';
import type { Decision } from '../../engine/decide.ts';
import { detectLanguage } from '../../engine/language.ts';
import { say } from './messages.ts';

export type Next = Decision<Move<SpecState>>;

/** One move: the fields that change together, the time, and the records added to the state. */
export function go(
  state: SpecState,
  at: Instant,
  changes: Partial<SpecState>,
  records: readonly MoveRecord[] = [],
): Move<SpecState> {
  return { state: { ...state, ...changes, updated_at: at }, records };
}

export function notice(text: Msg, level: 'info' | 'warning' = 'info'): MoveRecord {
  return { kind: 'notice', level, text };
}

/** The run waits with its whole state. Only a person's command continues it. */
export function halt(
  state: SpecState,
  at: Instant,
  why: Msg,
  records: readonly MoveRecord[] = [],
): Move<SpecState> {
  return go(state, at, { halted: { why } }, [...records, notice(why, 'warning')]);
}

/** An outside operation failed. Nothing is lost, and a resume repeats the same step. */
export function failed(
  state: SpecState,
  what: string,
  { code, detail }: Failure,
  at: Instant,
): Move<SpecState> {
  return halt(state, at, say('spec.halt.failed', { what, code, detail }));
}

/** Free text of a person may switch the language (WF-31), unless a language was named at the start. */
export function languageAfter(state: SpecState, text: string): SpecState['user_lang'] {
  return state.lang_explicit ? state.user_lang : detectLanguage(text, state.user_lang);
}

export function nameOf(by: AnsweredBy): string {
  return cutText('person' in by ? by.person : by.agent, 300);
}

/** Where documents go, and the branch they would be committed on. */
export function locationsOf(namespace: string, slug: string): { docs_path: string; branch: string } {
  return { docs_path: `docs/${namespace}/${slug}/`, branch: `${namespace}/spec-${slug}` };
}

/** The subject a run claims when its setup commits: one live run per name. */
export function subjectOf(slug: string): string {
  return `spec:${slug}`;
}
