import * as z from 'zod';
import { PROVEN } from '../../contract/answer.ts';
import { Msg } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import type { Evaluation } from '../../contract/deliver-work.ts';
import { hasOwnTree } from './locations.ts';
import { warningsOf } from './warnings.ts';
import { WeakenedCheck, weakenedChecks } from './weakened-checks.ts';

const Location = z.object({ file: z.string(), line: z.int() });
const Signed = z.object({ by: z.string(), at: z.string(), digest: z.string(), ...PROVEN });

const JudgedPart = z.object({
  part: z.literal('judged'),
  round: z.int(),
  verdict: z.enum(['PASS', 'FAIL_L2', 'FAIL_L3']),
  tree: z.string(),
  content: z.string(),
  files: z.array(z.string()),
  criteria: z.array(z.object({ id: z.string(), met: z.enum(['YES', 'NO']), evidence: z.array(Location) })),
  commands: z.array(
    z.object({
      name: z.string(),
      command: z.string().nullable(),
      result: z.string(),
      judged: z.string(),
      exit: z.int().nullable(),
      /** Failures that the untouched tree also had. Absent in runs older than this field. */
      old: z.int().optional(),
      /** The first error of a check that then passed when it ran again on the same tree. */
      flaky: z.string().optional(),
    }),
  ),
  scan: z.string(),
  /** True if no check of the project was executed. */
  nothing_executed: z.boolean(),
  outside: z.array(z.string()),
  alters_checks: z.array(z.string()),
  /** Files that workers changed in the git directory of their tree. */
  git: z.array(z.string()).optional(),
  /** True if that is the git directory of the person's own folder. */
  in_place: z.boolean().optional(),
  /** Files that workers wrote where git ignores them. */
  ignored: z.array(z.string()).optional(),
  ignored_total: z.int().optional(),
  /** Hooks and settings of the person's repository that changed while workers or checks ran. */
  controls_changed: z.array(z.string()).optional(),
  /** Whether the commands came from the commit the run works on. */
  config: z.enum(['committed', 'uncommitted']),
  /** Whether the checks passed on a clean checkout of the future commit. Absent if they did not run on one. */
  clean: z.object({ result: z.string(), why: z.string() }).optional(),
  /**
   * What the checks lost compared with the untouched tree: tests that are gone or skipped, commands that were changed.
   */
  weakened: z.array(WeakenedCheck).optional(),
  /** Requests by the worker of the judged change that were refused. */
  refused: z.array(z.string()).optional(),
});

const ClosedPart = z.object({
  part: z.literal('closed'),
  reason: z.enum(['qa_pass', 'accepted_as_is', 'max_rounds']),
  approvals: z.array(Signed.extend({ what: z.string(), hash: z.string().nullable() })),
  /** Warnings of the commit gate. */
  warnings: z.array(Msg).optional(),
});

/**
 * The change is no longer the one that was judged, or hooks change it at the commit. After this entry the run cannot
 * pass.
 */
const AlteredPart = z.object({ part: z.literal('altered'), content: z.string().nullable() });

/**
 * One entry of the record `evidence`: the basis of an evaluation, how and by whom the run was closed, or what voided
 * it.
 */
export const EvidencePart = z.discriminatedUnion('part', [JudgedPart, ClosedPart, AlteredPart]);
export type EvidencePart = z.infer<typeof EvidencePart>;

/** evidence.json: the newest judgement and the closing, joined. Each is null until it exists. */
export interface Evidence {
  readonly judged: z.infer<typeof JudgedPart> | null;
  readonly closed: z.infer<typeof ClosedPart> | null;
  /** The change was altered after it was judged. */
  readonly altered: boolean;
  readonly passed: boolean;
  /** Failures of the checks that existed before the change. A pass is always reported with this number. */
  readonly old_failures: number;
}

/** The basis of the current verdict: criteria with locations, commands with exit codes, and the tree they ran on. */
export function judgedEvidence(
  state: DeliverState,
  evaluation: Evaluation,
  verdict: z.infer<typeof JudgedPart>['verdict'],
): EvidencePart {
  const { round, controls_changed } = state;
  const { report, config } = state.checks;
  const { changes, refused } = state.attempt;
  return {
    part: 'judged',
    round,
    verdict,
    tree: report?.tree ?? '',
    content: changes?.content ?? '',
    files: evaluation.files.map(({ path }) => path),
    criteria: evaluation.criteria.map(({ id, met, evidence }) => ({ id, met, evidence })),
    commands: (report?.checks ?? []).map(({ name, command, result, judged, exit, old, flaky }) => ({
      ...{ name, command, result, judged, exit, old, ...(flaky !== undefined && { flaky }) },
    })),
    scan: report?.scan.result ?? 'SKIPPED',
    nothing_executed: report?.nothing_executed ?? true,
    outside: (report?.outside ?? []).map(({ path }) => path),
    alters_checks: changes?.alters_checks ?? [],
    ...(changes?.git && { git: changes.git, ...(!hasOwnTree(state) && { in_place: true }) }),
    ...(changes?.ignored && { ignored: changes.ignored, ignored_total: changes.ignored_total }),
    ...(controls_changed && { controls_changed }),
    ...ranTwice(report),
    config,
    ...(refused && { refused }),
  };
}

/** Findings of the checks in addition to their results. */
function ranTwice(
  report: DeliverState['checks']['report'],
): Pick<z.infer<typeof JudgedPart>, 'clean' | 'weakened'> {
  const weakened = weakenedChecks(report);
  return { ...(report?.clean && { clean: report.clean }), ...(weakened.length > 0 && { weakened }) };
}

/** Who approved what: the specification or the ticket's plan it came from, a failing pass, the result as it is. */
export function closedEvidence(
  state: DeliverState,
  reason: z.infer<typeof ClosedPart>['reason'],
): EvidencePart {
  const {
    ticket,
    from_spec,
    plan: { approval },
    checks: { waiver },
    verdict: { accepted },
  } = state;
  const warnings = warningsOf(state);
  const signed = (what: string, hash: string | null, one: z.infer<typeof Signed> | null) =>
    one ? [{ what, hash, ...Signed.parse(one) }] : [];
  const approvals = [
    ...(ticket === null
      ? signed('specification', approval?.hash ?? null, approval)
      : signed('ticket_plan', from_spec?.spec ?? null, approval)),
    ...signed('layer1_waiver', null, waiver),
    ...signed('accepted_as_is', null, accepted),
  ];
  return { part: 'closed', reason, approvals, ...(warnings.length > 0 && { warnings }) };
}

/** Joins the entries, using the newest of each part. */
export function joinEvidence(parts: readonly EvidencePart[]): Evidence {
  const judged = parts.findLast((part) => part.part === 'judged') ?? null;
  const closed = parts.findLast((part) => part.part === 'closed') ?? null;
  const altered = parts.some(({ part }) => part === 'altered');
  const old_failures = (judged?.commands ?? []).reduce((sum, { old = 0 }) => sum + old, 0);
  return { judged, closed, altered, passed: !altered && isProven(judged, closed), old_failures };
}

/**
 * A run passed only if the record shows all of this (INV-9). Its verdict closed it. No build or test is on record as
 * failed. Every other check and the scan passed, or a named person waived them. Every criterion is met at a named
 * location. No path is outside the limits.
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
