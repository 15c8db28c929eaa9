import { CAPS, type Qa } from '../../contract/deliver-report.ts';

/** The first rule that applies to an evaluation (WF-66). Rule 3 asks a person. The other rules decide. */
export function ruleOf(verdict: Qa['verdict'], layer2_retries: number, round: number): 1 | 2 | 3 | 4 {
  if (verdict === 'PASS') return 1;
  if (verdict === 'FAIL_L2' && layer2_retries < CAPS.layer2) return 2;
  return round < CAPS.rounds ? 3 : 4;
}
