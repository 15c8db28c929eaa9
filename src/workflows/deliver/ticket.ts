import { BUILT, type BuildReport } from '../../contract/build-report.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { InvariantError } from '../../engine/errors.ts';
import { isRejection, type Rejection } from '../../engine/rejection.ts';
import { storedText } from '../kit/stored-text.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { changedPaths, go, notice, oneLine } from './moves.ts';
import { warningsOf } from './warnings.ts';

/** Marks decisions that the ticket makes by rule, without asking a person. */
const BY_RULE = { by_rule: 'ticket' } as const;

interface Approved {
  readonly approval: DeliverState['plan']['approval'];
  readonly records: readonly MoveRecord[];
}

/**
 * Accepting the ticket's plan also approves the specification made from it. The plan holds every criterion, and a
 * specification that drops one is rejected. The digest is that of the plan, the text this person saw.
 */
export function approvedByTicket(
  { ticket, from_spec }: DeliverState,
  spec: NonNullable<DeliverState['plan']['spec']>,
): Approved {
  if (ticket === null) return { approval: null, records: [] };
  if (!from_spec?.accepted) throw new InvariantError(`the plan of ${ticket} was never accepted`);
  const { by, at, decision } = from_spec.accepted;
  const approval = { hash: spec.hash, by, at, digest: from_spec.spec };
  const { revision } = spec;
  const data = { ...approval, revision, ticket, decision };
  return {
    approval,
    records: [
      { kind: 'decision', name: 'spec_approved', data, ...BY_RULE },
      notice(say('deliver.notice.ticket_plan', { ticket, by, revision })),
    ],
  };
}

/**
 * A change that passed, or that a person accepted as it is, is committed on the run's own branch without another
 * question. The person decides at the ticket's release gate. Any other change opens the commit gate, and so does a run
 * in the person's folder.
 */
export function isCommittedByTicket(state: DeliverState): boolean {
  const {
    ticket,
    verdict: { completion_reason, altered },
    finish: { error: finish_error },
  } = state;
  // A committed secret would be pushed before a person is asked.
  const secret = state.attempt.changes?.secrets !== undefined;
  const doubtful = completion_reason === 'max_rounds' || altered || finish_error !== null || secret;
  return ticket !== null && !doubtful && hasOwnTree(state);
}

export function commitByTicket(state: DeliverState, at: Instant): Move<DeliverState> {
  const { ticket } = state;
  const choice = 'code_only';
  return go(state, at, { finish: { chosen: { choice, commit: null, stage: 'compare' } } }, [
    { kind: 'decision', name: 'finish', data: { choice, ticket }, ...BY_RULE },
    notice(say('deliver.notice.ticket_commit', { ticket: ticket ?? '' })),
  ]);
}

/** The move that ends a ticket's build reports the result to the ticket in the same commit. */
export function notifyTicket(
  before: DeliverState,
  move: Move<DeliverState> | Rejection,
): Move<DeliverState> | Rejection {
  if (isRejection(move)) return move;
  const { ticket, ended } = move.state;
  if (ticket === null || ended === null || before.ended !== null) return move;
  const data = reportOf(move.state, ended.result);
  return { ...move, records: [...move.records, { kind: 'message', to: ticket, name: BUILT, data }] };
}

function reportOf(state: DeliverState, result: BuildReport['result']): BuildReport {
  const {
    base,
    checks: { report },
    verdict: { qa },
    attempt: { changes },
  } = state;
  const commit = state.finish.chosen?.commit ?? null;
  const warnings = warningsOf(state).slice(0, SHOWN.items);
  const told = {
    result,
    branch: commit && hasOwnTree(state) ? state.branch : null,
    commit,
    base,
    paths: changedPaths(state.attempt),
    checks: (report?.checks ?? []).map(({ name, result, counts }) => ({ name, result, counts })),
    evidence: qa?.evaluation ?? null,
    criteria: criteriaOf(state),
    altered: (changes?.alters_checks.length ?? 0) > 0,
    ...(warnings.length > 0 && { warnings }),
  };
  return { ...told, summary: summaryOf(state, told) };
}

/** Met means met with evidence. If more criteria failed than the state stores, none counts as met. */
function criteriaOf({ plan: { spec }, verdict: { qa } }: DeliverState): BuildReport['criteria'] {
  const judged = qa !== null && qa.verdict !== 'NONE' && qa.more === 0;
  const open = new Set(qa?.failing.map(({ id }) => id));
  return (spec?.criteria ?? []).map((id) => ({ id, met: judged && !open.has(id) }));
}

/** Written once, in the run's language. The ticket shows it unchanged. */
function summaryOf({ user_lang }: DeliverState, told: Omit<BuildReport, 'summary'>): string {
  const checks = told.checks.filter(({ result }) => result !== 'skipped');
  const args: Readonly<Record<string, string | number>> = {
    result: told.result.replaceAll('_', ' '),
    files: told.paths.length,
    met: told.criteria.filter(({ met }) => met).length,
    of: told.criteria.length,
    checks: checks.map(({ name, result }) => `${name} ${result}`).join(', ') || '-',
  };
  return oneLine(storedText('deliver.ticket.summary', user_lang, args), SHOWN.characters);
}
