import type { DeliverState } from '../../contract/deliver.ts';
import { type BaselineRow, type CheckRow, type Report, SHOWN } from '../../contract/deliver-report.ts';
import type { CheckResult } from '../../contract/outcome.ts';
import {
  failurePrint,
  type Judgement,
  judgeChecks,
  type ReportedCheck,
  toBaseline as toBaselineCheck,
} from '../../engine/judge-checks.ts';
import { checkCommands } from './checks.ts';
import { cutText, oneLine } from './moves.ts';

/** A pass as it is stored, and what failed in it in a form that two passes can be compared by. */
export interface JudgedPass {
  readonly report: Report;
  /** Empty where what failed has no name: then nobody can say that two passes failed in the same way. */
  readonly print: string;
}

/** The layer-1 report from recorded results alone (WF-49): the same input, the same report, no model. */
export function judgePass(state: DeliverState, results: readonly CheckResult[]): JudgedPass {
  const { changes, verify } = state;
  const files = changes ? changes.modified.length + changes.created.length + changes.deleted.length : 0;
  const judgement = judgeChecks({
    commands: checkCommands(state),
    checks: results,
    baseline: state.baseline,
    todo: changes?.todo ?? null,
    todo_blocking: verify.todo_blocking,
    outside: changes?.outside ?? [],
    files,
    max_files: changes?.too_many ? Math.min(state.max_files, files - 1) : Math.max(state.max_files, files),
    judge_all: false,
  });
  const { scan, checks } = judgement.report;
  const report: Report = {
    result: judgement.result,
    checks: checks.map(toRow),
    scan: { result: scan.result, hits: [...scan.markers], total: changes?.todo_total ?? 0 },
    outside: changes?.outside ?? [],
    files,
    too_many: changes?.too_many ?? false,
    nothing_executed: !judgement.executed,
    error: errorOf(judgement),
    tree: changes?.tree ?? '',
  };
  return { report, print: printOf(judgement) };
}

function toRow(check: ReportedCheck): CheckRow {
  const { name, command, result, judged, exit, seconds, counts, problems, output } = check;
  const failures = check.fresh.slice(0, SHOWN.failures).map(({ file, line, text }) => ({
    file: file ? cutText(file, 1_000) : null,
    line,
    text: oneLine(text),
  }));
  const numbers = { fresh: check.fresh_count, old: check.old_count };
  return { name, command, result, judged, exit, seconds, counts, problems, failures, ...numbers, output };
}

/** The first failing item in one line, in the order a reader would look at them; null for a PASS. */
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
      const place = failure?.file ? `${failure.file}${failure.line === null ? '' : `:${failure.line}`} ` : '';
      return oneLine(`${reason.check}: ${place}${failure?.text ?? reason.code}`);
    }
  }
}

/** Comparable only when every failing check names a file: an exit code alone is the same for any failure. */
function printOf(judgement: Judgement): string {
  const failing = judgement.report.checks.filter(({ judged }) => judged === 'fail');
  const named = failing.length > 0 && failing.every(({ fresh }) => fresh.some(({ file }) => file !== null));
  return named ? cutText(failurePrint(judgement), 600) : '';
}

/** What the untouched tree showed, kept small. What does not fit makes the list incomplete. */
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
