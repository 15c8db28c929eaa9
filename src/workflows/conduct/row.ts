import type { ConductState } from '../../contract/conduct.ts';
import type { AwaitingReason } from '../../contract/ticket.ts';
import type { TicketRow } from '../../contract/ticket-views.ts';
import { gateOf } from '../../engine/delegation.ts';
import { next } from './decide.ts';
import { classesOf } from './risks.ts';

interface Awaiting {
  readonly reason: AwaitingReason;
  /** The open item: a brief, a round, an approval, a go, a reopening, or the marker of a parent (INV-11). */
  readonly ref: Readonly<Record<string, string | null>>;
}

/** The reason why a ticket waits for a person, and the open item. Null if the engine can continue, and in trouble. */
export function awaitingOf(state: ConductState): Awaiting | null {
  const step = next(state);
  if (step.kind !== 'gate') return null;
  const { brief, round, build_pr, plan } = state;
  switch (step.gate.name) {
    case 'round':
      return { reason: 'elicitation-round', ref: { type: 'round', id: round?.id ?? null } };
    case 'approval':
      return {
        reason: 'release-approval-pending',
        ref: { kind: 'release-approval', pr_url: build_pr?.pr_url ?? null },
      };
    case 'build_go':
      return {
        reason: 'build-go-pending',
        ref: { kind: 'build-go', decision: plan?.accepted?.decision ?? null },
      };
    case 'parent_ticket':
      return { reason: 'verification-ack-pending', ref: { kind: 'umbrella-auto-verify' } };
    case 'reopen':
      return state.reopening
        ? { reason: 'revise-scope-review', ref: { kind: 'reopen', to: state.reopening.to } }
        : briefRef(brief);
    case 'trouble':
      return null;
    default:
      return briefRef(brief);
  }
}

function briefRef(brief: ConductState['brief']): Awaiting | null {
  return brief && { reason: brief.reason, ref: { type: 'brief', id: brief.id } };
}

/** The short view. It is made from the whole row, so that computed fields are the same in both views (CON-62). */
export function metaView<R extends Omit<TicketRow, 'created_at' | 'updated_at'>>(row: R) {
  const { description: _, criteria: __, checklist: ___, build_pr: ____, ...meta } = row;
  return meta;
}

/** The ticket as every surface shows it (CON-16, 61). `content`: its brief as a person reads it. */
export function ticketRow(
  state: ConductState,
  content: string,
  changedPaths?: readonly string[],
): Omit<TicketRow, 'created_at' | 'updated_at'> {
  const awaiting = awaitingOf(state);
  return {
    id: state.run,
    uuid: state.uuid,
    title: state.title,
    description: state.description,
    labels: state.labels,
    priority: state.priority,
    archived: state.archived,
    parent: state.parent,
    workflow_state: state.phase,
    workflow_activity: state.activity,
    phase: gateOf(state.phase),
    prev_state: state.prev_state,
    left_why: state.left?.why ?? null,
    awaiting_human_input: awaiting !== null,
    awaiting_human_reason: awaiting?.reason ?? null,
    awaiting_human_ref: awaiting?.ref ?? null,
    stale: state.stale !== null,
    stale_ref: state.stale,
    criteria: state.criteria,
    checklist: state.checklist,
    build_pr: state.build_pr,
    build_run: state.build_run,
    merged_sha: state.release.merged_sha,
    trouble: state.trouble,
    active_brief_iteration: state.brief?.iteration ?? null,
    active_round: state.round,
    pending_resolution: state.pending,
    pending_remark: state.remark,
    risk_classes: classesOf(state, { content, ...(changedPaths ? { paths: changedPaths } : {}) }),
  };
}
