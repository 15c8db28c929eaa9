import type { DeliverState } from '../../contract/deliver.ts';
import { CAPS } from '../../contract/deliver-report.ts';

/** True if a failing pass continues without a person: with a counted repair, or after a pass that did not count one. */
export function isRepairDue({
  checks: { early, report, pass, stalled, verify },
  attempt: { repair },
}: DeliverState): boolean {
  if (early || report?.result !== 'FAIL') return false;
  if (repair) return !repair.done;
  return pass === 'command' && !stalled && verify.layer1_retries < CAPS.layer1;
}

/**
 * The auto-fix is offered once, after all repairs were counted and made (WF-54, I2). An empty change or a cut change
 * set does not get it.
 */
export function isAutofixOffered({
  checks: { verify, autofix, report },
  attempt: { changes, repair },
}: DeliverState): boolean {
  if (report?.files === 0) return false;
  const spent = verify.layer1_retries === CAPS.layer1 && (repair === null || repair.done);
  return !verify.autofix_attempted && autofix === null && spent && !changes?.cut;
}
