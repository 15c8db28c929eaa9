import type { BriefDoc, BriefReason } from '../../contract/brief.ts';
import type { ConductState } from '../../contract/conduct.ts';
import { withHostLines } from './release.ts';
import { withRunbook } from './verify.ts';

/**
 * What a brief shows whoever wrote the rest of it: a release what the host reports and the classes of its paths
 * (CON-87), a verify the evidence and the runbook (CON-91).
 */
export function withOwnLines(doc: BriefDoc, reason: BriefReason, state: ConductState): BriefDoc {
  switch (reason) {
    case 'release-decision-pending':
      return withHostLines(doc, state);
    case 'verification-ack-pending':
      return withRunbook(doc, state);
    default:
      return doc;
  }
}
