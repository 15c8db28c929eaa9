import type { DeliverState } from '../../contract/deliver.ts';
import { type BaselineRow, type CheckRow, type Report, SHOWN } from '../../contract/deliver-report.ts';
import type { CheckResult } from '../../contract/outcome.ts';
import { cutText } from '../../engine/cut-text.ts';
import {
  failurePrint,
  type Judgement,
  judgeChecks,
  type ReportedCheck,
  toBaseline as toBaselineCheck,
} from '../../engine/judge-checks.ts';
import { checkCommands } from './checks.ts';
import { oneLine } from './moves.ts';
import { weakenedCheck } from './weakened-checks.ts';

/** A pass as it is stored, and a fingerprint of its failures for comparing two passes. */
export interface JudgedPass {
  readonly report: Report;
  /** Empty unless every failing check names a file. Without it, two passes cannot be compared. */
  readonly print: string;
}

/**
 * The layer-1 report from recorded results alone (WF-49). It uses no model, so the same input gives the same report.
 */
export function judgePass(state: DeliverState, results: readonly CheckResult[]): JudgedPass {
  const {
    attempt: { changes },
    checks: { verify },
  } = state;
  const files = changes ? changes.modified.length + changes.created.length + changes.deleted.length : 0;
  const judgement = judgeChecks({
    commands: checkCommands(state),
    checks: results,
    baseline: state.checks.baseline,
    todo: changes?.todo ?? null,
    todo_blocking: verify.todo_blocking,
    outside: changes?.outside ?? [],
    files,
    max_files: changes?.too_many ? Math.min(state.max_files, files - 1) : Math.max(state.max_files, files),
    judge_all: false,
  });
  const { scan, checks } = judgement.report;
  const weakened = (name: string) =>
    weakenedCheck(
      state,
      results.find((one) => one.name === name),
    );
  const empty = changes !== null && files === 0;
  const report: Report = {
    result: empty ? 'FAIL' : judgement.result,
    checks: checks.map((check) => ({ ...toRow(check), ...weakened(check.name) })),
    scan: { result: scan.result, hits: [...scan.markers], total: changes?.todo_total ?? 0 },
    outside: changes?.outside ?? [],
    files,
    too_many: changes?.too_many ?? false,
    nothing_executed: !judgement.executed,
    error: empty ? 'scope: nothing was changed' : errorOf(judgement),
    tree: changes?.tree ?? '',
  };
  return { report, print: printOf(judgement) };
}

/** Failures of a pass that the untouched tree also had. They do not count, but every report of the pass names them. */
export function oldFailures(report: Pick<Report, 'checks'> | null): number {
  return (report?.checks ?? []).reduce((sum, { old }) => sum + old, 0);
}

function toRow(check: ReportedCheck): CheckRow {
  const { name, command, result, judged, exit, seconds, counts, problems, output, hint } = check;
  const failures = check.fresh.slice(0, SHOWN.failures).map(({ file, line, text }) => ({
    file: file ? cutText(file, 1_000) : null,
    line,
    text: oneLine(text),
  }));
  const numbers = { fresh: check.fresh_count, old: check.old_count };
  const row = {
    name,
    command,
    result,
    judged,
    exit,
    seconds,
    counts,
    problems,
    failures,
    ...numbers,
    output,
  };
  return hint ? { ...row, hint: { code: hint.code, path: hint.path && oneLine(hint.path) } } : row;
}

/** The first failing item in one line, in the order a reader looks at them. Null for a PASS. */
function errorOf({ reasons, report }: Judgement): string | null {
  const [reason] = reasons;
  if (!reason) return null;
  switch (reason.code) {
    case 'outside':
      return oneLine(`scope: ${reason.path} (${reason.rule})`);
    case 'too_many_files':
      return `scope: ${reason.files} changed files`;
    case 'markers_block': {
      const [hit] = report.scan.markers;
      return oneLine(`scan: ${hit ? `${hit.path}:${hit.line} ${hit.text}` : `${reason.count} markers`}`);
    }
    default: {
      const failure = report.checks.find(({ name }) => name === reason.check)?.fresh[0];
      const location = failure?.file
        ? `${failure.file}${failure.line === null ? '' : `:${failure.line}`} `
        : '';
      return oneLine(`${reason.check}: ${location}${failure?.text ?? reason.code}`);
    }
  }
}

/** Comparable only if every failing check names a file. An exit code alone is the same for any failure. */
function printOf(judgement: Judgement): string {
  const failing = judgement.report.checks.filter(({ judged }) => judged === 'fail');
  const named = failing.length > 0 && failing.every(({ fresh }) => fresh.some(({ file }) => file !== null));
  return named ? cutText(failurePrint(judgement), 600) : '';
}

/** What the untouched tree showed, cut to size. A cut list is marked as incomplete. */
export function toBaseline(results: readonly CheckResult[]): BaselineRow[] {
  return results.map((result) => {
    const { name, keys, complete, counts, problems, ...rest } = toBaselineCheck(result);
    return {
      ...rest,
      name: name as BaselineRow['name'],
      counts: counts ? { ...counts } : null,
      problems: problems ? { ...problems } : null,
      keys: keys.slice(0, SHOWN.baseline).map((key) => cutText(key, SHOWN.characters)),
      complete:
        complete && keys.length <= SHOWN.baseline && keys.every((key) => key.length <= SHOWN.characters),
    };
  });
}
