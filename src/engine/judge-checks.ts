import type { Hash } from '../contract/ids.ts';
import type {
  CheckFailure,
  CheckNote,
  CheckResult,
  ProblemCounts,
  SandboxHint,
  TestCounts,
} from '../contract/outcome.ts';
import { CHECK_NAMES, type CheckCommands, type CheckName } from './detect-checks.ts';

/** The stored part of a check on the untouched tree. It separates old failures from new ones. Small. */
export type BaselineCheck = Pick<
  CheckResult,
  | 'name'
  | 'result'
  | 'timed_out'
  | 'counts'
  | 'problems'
  | 'keys'
  | 'complete'
  | 'fingerprint'
  | 'names'
  | 'ran'
>;

/** A failing item of the pass. `file` and `line` are as printed by the tool. */
export interface JudgedFailure extends Omit<CheckFailure, 'key'> {
  readonly check: string;
}

/**
 * The meaning of a result. `pass`: it ran without new failures · `fail`: it counts as a failure · `none`: it did not
 * run, which does not count. The failing items are split into `fresh` and `old`. A failing check has at least one item.
 */
export interface CheckVerdict {
  readonly judged: 'pass' | 'fail' | 'none';
  readonly fresh: readonly JudgedFailure[];
  readonly old: readonly JudgedFailure[];
  /** Totals, including items not listed by name. */
  readonly fresh_count: number;
  readonly old_count: number;
}

