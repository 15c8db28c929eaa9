import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Draft, SpecState } from '../../contract/spec.ts';
import type { SpecDoc } from '../../contract/spec-work.ts';
import type { EndedFailed, EndedOk } from '../../engine/decide.ts';
import { say } from './messages.ts';
import { go, halt, notice } from './moves.ts';
import { partsWithCode } from './spec-checks.ts';

/** A delivered specification as the state stores it, and the record that stores its text. */
export function draftOf({ result: doc, artefact: hash }: EndedOk<SpecDoc>): {
  readonly draft: Draft;
  readonly record: MoveRecord;
} {
  const draft = { hash, criteria: doc.acceptance_criteria.length, code_in: partsWithCode(doc) };
  return { draft, record: { kind: 'artefact', name: 'spec', hash } };
}

/** Moves to the approval gate and reports the status a person needs there (SP-68). */
export function draftReady(
  state: SpecState,
  at: Instant,
  changes: Partial<SpecState>,
  records: readonly MoveRecord[] = [],
): Move<SpecState> {
  const ready = say('spec.notice.draft', {
    criteria: (changes.spec ?? state.spec)?.criteria ?? 0,
    open: state.unconfirmed.length,
    mode: state.mode ?? 'quick',
    round: state.qa_round ?? 1,
    output: `${state.docs_path}spec.md`,
  });
  return go(state, at, { ...changes, phase: 'spec_ready' }, [...records, notice(ready)]);
}

/** No attempt gave a valid specification. The run halts without losing its phase, answers and analyses (SP-35). */
export function haltGeneration(
  state: SpecState,
  { attempts, kind: reason }: EndedFailed,
  at: Instant,
): Move<SpecState> {
  return halt({ ...state, phase: 'gen_ready' }, at, say('spec.halt.generation', { attempts, reason }));
}
