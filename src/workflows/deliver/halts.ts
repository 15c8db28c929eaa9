import type { Msg } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import { say } from './messages.ts';
import { go, notice } from './moves.ts';
import { ruleOf } from './verdict-rule.ts';

/**
 * The command a person types next: a step of this workflow, `resume`, or `answer` at a gate. `wait` means that no
 * command is due.
 */
export type NextCommand = 'plan' | 'generate' | 'verify' | 'evaluate' | 'resume' | 'answer' | 'wait';

/** The command that continues the run (WF-15). Reads only. */
export function nextCommand(state: DeliverState): NextCommand {
  if (state.halted && state.halted.kind !== 'style') return 'resume';
  return AT[state.phase]?.(state) ?? (state.halted ? 'resume' : 'wait');
}

const AT: Readonly<Partial<Record<DeliverState['phase'], (state: DeliverState) => NextCommand>>> = {
  plan_done: ({ halted }) => (halted ? 'generate' : 'answer'),
  generate_done: ({ halted }) => (halted ? 'verify' : 'wait'),
  verify_done: (state) => {
    const {
      checks: { verify, waiver },
      halted,
    } = state;
    if (verify.layer1_result === 'PASS' || waiver) return 'evaluate';
    return halted ? 'resume' : state.attempt.repair && !state.checks.early ? 'generate' : 'answer';
  },
  evaluate_done: ({ halted, verdict: { qa }, checks: { verify }, round }) => {
    if (halted) return 'resume';
    return qa && ruleOf(qa.verdict, verify.layer2_retries, round) === 3 ? 'answer' : 'wait';
  },
  completed: () => 'answer',
};

/** The run id to show in a command. */
export function runOf({ run }: Pick<DeliverState, 'run'>): string {
  return run ?? '<run>';
}

/** The run style requires a halt. A command continues the run. */
export function haltForStyle(state: DeliverState, at: Instant): Move<DeliverState> {
  const why = haltWhy(state);
  return go(state, at, { was_idle: true, halted: { kind: 'style', why } }, [notice(why)]);
}

/** Why a run is waiting by its style: the finished phase, the next command, and where the documents are (WF-30). */
function haltWhy(state: DeliverState): Msg {
  const {
    phase,
    docs_path,
    checks: { verify },
    verdict: { qa },
  } = state;
  const halted = { kind: 'style', why: say('deliver.halt.none') } as const;
  const next = nextCommand({ ...state, halted });
  const result =
    phase === 'verify_done' ? verify.layer1_result : phase === 'evaluate_done' ? qa?.verdict : null;
  const run = runOf(state);
  return say('deliver.halt.style', { phase, next, result: result ?? 'none', path: docs_path, run });
}
