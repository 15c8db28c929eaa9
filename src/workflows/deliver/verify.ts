import type { Answer } from '../../contract/answer.ts';
import type { DeliverState, Verify } from '../../contract/deliver.ts';
import { CAPS, type Report } from '../../contract/deliver-report.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Outcome } from '../../contract/outcome.ts';
import { InvariantError } from '../../engine/errors.ts';
import { hasStalled } from '../../engine/judge-checks.ts';
import { advance } from './advance.ts';
import { targetNotices } from './autofix.ts';
import { judgePass } from './layer1.ts';
import { say } from './messages.ts';
import { go, nameOf, notice } from './moves.ts';

/** A pass is over: the report decides, and a repair that is due is set and counted in the same move (WF-50). */
export function onPass(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  if (outcome.kind !== 'checked') throw new InvariantError(`a pass gave '${outcome.kind}'`);
  const { report, print } = judgePass(state, outcome.checks);
  const verify = { ...state.verify, layer1_result: report.result };
  const after = afterPass({ ...state, verify }, report, print);
  const records: MoveRecord[] = [
    { kind: 'entry', name: 'verify_report', data: { round: state.round, attempt: state.attempts, report } },
    passNotice(report),
  ];
  return go(state, outcome.at, { verify, report, ...after, waiver: null, phase: 'verify_done' }, records);
}

function passNotice({ result, error, nothing_executed }: Report) {
  if (result === 'FAIL') return notice(say('deliver.notice.layer1_fail', { error: error ?? '' }), 'warning');
  return notice(say(nothing_executed ? 'deliver.notice.layer1_nothing' : 'deliver.notice.layer1_pass'));
}

/**
 * What a result means for repairs. A pass of a patch or of a person's command counts nothing; a repair that is already
 * due stays due. Two repairs that leave exactly the same failures end the series before its cap.
 */
function afterPass(state: DeliverState, report: Report, print: string): Partial<DeliverState> {
  const { repair, pass, verify } = state;
  if (pass === 'patch') return { ...afterPatch(state, report), repair: null };
  if (report.result === 'PASS') return { repair: null, fingerprints: [], stalled: false };
  const error = report.error ?? '';
  if (pass === 'command') return { repair: repair && !repair.done ? { ...repair, error } : null };
  const fingerprints = repair?.layer === 1 ? [...state.fingerprints, print].slice(-2) : [];
  const stalled = hasStalled(fingerprints);
  if (stalled || verify.layer1_retries >= CAPS.layer1) return { fingerprints, stalled, repair: null };
  return { fingerprints, stalled, ...countRepair(verify, error) };
}

/** The next layer-1 repair, counted. */
function countRepair(verify: Verify, error: string): Pick<DeliverState, 'verify' | 'repair'> {
  const attempt = verify.layer1_retries + 1;
  return {
    verify: { ...verify, layer1_retries: attempt },
    repair: { layer: 1, attempt, error, done: false },
  };
}

/** The one pass after a patch decides about it and nothing else (WF-53, I4). */
function afterPatch({ autofix }: DeliverState, { result }: Report): Partial<DeliverState> {
  if (!autofix) throw new InvariantError('a pass of a patch without a patch');
  return { autofix: { ...autofix, applied: result === 'PASS' ? 'verified' : 'stopped' }, fingerprints: [] };
}

/** May the auto-fix be offered (WF-54, I2): never used, nothing on record, all repairs counted and made. */
export function isAutofixOffered({ verify, autofix, changes, repair }: DeliverState): boolean {
  const spent = verify.layer1_retries === CAPS.layer1 && (repair === null || repair.done);
  return !verify.autofix_attempted && autofix === null && spent && !changes?.cut;
}

/** A person goes on with a failing pass, by name; or asks for one patch (WF-52). Stop holds the gate. */
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
  continue: (state, { at, by, digest }) => {
    const waiver = { by: nameOf(by), at, digest, error: state.report?.error ?? '' };
    const records: MoveRecord[] = [
      { kind: 'decision', name: 'layer1_waived', data: waiver },
      notice(say('deliver.notice.waived', { by: waiver.by }), 'warning'),
    ];
    return advance({ ...state, waiver, repair: null, early: false }, at, records);
  },
};
