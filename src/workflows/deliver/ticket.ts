import { BUILT, type BuildReport } from '../../contract/build-report.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { InvariantError } from '../../engine/errors.ts';
import { isRejection, type Rejection } from '../../engine/rejection.ts';
import { deliverMessages, say } from './messages.ts';
import { changedPaths, go, notice, oneLine } from './moves.ts';
import { hasOwnTree } from './places.ts';

/** Decisions that no person is asked for because the ticket this run builds stands for them. */
const BY_RULE = { by_rule: 'ticket' } as const;

interface Approved {
  readonly approval: DeliverState['approval'];
  readonly records: readonly MoveRecord[];
}

/**
 * Whoever accepted the ticket's plan let the specification made from it through: the plan holds every criterion, and
 * dropping one is refused to the planner. The digest is that of the plan, the text this person has seen.
 */
export function approvedByTicket(
  { ticket, from_spec }: DeliverState,
  spec: NonNullable<DeliverState['spec']>,
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
 * question: the person's word is the ticket's release gate. Anything else is asked about, and so is the person's folder.
 */
export function committedByTicket(state: DeliverState, at: Instant): Move<DeliverState> | null {
  const { ticket, completion_reason, altered, finish, finish_error, pass_due } = state;
  const doubtful = completion_reason === 'max_rounds' || altered || finish_error !== null;
  if (ticket === null || doubtful || finish || pass_due || !hasOwnTree(state)) return null;
  const choice = 'code_only';
  return go(state, at, { finish: { choice, commit: null, stage: 'compare' } }, [
    { kind: 'decision', name: 'finish', data: { choice, ticket }, ...BY_RULE },
    notice(say('deliver.notice.ticket_commit', { ticket })),
  ]);
}

/** The move that ends the build of a ticket tells the ticket what came of it, in the same commit. */
export function tellTicket(
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
  const { base, report, qa, changes } = state;
  const commit = state.finish?.commit ?? null;
  const told = {
    result,
    branch: commit && hasOwnTree(state) ? state.branch : null,
    commit,
    base,
    paths: changedPaths(state),
    checks: (report?.checks ?? []).map(({ name, result, counts }) => ({ name, result, counts })),
    evidence: qa?.evaluation ?? null,
    criteria: criteriaOf(state),
    altered: (changes?.alters_checks.length ?? 0) > 0,
  };
  return { ...told, summary: summaryOf(state, told) };
}

/** Met means met with evidence. Where more failed than the state keeps, nothing is claimed. */
function criteriaOf({ spec, qa }: DeliverState): BuildReport['criteria'] {
  const judged = qa !== null && qa.verdict !== 'NONE' && qa.more === 0;
  const open = new Set(qa?.failing.map(({ id }) => id));
  return (spec?.criteria ?? []).map((id) => ({ id, met: judged && !open.has(id) }));
}

/** Said once, in the run's language: the ticket shows it as it stands. */
function summaryOf({ user_lang }: DeliverState, told: Omit<BuildReport, 'summary'>): string {
  const { [user_lang === 'ko' ? 'ko' : 'en']: catalogue } = deliverMessages;
  const checks = told.checks.filter(({ result }) => result !== 'skipped');
  const args: Readonly<Record<string, string | number>> = {
    result: told.result.replaceAll('_', ' '),
    files: told.paths.length,
    met: told.criteria.filter(({ met }) => met).length,
    of: told.criteria.length,
    checks: checks.map(({ name, result }) => `${name} ${result}`).join(', ') || '-',
  };
  const text = catalogue['deliver.ticket.summary'].replace(/\{(\w+)\}/g, (_, name) => String(args[name]));
  return oneLine(text, SHOWN.characters);
}
