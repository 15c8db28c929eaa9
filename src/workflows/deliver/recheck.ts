import type { Msg } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import type { CheckRow, Report } from '../../contract/deliver-report.ts';
import type { MoveRecord } from '../../contract/move.ts';
import type { CheckResult } from '../../contract/outcome.ts';
import { warn } from '../../engine/messages.ts';
import type { JudgedPass } from './layer1.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { changedPaths, notice, oneLine, warning } from './moves.ts';

type Recheck = NonNullable<DeliverState['checks']['recheck']>;

/**
 * Chooses the next checks of a pass. Failing checks run once more before a repair is counted (WF-50). All checks may
 * run on a clean checkout of the future commit (WF-49). Each happens at most once per pass. Both need a tree that
 * checks leave unchanged, so a run in the person's own folder skips them.
 */
export function recheckAfter(state: DeliverState, report: Report): Recheck | null {
  if (!hasOwnTree(state)) return null;
  if (!state.checks.recheck && isOnlyChecks(report)) return { stage: 'again', checks: names(report, isOpen) };
  const due =
    state.checks.recheck?.stage !== 'clean' && report.result === 'PASS' && needsClean(state, report);
  return due ? { stage: 'clean', checks: names(report, ({ command }) => command !== null) } : null;
}

function names({ checks }: Report, holds: (row: CheckRow) => boolean): Recheck['checks'] {
  return checks.filter(holds).map(({ name }) => name);
}

/** The check failed, or it did not run because an earlier one failed. */
function isOpen({ judged, result, command }: CheckRow): boolean {
  return judged === 'fail' || (result === 'skipped' && command !== null);
}

/** True if only commands that ran and failed stop the pass. A second run could change that. */
function isOnlyChecks({ result, checks, outside, too_many, scan, files }: Report): boolean {
  const failing = checks.filter(({ judged }) => judged === 'fail');
  const others = outside.length > 0 || too_many || scan.result === 'FAIL' || files === 0;
  return result === 'FAIL' && !others && failing.every((row) => row.result === 'fail');
}

/** Files that decide what a commit holds. */
const DECIDING = /(?:^|\/)\.git(?:ignore|attributes|modules)$/;

/** True if the tree may hold what the commit would not: files git ignores, or other rules about what it ignores. */
function needsClean(state: DeliverState, report: Report): boolean {
  const {
    attempt: { changes },
  } = state;
  const hidden = (changes?.ignored?.length ?? 0) + (changes?.git?.length ?? 0) > 0;
  return (
    !report.nothing_executed && (hidden || changedPaths(state.attempt).some((path) => DECIDING.test(path)))
  );
}

/** Merges the results of a second run of checks into the pass. */
export function joinPass(state: DeliverState, now: JudgedPass, results: readonly CheckResult[]): JudgedPass {
  const {
    checks: { recheck, report: before },
  } = state;
  if (!recheck || !before) return now;
  return recheck.stage === 'again'
    ? { ...now, report: joinAgain(recheck, before, now.report) }
    : { ...now, report: joinClean(state, before, now.report, results) };
}

function joinAgain({ checks }: Recheck, before: Report, now: Report): Report {
  const rows = before.checks.map((row) => {
    const again = now.checks.find(({ name }) => name === row.name);
    if (!again || !checks.includes(row.name)) return row;
    const flaky = row.judged === 'fail' && again.judged !== 'fail' && { flaky: firstError(row) };
    return { ...again, ...flaky };
  });
  return { ...now, checks: rows };
}

function firstError({ failures, exit }: CheckRow): string {
  const [first] = failures;
  if (!first) return `exit ${exit ?? 'none'}`;
  const location = first.file ? `${first.file}${first.line === null ? '' : `:${first.line}`} ` : '';
  return oneLine(`${location}${first.text}`);
}

/**
 * A pass counts only if the clean checkout passes too. If packages cannot be installed there, the result is unknown and
 * does not count against the change.
 */
function joinClean(
  state: DeliverState,
  before: Report,
  now: Report,
  results: readonly CheckResult[],
): Report {
  const broken = results.find(({ note }) => note?.code === 'install_failed')?.note;
  if (broken) return { ...before, clean: { result: 'unknown', why: oneLine(broken.detail) } };
  if (now.result === 'PASS') return { ...before, clean: { result: 'PASS', why: '' } };
  const hidden = hiddenFiles(state);
  const error = oneLine(`passes only with files that are not part of the commit: ${hidden}; ${now.error}`);
  return { ...now, error, clean: { result: 'FAIL', why: hidden } };
}

function hiddenFiles({ attempt: { changes } }: DeliverState): string {
  return (changes?.ignored ?? []).slice(0, 10).join(', ') || 'unknown';
}

export function recheckNotices(
  state: DeliverState,
  report: Report,
  { stage, checks }: Recheck,
): MoveRecord[] {
  if (stage === 'again') return [notice(say('deliver.notice.again', { checks: checks.join(', ') }))];
  const files = hiddenFiles(state);
  return [...flakyNotices(report), notice(say('deliver.notice.clean', { files }))];
}

export function flakyNotices({ checks, clean }: Report): MoveRecord[] {
  return clean ? [] : flakyLines(checks).map(warning);
}

/** Checks that failed at first and then passed on the same tree. */
export function flakyLines(
  checks: readonly { readonly name: string; readonly flaky?: string | undefined }[],
): Msg[] {
  return checks.flatMap(({ name, flaky }) =>
    flaky === undefined ? [] : [warn('engine.warn.flaky', { check: name, error: flaky })],
  );
}

interface Rechecked {
  readonly clean?: { readonly result: string; readonly why: string } | undefined;
}

/** Checks that were run on a clean checkout and passed. */
export function cleanPass({ clean }: Rechecked): Msg[] {
  return clean?.result === 'PASS' ? [say('deliver.clean')] : [];
}

/** Warns of checks that pass, or may pass, only with files that are not in the commit. */
export function cleanWarnings({ clean }: Rechecked): Msg[] {
  return clean && clean.result !== 'PASS' ? [warn('engine.warn.clean', { ...clean })] : [];
}

/** What a second run of the checks found, for the context of a gate. */
export function recheckLines({
  checks: { report },
}: {
  readonly checks: Pick<DeliverState['checks'], 'report'>;
}): Msg[] {
  return report ? [...flakyLines(report.checks), ...cleanWarnings(report), ...cleanPass(report)] : [];
}
