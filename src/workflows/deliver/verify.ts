import type { Answer } from '../../contract/answer.ts';
import type { DeliverChanges, DeliverState, Verify } from '../../contract/deliver.ts';
import { CAPS, type Report } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { check, gate, pass } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import { hasStalled } from '../../engine/judge-checks.ts';
import { applyPatch, proposePatch, targetNotices } from './autofix.ts';
import { verifyGate } from './briefs.ts';
import { plannedChecks } from './checks.ts';
import { findChanges, startPass } from './find-changes.ts';
import { deliverGates } from './gates.ts';
import { beginRepair } from './generate.ts';
import { judgePass, oldFailures } from './layer1.ts';
import { say } from './messages.ts';
import { go, type Next, nameOf, notice, signed } from './moves.ts';
import { flakyNotices, joinPass, recheckAfter, recheckNotices } from './recheck.ts';
import { isRepairDue } from './repairs.ts';
import { hintNotices } from './sandbox-hints.ts';

/** Before a pass. A change set that a person may have changed is computed again. */
export function verify(state: DeliverState): Next {
  if (state.checks.pass_due) return findChanges(state, startPass);
  return pass((at) => go(state, at, { phase: 'verifying' }));
}

/** A pass of the checks. The report decides, and a due repair is set and counted in the same move (WF-50). */
export function runPass(state: DeliverState): Next {
  return check(plannedChecks(state), (results, at) => {
    const { report, print } = joinPass(state, judgePass(state, results), results);
    const recheck = recheckAfter(state, report);
    if (recheck)
      return go(state, at, { checks: { report, recheck } }, recheckNotices(state, report, recheck));
    const verify = { ...state.checks.verify, layer1_result: report.result };
    const after = afterPass({ ...state, checks: { ...state.checks, verify } }, report, print);
    const checks = { verify, report, recheck: null, waiver: null, ...after.checks };
    const records: MoveRecord[] = [
      {
        kind: 'entry',
        name: 'verify_report',
        data: { round: state.round, attempt: state.attempt.attempts, report },
      },
      ...flakyNotices(report),
      passNotice(report),
      ...hintNotices(report.checks),
    ];
    return go(state, at, { ...after, checks, phase: 'verify_done' }, records);
  });
}

/** The order of WF-27: an open proposal, an accepted patch, a due pass, then the result. */
export function verified(state: DeliverState): Next {
  const {
    checks: { autofix, verify, waiver },
  } = state;
  if (autofix?.applied === 'proposed') return proposePatch(state, autofix);
  if (autofix?.applied === 'accepted') return applyPatch(state, autofix);
  if (state.checks.pass_due) return findChanges(state, startPass);
  if (verify.layer1_result === 'PASS' || waiver)
    return pass((at) => go(state, at, { phase: 'evaluate_ready', attempt: { repair: null } }));
  return isRepairDue(state) ? pass((at) => repairNow(state, at)) : askVerify(state);
}

/** A repair that was not counted when its pass ended is counted when it begins. */
function repairNow(state: DeliverState, at: Instant): Move<DeliverState> {
  const {
    checks: { verify, report },
    attempt: { repair },
  } = state;
  if (repair && !repair.done) return beginRepair(state, at, repair);
  const counted = countRepair(verify, report?.error ?? '');
  return beginRepair(state, at, counted.repair, counted.verify);
}

function passNotice(report: Report) {
  const { result, error, nothing_executed } = report;
  if (result === 'FAIL') return notice(say('deliver.notice.layer1_fail', { error: error ?? '' }), 'warning');
  if (nothing_executed) return notice(say('deliver.notice.layer1_nothing'));
  return notice(say('deliver.notice.layer1_pass', { old: oldFailures(report) }));
}

/**
 * Derives repairs from a result. A pass of a patch or of a person's command does not count a repair. After a person's
 * command, a repair that is already due stays due. Two repairs that leave exactly the same failures end the series
 * before its cap.
 */
function afterPass(state: DeliverState, report: Report, print: string): DeliverChanges {
  const {
    attempt: { repair },
    checks: { pass, verify },
  } = state;
  if (pass === 'patch') return { ...afterPatch(state, report), attempt: { repair: null } };
  if (report.result === 'PASS')
    return { attempt: { repair: null }, checks: { fingerprints: [], stalled: false } };
  const error = report.error ?? '';
  if (pass === 'command')
    return { attempt: { repair: repair && !repair.done ? { ...repair, error } : null } };
  const fingerprints = repair?.layer === 1 ? [...state.checks.fingerprints, print].slice(-2) : [];
  const stalled = hasStalled(fingerprints) || isStillEmpty(state, report);
  if (stalled || verify.layer1_retries >= CAPS.layer1)
    return { checks: { fingerprints, stalled }, attempt: { repair: null } };
  const counted = countRepair(verify, error);
  return {
    checks: { fingerprints, stalled, verify: counted.verify },
    attempt: { repair: counted.repair },
  };
}

/** The change was empty, and it is still empty after the repair made for that. */
function isStillEmpty(
  { attempt: { repair }, checks: { report: before } }: DeliverState,
  { files }: Report,
): boolean {
  return files === 0 && repair?.layer === 1 && before?.files === 0;
}

type Repair = NonNullable<DeliverState['attempt']['repair']>;

/** Counts the next layer-1 repair. */
function countRepair(verify: Verify, error: string): { verify: Verify; repair: Repair } {
  const attempt = verify.layer1_retries + 1;
  return {
    verify: { ...verify, layer1_retries: attempt },
    repair: { layer: 1, attempt, error, done: false },
  };
}

/** The one pass after a patch decides only about that patch (WF-53, I4). */
function afterPatch({ checks: { autofix } }: DeliverState, { result }: Report): DeliverChanges {
  if (!autofix) throw new InvariantError('a pass of a patch without a patch');
  return {
    checks: {
      autofix: { ...autofix, applied: result === 'PASS' ? 'verified' : 'stopped' },
      fingerprints: [],
    },
  };
}

/** A person continues with a failing pass by name, or requests one patch (WF-52). Stop holds the gate. */
function askVerify(state: DeliverState): Next {
  return gate(deliverGates.verify, verifyGate(state), {
    auto_fix: ({ at, by }) => {
      const autofix = { last_patch_path: null, applied: 'proposed', reason: null, triggered_at: at } as const;
      return go(state, at, { checks: { autofix, proposal: null, early: false } }, [
        { kind: 'decision', name: 'auto_fix_asked', data: { by: nameOf(by) } },
        notice(say('deliver.notice.autofix_asked')),
        ...targetNotices(state),
      ]);
    },
    continue: (answer) => waive(state, answer, 'deliver.notice.waived'),
    as_is: (answer) => waive(state, answer, 'deliver.notice.as_is'),
  });
}

function waive(
  state: DeliverState,
  { at, by, digest }: Answer,
  msg: 'deliver.notice.waived' | 'deliver.notice.as_is',
): Move<DeliverState> {
  const waiver = { ...signed(by), at, digest, error: state.checks.report?.error ?? '' };
  const records: MoveRecord[] = [
    { kind: 'decision', name: 'layer1_waived', data: waiver },
    notice(say(msg, { by: waiver.by }), 'warning'),
  ];
  return go(state, at, { checks: { waiver, early: false }, attempt: { repair: null } }, records);
}
