import type { Answer } from '../../contract/answer.ts';
import type { DeliverState, Verify } from '../../contract/deliver.ts';
import { CAPS, type Report } from '../../contract/deliver-report.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Outcome } from '../../contract/outcome.ts';
import { InvariantError } from '../../engine/errors.ts';
import { hasStalled } from '../../engine/judge-checks.ts';
import { advance } from './advance.ts';
import { targetNotices } from './autofix.ts';
import { judgePass, oldFailures } from './layer1.ts';
import { say } from './messages.ts';
import { go, nameOf, notice, signed } from './moves.ts';
import { flakyNotices, joinPass, recheckAfter, recheckNotices } from './recheck.ts';
import { hintNotices } from './sandbox-hints.ts';

/** A pass has ended. The report decides, and a due repair is set and counted in the same move (WF-50). */
export function onPass(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  if (outcome.kind !== 'checked') throw new InvariantError(`a pass gave '${outcome.kind}'`);
  const { report, print } = joinPass(state, judgePass(state, outcome.checks), outcome.checks);
  const recheck = recheckAfter(state, report);
  if (recheck) return go(state, outcome.at, { report, recheck }, recheckNotices(state, report, recheck));
  const verify = { ...state.verify, layer1_result: report.result };
  const after = afterPass({ ...state, verify }, report, print);
  const records: MoveRecord[] = [
    { kind: 'entry', name: 'verify_report', data: { round: state.round, attempt: state.attempts, report } },
    ...flakyNotices(report),
    passNotice(report),
    ...hintNotices(report.checks),
  ];
  const { recheck: _over, ...rest } = state;
  return go(rest, outcome.at, { verify, report, ...after, waiver: null, phase: 'verify_done' }, records);
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
function afterPass(state: DeliverState, report: Report, print: string): Partial<DeliverState> {
  const { repair, pass, verify } = state;
  if (pass === 'patch') return { ...afterPatch(state, report), repair: null };
  if (report.result === 'PASS') return { repair: null, fingerprints: [], stalled: false };
  const error = report.error ?? '';
  if (pass === 'command') return { repair: repair && !repair.done ? { ...repair, error } : null };
  const fingerprints = repair?.layer === 1 ? [...state.fingerprints, print].slice(-2) : [];
  const stalled = hasStalled(fingerprints) || isStillEmpty(state, report);
  if (stalled || verify.layer1_retries >= CAPS.layer1) return { fingerprints, stalled, repair: null };
  return { fingerprints, stalled, ...countRepair(verify, error) };
}

/** The change was empty, and it is still empty after the repair made for that. */
function isStillEmpty({ repair, report: before }: DeliverState, { files }: Report): boolean {
  return files === 0 && repair?.layer === 1 && before?.files === 0;
}

/** Counts the next layer-1 repair. */
function countRepair(verify: Verify, error: string): Pick<DeliverState, 'verify' | 'repair'> {
  const attempt = verify.layer1_retries + 1;
  return {
    verify: { ...verify, layer1_retries: attempt },
    repair: { layer: 1, attempt, error, done: false },
  };
}

/** The one pass after a patch decides only about that patch (WF-53, I4). */
function afterPatch({ autofix }: DeliverState, { result }: Report): Partial<DeliverState> {
  if (!autofix) throw new InvariantError('a pass of a patch without a patch');
  return { autofix: { ...autofix, applied: result === 'PASS' ? 'verified' : 'stopped' }, fingerprints: [] };
}

/**
 * The auto-fix is offered once, after all repairs were counted and made (WF-54, I2). An empty change or a cut change
 * set does not get it.
 */
export function isAutofixOffered({ verify, autofix, changes, repair, report }: DeliverState): boolean {
  if (report?.files === 0) return false;
  const spent = verify.layer1_retries === CAPS.layer1 && (repair === null || repair.done);
  return !verify.autofix_attempted && autofix === null && spent && !changes?.cut;
}

/** A person continues with a failing pass by name, or requests one patch (WF-52). Stop holds the gate. */
export const onVerifyGate: Readonly<
  Record<string, (state: DeliverState, answer: Answer) => Move<DeliverState>>
> = {
  auto_fix: (state, { at, by }) => {
    const autofix = { last_patch_path: null, applied: 'proposed', reason: null, triggered_at: at } as const;
    return go(state, at, { autofix, proposal: null, early: false }, [
      { kind: 'decision', name: 'auto_fix_asked', data: { by: nameOf(by) } },
      notice(say('deliver.notice.autofix_asked')),
      ...targetNotices(state),
    ]);
  },
  continue: (state, answer) => waive(state, answer, 'deliver.notice.waived'),
  as_is: (state, answer) => waive(state, answer, 'deliver.notice.as_is'),
};

function waive(
  state: DeliverState,
  { at, by, digest }: Answer,
  told: 'deliver.notice.waived' | 'deliver.notice.as_is',
): Move<DeliverState> {
  const waiver = { ...signed(by), at, digest, error: state.report?.error ?? '' };
  const records: MoveRecord[] = [
    { kind: 'decision', name: 'layer1_waived', data: waiver },
    notice(say(told, { by: waiver.by }), 'warning'),
  ];
  return advance({ ...state, waiver, repair: null, early: false }, at, records);
}
