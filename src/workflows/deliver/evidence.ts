import * as z from 'zod';
import type { DeliverState } from '../../contract/deliver.ts';
import type { Evaluation } from '../../contract/deliver-work.ts';
import { hasOwnTree } from './places.ts';

const Place = z.object({ file: z.string(), line: z.int() });
const Signed = z.object({ by: z.string(), at: z.string(), digest: z.string() });

const JudgedPart = z.object({
  part: z.literal('judged'),
  round: z.int(),
  verdict: z.enum(['PASS', 'FAIL_L2', 'FAIL_L3']),
  tree: z.string(),
  content: z.string(),
  files: z.array(z.string()),
  criteria: z.array(z.object({ id: z.string(), met: z.enum(['YES', 'NO']), evidence: z.array(Place) })),
  commands: z.array(
    z.object({
      name: z.string(),
      command: z.string().nullable(),
      result: z.string(),
      judged: z.string(),
      exit: z.int().nullable(),
    }),
  ),
  scan: z.string(),
  /** No check of the project was executed. */
  nothing_executed: z.boolean(),
  outside: z.array(z.string()),
  alters_checks: z.array(z.string()),
  /** What workers changed in the git directory of their tree. */
  git: z.array(z.string()).optional(),
  /** They were those of the person's own folder. */
  in_place: z.boolean().optional(),
  /** What workers wrote where git does not look. */
  ignored: z.array(z.string()).optional(),
  ignored_total: z.int().optional(),
  /** Whether the commands came from the commit the run works on. */
  config: z.enum(['committed', 'uncommitted']),
  /** What the worker of the judged change asked for and did not get. */
  refused: z.array(z.string()).optional(),
});

const ClosedPart = z.object({
  part: z.literal('closed'),
  reason: z.enum(['qa_pass', 'accepted_as_is', 'max_rounds']),
  approvals: z.array(Signed.extend({ what: z.string(), hash: z.string().nullable() })),
});

/** What was judged is not what is there any more, or is committed by hooks as something else: no pass after this. */
const AlteredPart = z.object({ part: z.literal('altered'), content: z.string().nullable() });

/** One entry of the record `evidence`: what an evaluation rested on, how the run was closed and by whom, what undid it. */
export const EvidencePart = z.discriminatedUnion('part', [JudgedPart, ClosedPart, AlteredPart]);
export type EvidencePart = z.infer<typeof EvidencePart>;

/** evidence.json: the newest judgement and the closing, joined. Null where there is none yet. */
export interface Evidence {
  readonly judged: z.infer<typeof JudgedPart> | null;
  readonly closed: z.infer<typeof ClosedPart> | null;
  /** The change was altered after it was judged. */
  readonly altered: boolean;
  readonly passed: boolean;
}

/** What the verdict of this moment rests on: criteria with places, commands with exit codes, the tree they ran on. */
export function judgedEvidence(
  { round, report, changes, config, refused, ...place }: DeliverState,
  evaluation: Evaluation,
  verdict: z.infer<typeof JudgedPart>['verdict'],
): EvidencePart {
  return {
    part: 'judged',
    round,
    verdict,
    tree: report?.tree ?? '',
    content: changes?.content ?? '',
    files: evaluation.files.map(({ path }) => path),
    criteria: evaluation.criteria.map(({ id, met, evidence }) => ({ id, met, evidence })),
    commands: (report?.checks ?? []).map(({ name, command, result, judged, exit }) => ({
      name,
      command,
      result,
      judged,
      exit,
    })),
    scan: report?.scan.result ?? 'SKIPPED',
    nothing_executed: report?.nothing_executed ?? true,
    outside: (report?.outside ?? []).map(({ path }) => path),
    alters_checks: changes?.alters_checks ?? [],
    ...(changes?.git && { git: changes.git, ...(!hasOwnTree(place) && { in_place: true }) }),
    ...(changes?.ignored && { ignored: changes.ignored, ignored_total: changes.ignored_total }),
    config,
    ...(refused && { refused }),
  };
}

/** Who let what through: the specification or the ticket's plan it was made from, a failing pass, the result as it is. */
export function closedEvidence(
  { ticket, from_spec, approval, waiver, accepted }: DeliverState,
  reason: z.infer<typeof ClosedPart>['reason'],
): EvidencePart {
  const signed = (what: string, hash: string | null, one: z.infer<typeof Signed> | null) =>
    one ? [{ what, hash, by: one.by, at: one.at, digest: one.digest }] : [];
  const approvals = [
    ...(ticket === null
      ? signed('specification', approval?.hash ?? null, approval)
      : signed('ticket_plan', from_spec?.spec ?? null, approval)),
    ...signed('layer1_waiver', null, waiver),
    ...signed('accepted_as_is', null, accepted),
  ];
  return { part: 'closed', reason, approvals };
}

/** Joins the entries, newest of each part. */
export function joinEvidence(parts: readonly EvidencePart[]): Evidence {
  const judged = parts.findLast((part) => part.part === 'judged') ?? null;
  const closed = parts.findLast((part) => part.part === 'closed') ?? null;
  const altered = parts.some(({ part }) => part === 'altered');
  return { judged, closed, altered, passed: !altered && isProven(judged, closed) };
}

/**
 * Passed means exactly this, read from the record (INV-9): closed by its verdict, no build or test on record as failed,
 * every other check and the scan passed or waived by a named person, every criterion met at a named place, nothing
 * outside the limits.
 */
function isProven(judged: Evidence['judged'], closed: Evidence['closed']): boolean {
  if (judged?.verdict !== 'PASS' || closed?.reason !== 'qa_pass') return false;
  const waived = closed.approvals.some(({ what, by }) => what === 'layer1_waiver' && by !== '');
  const failed = judged.commands.filter((command) => command.judged === 'fail').map(({ name }) => name);
  const hard = failed.some((name) => name === 'build' || name === 'test');
  const soft = failed.length > 0 || judged.scan === 'FAIL';
  const met = judged.criteria.every(({ met, evidence }) => met === 'YES' && evidence.length > 0);
  return met && !hard && (!soft || waived) && judged.outside.length === 0;
}
