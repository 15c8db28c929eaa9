import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import type { SpecState } from '../../contract/spec.ts';
import { end, follow, wait } from '../../engine/decide.ts';
import { type ConventionMove, type ConventionScope, decideConventions } from '../kit/conventions.ts';
import type { AnalystTable } from './analysts.ts';
import { tierOf } from './calls.ts';
import { go, halt, type Next } from './moves.ts';
import { specPhases } from './phases.ts';

/** The next step of the run and its continuation. Total and pure: called again while the step runs, it is the same. */
export function decide(state: SpecState, analysts: AnalystTable): Next {
  const { ended, halted, convention_stage } = state;
  if (ended) {
    const { result, why, successor } = ended;
    return end({ result, ...(why ? { why } : {}), ...(successor ? { successor } : {}) });
  }
  if (halted) return wait({ kind: 'command', commands: ['resume', 'abandon'], why: halted.why });
  // A migrated run may need its conventions while its documents are written. The write comes first.
  if (convention_stage && !isWriting(state))
    return follow(decideConventions(convention_stage, conventionScope(state)), (move, at) =>
      afterConventions(state, move, at),
    );
  return specPhases[state.phase].decide(state, analysts);
}

function isWriting({ phase, approved }: SpecState): boolean {
  return phase === 'spec_ready' && approved !== null;
}

/** Input of the shared convention step from this run. */
function conventionScope(state: SpecState): ConventionScope {
  const { task, user_lang, has_git, cli_flags } = state;
  return { task, lang: user_lang, has_git, ...cli_flags, tier: tierOf(state) };
}

/** The shared convention step in this workflow. One move sets `conventions` and the next phase. */
function afterConventions(state: SpecState, move: ConventionMove, at: Instant): Move<SpecState> {
  if (move.to === 'halt') return halt(state, at, move.why, move.records);
  // A second check replaces conventions that it finds again. It never repeats a question that was decided (SP-50).
  const found = move.to === 'set' && move.conventions !== 'skipped';
  if (state.conventions && !found) return go(state, at, { convention_stage: null });
  if (move.to === 'stage') return go(state, at, { convention_stage: move.stage }, move.records);
  const done = { conventions: move.conventions, convention_stage: null };
  // A run from a later phase returns to that phase. `qa_round` starts at 1 only if it is absent (SP-30).
  if (state.phase !== 'convention_scan_active') return go(state, at, done, move.records);
  return go(state, at, { ...done, phase: 'qa_active', qa_round: state.qa_round ?? 1 }, move.records);
}
