import type { BriefDoc, BriefReason } from '../../contract/brief.ts';
import type { ConductState } from '../../contract/conduct.ts';
import { withSplitLines } from './drafts.ts';
import { withHostLines } from './release.ts';
import { withRunbook } from './verify.ts';

/**
 * Adds the lines that a brief always shows. A release shows the host's report and
 * the risk classes of its paths (CON-87). A verify brief shows the evidence and
 * the runbook (CON-91). A decomposition shows the existing children (CON-76).
 */
export function withOwnLines(doc: BriefDoc, reason: BriefReason, state: ConductState): BriefDoc {
  switch (reason) {
    case 'release-decision-pending':
      return withHostLines(doc, state);
    case 'verification-ack-pending':
      return withRunbook(doc, state);
    case 'decomposition-proposal':
      return withSplitLines(doc, state);
    default:
      return doc;
  }
}
