import type { DeliverState } from '../../contract/deliver.ts';
import { hasOwnTree } from './locations.ts';
import { ruleOf } from './verdict-rule.ts';

/**
 * Marks outdated documents as due where a person reads them. In a run's own tree that is a halt, and the finish, which
 * commits them. In the person's own folder it is every phase that ends a part, but not one that closes the run at once.
 */
export function withDueDocuments(state: DeliverState): DeliverState {
  if (state.documents !== 'outdated') return state;
  const read = state.phase === 'completed' || isHaltDue(state) || (!hasOwnTree(state) && !isClosing(state));
  return read ? { ...state, documents: 'due' } : state;
}

/** True if the run style requires a halt here (WF-30, WF-86). A run halts once per entry of a phase. */
export function isHaltDue(state: DeliverState): boolean {
  return !state.was_idle && (HALTS_IN[state.phase]?.(state) ?? false);
}

const HALTS_IN: Readonly<Partial<Record<DeliverState['phase'], (state: DeliverState) => boolean>>> = {
  plan_done: ({ run_style, plan: { revising } }) => run_style !== 'auto' && !revising,
  generate_done: ({ run_style, attempt: { repair } }) => run_style === 'phase' && repair === null,
  verify_done: (state) => {
    const {
      run_style,
      checks: { verify, waiver },
    } = state;
    // A requested patch or pass comes before the halt, because the present result is outdated.
    if (isPatchOpen(state) || state.checks.pass_due) return false;
    return (
      run_style === 'step' || (run_style === 'phase' && (verify.layer1_result === 'PASS' || waiver !== null))
    );
  },
  evaluate_done: ({ run_style }) => run_style !== 'auto',
};

/** True if a patch waits for a person's answer or for its write. */
export function isPatchOpen({ checks: { autofix } }: DeliverState): boolean {
  return autofix?.applied === 'proposed' || autofix?.applied === 'accepted';
}

function isClosing({ phase, verdict: { qa }, checks: { verify }, round }: DeliverState): boolean {
  if (phase !== 'evaluate_done' || !qa) return false;
  const rule = ruleOf(qa.verdict, verify.layer2_retries, round);
  return rule === 1 || rule === 4;
}
