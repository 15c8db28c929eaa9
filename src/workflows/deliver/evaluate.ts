import type { DeliverState } from '../../contract/deliver.ts';
import { type Qa, SHOWN } from '../../contract/deliver-report.ts';
import { Evaluation } from '../../contract/deliver-work.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { type Ended, gate, pass, work } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import { qaGate } from './briefs.ts';
import { artefact, call, scopeSlot, text } from './calls.ts';
import { commandsOf } from './checks.ts';
import { closeRun } from './close.ts';
import { judgedEvidence } from './evidence.ts';
import { deliverGates } from './gates.ts';
import { beginRepair } from './generate.ts';
import { say } from './messages.ts';
import { changedPaths, go, type Next, nameOf, notice, oneLine, signed } from './moves.ts';
import { judge, layer2Result } from './verdict.ts';
import { ruleOf } from './verdict-rule.ts';
import { weakenedFacts } from './weakened-checks.ts';
import { workerLine } from './worker-lines.ts';

/** The evaluator sees the specification and the bare list of paths, but not how the change was made (WF-60). */
export function evaluate(state: DeliverState): Next {
  const commands = Object.entries(commandsOf(state)).map(
    ([name, command]) => `${name}: ${command ?? 'none'}`,
  );
  const slots = {
    spec: artefact(state.plan.spec?.hash),
    changed_paths: text(changedPaths(state.attempt).join('\n')),
    commands: text(commands.join('\n')),
    round: text(String(state.round)),
    scope: scopeSlot(state),
    user_lang: text(state.user_lang),
    layer1_note: text(LAYER1_NOTES[layer1Note(state)]),
    check_findings: text(weakenedFacts(state.checks.report).join('\n') || 'none'),
  };
  return work([call(state, 'evaluator', Evaluation, slots)], ([ended], at) =>
    settleEvaluation(state, ended, at),
  );
}

const LAYER1_NOTES = {
  passed: 'The checks of the project passed.',
  waived:
    'The checks of the project failed and a person let the change through. Look harder at build and tests.',
  as_is: 'Nothing was changed. A person asked to have the project judged as it is.',
  not_executed: 'No check of the project was executed. Nothing has been shown to build or run.',
} as const;

function layer1Note({ checks: { report, waiver } }: DeliverState): keyof typeof LAYER1_NOTES {
  if (report?.files === 0) return 'as_is';
  if (waiver || report?.result === 'FAIL') return 'waived';
  return report?.nothing_executed ? 'not_executed' : 'passed';
}

/**
 * Stores the verdict with its evidence. Without a valid evaluation the run does not pass, and a person decides (WF-08).
 */
function settleEvaluation(state: DeliverState, ended: Ended<Evaluation>, at: Instant): Move<DeliverState> {
  const line = workerLine(ended);
  if (ended.kind !== 'ok') {
    const qa: Qa = { evaluation: null, verdict: 'NONE', failing: [], more: 0, instructions: [], met: 0 };
    const data = {
      round: state.round,
      attempt: state.attempt.attempts,
      verdict: 'NONE',
      evaluation: null,
      failing: [],
    };
    return settleQa(state, at, qa, [line, { kind: 'entry', name: 'qa_report', data }]);
  }
  const evaluation = ended.result;
  const { verdict, failing, met, ...judged } = judge(
    evaluation,
    state.checks.report,
    state.checks.waiver !== null,
  );
  const findings = weakenedFacts(state.checks.report).map((found) => ({
    id: 'checks',
    text: oneLine(found),
  }));
  const warnings = [...findings, ...judged.warnings];
  const qa: Qa = {
    evaluation: ended.artefact,
    verdict,
    failing: failing.slice(0, SHOWN.items),
    more: Math.max(0, failing.length - SHOWN.items),
    instructions: evaluation.fix_instructions.slice(0, SHOWN.failures).map((one) => oneLine(one)),
    met,
  };
  const data = {
    round: state.round,
    attempt: state.attempt.attempts,
    verdict,
    evaluation,
    failing,
    warnings,
  };
  return settleQa(state, at, qa, [
    line,
    { kind: 'artefact', name: 'evaluation', hash: ended.artefact },
    { kind: 'entry', name: 'qa_report', data },
    { kind: 'entry', name: 'evidence', data: judgedEvidence(state, evaluation, verdict) },
  ]);
}

function settleQa(
  state: DeliverState,
  at: Instant,
  qa: Qa,
  records: readonly MoveRecord[],
): Move<DeliverState> {
  const verify = { ...state.checks.verify, layer2_result: layer2Result(qa.verdict) };
  const told = say('deliver.notice.verdict', {
    verdict: qa.verdict,
    met: qa.met,
    of: state.plan.spec?.criteria.length ?? 0,
    open: qa.failing.length + qa.more,
  });
  const level = qa.verdict === 'PASS' ? 'info' : 'warning';
  return go(
    state,
    at,
    { verdict: { qa }, checks: { verify }, attempt: { repair: null }, phase: 'evaluate_done' },
    [...records, notice(told, level)],
  );
}

/** The verdict's rules, the first that applies (WF-66). Rule 3 asks a person. */
export function judged(state: DeliverState): Next {
  const {
    checks: { verify },
    verdict: { qa },
    round,
  } = state;
  if (!qa) throw new InvariantError('phase evaluate_done without an evaluation');
  switch (ruleOf(qa.verdict, verify.layer2_retries, round)) {
    case 1:
      return pass((at) => closeRun(state, at, 'qa_pass'));
    case 2: {
      const attempt = verify.layer2_retries + 1;
      const error = qa.failing[0]?.text ?? '';
      const repair = { layer: 2, attempt, error, done: false } as const;
      const counted = { ...verify, layer2_retries: attempt };
      return pass((at) => beginRepair(state, at, repair, counted));
    }
    case 3:
      return askQa(state, qa);
    case 4:
      return pass((at) => closeRun(state, at, 'max_rounds'));
  }
}

/** Fix begins a new round in one transition (WF-67). Accept closes the run under a person's name (WF-68). */
function askQa(state: DeliverState, qa: Qa): Next {
  return gate(deliverGates.qa, qaGate(state, qa), {
    fix: ({ at, by }) => {
      const round = state.round + 1;
      const reset = { layer1_result: null, layer1_retries: 0, layer2_result: null, layer2_retries: 0 };
      return go(
        state,
        at,
        { round, checks: { verify: { ...state.checks.verify, ...reset } }, phase: 'generate_ready' },
        [
          { kind: 'decision', name: 'qa_fix', data: { round, by: nameOf(by) } },
          notice(say('deliver.notice.round', { round, of: state.max_rounds })),
        ],
      );
    },
    accept: ({ at, by, digest }) => {
      const accepted = { ...signed(by), at, digest };
      const data = { ...accepted, open: qa.failing };
      return closeRun({ ...state, verdict: { ...state.verdict, accepted } }, at, 'accepted_as_is', [
        { kind: 'decision', name: 'accepted_as_is', data },
      ]);
    },
  });
}