interface Marker {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface JudgeInput {
  readonly commands: CheckCommands;
  readonly checks: readonly CheckResult[];
  /** The same checks on the untouched tree. Null: there was no such pass, and every failure counts. */
  readonly baseline: readonly BaselineCheck[] | null;
  /** Markers in changed files. Null: the changed files are unknown. */
  readonly todo: readonly Marker[] | null;
  readonly todo_blocking: boolean;
  readonly outside: readonly { readonly path: string; readonly code: string }[];
  readonly files: number;
  readonly max_files: number;
  /** A person wants old failures to count too. */
  readonly judge_all: boolean;
}

/** Why a pass failed, as data. The workflow's catalogue has the text. */
type FailReason =
  | { readonly code: 'check_failed' | 'check_lost'; readonly check: CheckName; readonly count: number }
  | { readonly code: 'markers_block'; readonly count: number }
  | { readonly code: 'outside'; readonly path: string; readonly rule: string }
  | { readonly code: 'too_many_files'; readonly files: number; readonly max_files: number };

/** One line of the report (WF-49). */
export interface ReportedCheck extends CheckVerdict {
  readonly name: CheckName;
  readonly command: string | null;
  readonly source: string | null;
  readonly result: CheckResult['result'];
  readonly exit: number | null;
  readonly timed_out: boolean;
  readonly seconds: number;
  readonly counts: TestCounts | null;
  readonly problems: ProblemCounts | null;
  readonly note: CheckNote | null;
  readonly hint?: SandboxHint;
  readonly output: Hash | null;
  readonly fingerprint: Hash | null;
}

interface ChecksReport {
  readonly checks: readonly ReportedCheck[];
  readonly scan: {
    readonly result: 'PASS' | 'WARN' | 'FAIL' | 'SKIPPED';
    readonly markers: readonly Marker[];
  };
  readonly scope: {
    readonly result: 'PASS' | 'FAIL';
    readonly outside: JudgeInput['outside'];
    readonly files: number;
    readonly max_files: number;
  };
}

export interface Judgement {
  readonly result: 'PASS' | 'FAIL';
  /** False: no command ran. A PASS then proves nothing (WF-49). */
  readonly executed: boolean;
  readonly new_failures: readonly JudgedFailure[];
  readonly old_failures: readonly JudgedFailure[];
  readonly reasons: readonly FailReason[];
  readonly report: ChecksReport;
}

/**
 * The result of layer 1 from recorded evidence alone (WF-47 to WF-49, INV-13). It is FAIL exactly
 * in these cases: a check has a failure that the untouched tree lacks, the scan blocks, or the change set exceeds its
 * limits.
 */
export function judgeChecks(input: JudgeInput): Judgement {
  const checks = CHECK_NAMES.map((name) => reportCheck(name, input));
  const report: ChecksReport = { checks, scan: scanOf(input), scope: scopeOf(input) };
  const reasons = reasonsOf(report);
  return {
    result: reasons.length === 0 ? 'PASS' : 'FAIL',
    executed: checks.some(({ result }) => result === 'pass' || result === 'fail'),
    new_failures: checks.flatMap(({ fresh }) => fresh),
    old_failures: checks.flatMap(({ old }) => old),
    reasons,
    report,
  };
}

/**
 * Judges one result. A check that failed before and has no new item now is old. If items cannot be distinguished, only
 * an equal fingerprint is old. A check that ran before and cannot run now counts as failed, so that breaking the
 * command never passes.
 */
export function judgeCheck(now: CheckResult, before: BaselineCheck | null, judge_all: boolean): CheckVerdict {
  if (now.result === 'pass') return { ...NOTHING, judged: 'pass' };
  if (now.result === 'skipped') return NOTHING;
  if (now.result === 'unavailable' && before?.result === 'unavailable') return NOTHING;
  const keys = failingKeys(now);
  const isOld = oldKeys(now, judge_all ? null : before);
  const fresh = keys.filter((key) => !isOld(key));
  const counts = keys.length === 0 ? !isOld('') : fresh.length > 0;
  const whole: JudgedFailure = { check: now.name, file: null, line: null, text: endOf(now) };
  const listed = (old: boolean): readonly JudgedFailure[] => {
    const own = now.failures.filter(({ key }) => isOld(key) === old);
    const named = own.map(({ file, line, text }) => ({ check: now.name, file, line, text }));
    return named.length === 0 && counts !== old ? [whole] : named;
  };
  return {
    judged: counts ? 'fail' : 'pass',
    fresh: counts ? listed(false) : [],
    old: listed(true),
    fresh_count: counts ? Math.max(1, fresh.length) : 0,
    old_count: counts ? keys.length - fresh.length : Math.max(1, keys.length),
  };
}

/** Whether the untouched tree had an item too. The key is empty for a check that names no items. */
function oldKeys(now: CheckResult, before: BaselineCheck | null): (key: string) => boolean {
  if (before?.result !== 'fail' || (now.timed_out && !before.timed_out)) return () => false;
  if (areTellable(now, before)) {
    const had = new Set(before.keys);
    return (key) => had.has(key);
  }
  const same = now.fingerprint !== null && now.fingerprint === before.fingerprint;
  return () => same;
}

/** The part of a result of the untouched tree that a run stores. */
export function toBaseline(result: CheckResult): BaselineCheck {
  const { name, timed_out, counts, problems, keys, complete, fingerprint, names, ran } = result;
  const known = { ...(names && { names }), ...(ran !== undefined && { ran }) };
  return { name, result: result.result, timed_out, counts, problems, keys, complete, fingerprint, ...known };
}

/** All failures of a pass in one text. Equal for two passes that fail in the same way. Empty for a PASS. */
export function failurePrint({ result, report, reasons }: Judgement): string {
  if (result === 'PASS') return '';
  const failing = report.checks.filter(({ judged }) => judged === 'fail');
  const prints = failing.map(({ name, result: end, fingerprint }) => `${name}=${fingerprint ?? end}`);
  const others = reasons.flatMap((reason) => {
    if (reason.code === 'outside') return [`${reason.rule} ${reason.path}`];
    return 'check' in reason ? [] : [reason.code];
  });
  return [...prints, ...others.sort().slice(0, 20)].join('\n');
}

/** True if the last two repairs left the same failures. Another repair would be wasted. */
export function hasStalled(printsAfterRepairs: readonly string[]): boolean {
  const [last, previous] = [printsAfterRepairs.at(-1), printsAfterRepairs.at(-2)];
  return last !== undefined && last !== '' && last === previous;
}

/** The first failing item, for a progress line and a gate (WF-88, WF-89). */
export function firstFailure(judgement: Judgement): JudgedFailure | null {
  return judgement.new_failures[0] ?? null;
}

const NOTHING: CheckVerdict = { judged: 'none', fresh: [], old: [], fresh_count: 0, old_count: 0 };

/** The keys of the errors. Without errors, the warnings must have failed the check. */
function failingKeys({ keys }: Pick<CheckResult, 'keys'>): readonly string[] {
  const errors = keys.filter((key) => !key.startsWith('w'));
  return errors.length > 0 ? errors : keys;
}

/** Items can be compared if both sides name all of theirs and there are not more failures than before. */
function areTellable(now: CheckResult, before: BaselineCheck): boolean {
  return isWhole(now) && isWhole(before) && !hasMore(now, before);
}

function isWhole(result: BaselineCheck): boolean {
  const named = failingKeys(result).length;
  return result.complete && named > 0 && named >= (result.counts?.failed ?? 0);
}

/** More failing tests or errors than before, although the names do not show which. */
function hasMore(now: CheckResult, before: BaselineCheck): boolean {
  const more = (a: number | undefined, b: number | undefined) => a !== undefined && b !== undefined && a > b;
  const had = new Set(before.keys);
  if (failingKeys(now).some((key) => !had.has(key))) return false;
  return (
    more(now.counts?.failed, before.counts?.failed) || more(now.problems?.errors, before.problems?.errors)
  );
}

function endOf({ result, note, exit }: CheckResult): string {
  if (note) return note.detail;
  return result === 'unavailable' ? 'command not found' : `exit ${exit ?? 'unknown'}`;
}

function reportCheck(name: CheckName, input: JudgeInput): ReportedCheck {
  const found = input.commands[name];
  const result = found === null ? undefined : input.checks.find((check) => check.name === name);
  const before = input.baseline?.find((check) => check.name === name) ?? null;
  const named = { name, command: found?.command ?? null, source: found?.source ?? null };
  if (!result) return { ...named, ...NOT_RUN, ...NOTHING };
  const { exit, timed_out, seconds, counts, problems, note, hint, output, fingerprint } = result;
  return {
    ...named,
    ...{ result: result.result, exit, timed_out, seconds, counts, problems, note, output, fingerprint },
    ...(hint && { hint }),
    ...judgeCheck(result, before, input.judge_all),
  };
}

const NOT_RUN = {
  result: 'skipped',
  exit: null,
  timed_out: false,
  seconds: 0,
  counts: null,
  problems: null,
  note: null,
  output: null,
  fingerprint: null,
} as const;

function scanOf({ todo, todo_blocking }: JudgeInput): ChecksReport['scan'] {
  if (todo === null) return { result: 'SKIPPED', markers: [] };
  if (todo.length === 0) return { result: 'PASS', markers: [] };
  return { result: todo_blocking ? 'FAIL' : 'WARN', markers: todo };
}

function scopeOf({ outside, files, max_files }: JudgeInput): ChecksReport['scope'] {
  const result = outside.length > 0 || files > max_files ? 'FAIL' : 'PASS';
  return { result, outside, files, max_files };
}

function reasonsOf({ checks, scan, scope }: ChecksReport): FailReason[] {
  const { outside, files, max_files } = scope;
  const reasons: FailReason[] = outside.map(({ path, code }) => ({ code: 'outside', path, rule: code }));
  if (files > max_files) reasons.push({ code: 'too_many_files', files, max_files });
  for (const { name, judged, result, fresh_count } of checks) {
    const code = result === 'unavailable' ? 'check_lost' : 'check_failed';
    if (judged === 'fail') reasons.push({ code, check: name, count: fresh_count });
  }
  if (scan.result === 'FAIL') reasons.push({ code: 'markers_block', count: scan.markers.length });
  return reasons;
}
