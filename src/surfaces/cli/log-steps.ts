import type { RunEvent } from '../../contract/event.ts';
import type { CallOutcome, CheckResult, Failure } from '../../contract/outcome.ts';
import type { CurrentStep } from '../../contract/run.ts';
import type { Translate } from '../../engine/workflow.ts';
import { stopwatch } from './span.ts';
import type { Words } from './words.ts';

export interface LogVoice {
  readonly t: Translate;
  readonly words: Words;
}

/** The input for the lines of an event: the event, its step, and when that step began. */
export interface LoggedEvent extends LogVoice {
  readonly event: RunEvent;
  readonly step: CurrentStep | null;
  readonly since: string;
  /** The step has no outcome yet. */
  readonly open: boolean;
}

/** The most paths shown for a change. `--call` shows the rest. */
const PATHS = 5;

/** Names what a step works on, for a step without an outcome or with a failure. */
export function startedWhat(step: CurrentStep | null): string {
  switch (step?.kind) {
    case 'work':
      return step.calls.map(({ role }) => named(role)).join(', ');
    case 'check':
      return step.checks.map(({ name }) => named(name)).join(', ');
    case 'query':
      return named(step.what.what);
    case 'workspace':
    case 'tracker':
    case 'deploy':
      return named(step.op.op);
    default:
      return '';
  }
}

/** The outcome of a step: one line for each worker or check, or one for a query or a write. */
export function settledLines(told: LoggedEvent): readonly string[] {
  const { step } = told;
  const results = resultsOf(told);
  const failure = failureIn(results[0]);
  if (failure)
    return [
      told.words('cli.log.failed', { what: startedWhat(step), code: failure.code, detail: failure.detail }),
    ];
  switch (step?.kind) {
    case 'work':
      return step.calls.map(({ role }, i) => callLine(told, named(role), results[i] as CallOutcome));
    case 'check':
      return step.checks.map(({ name }, i) => checkLine(told, named(name), results[i] as CheckResult));
    case 'query':
      return [queryLine(told, step.what.what, (results[0] as Found | undefined)?.found ?? {})];
    case 'workspace':
    case 'tracker':
    case 'deploy':
      return [opLine(told, step.op.op, (results[0] as Found | undefined)?.written ?? {})];
    default:
      return [];
  }
}

interface Found {
  readonly found?: TreeChanges;
  readonly written?: TreeChanges;
}

/** The fields of a query or a write that the log shows. */
interface TreeChanges {
  readonly modified?: readonly string[];
  readonly created?: readonly string[];
  readonly deleted?: readonly string[];
  readonly files?: readonly string[];
  readonly lines?: Readonly<Record<string, { readonly added: number; readonly removed: number }>> | null;
  readonly commit?: string | null;
  readonly branch?: string | { readonly name: string } | null;
}

function resultsOf({ event }: LoggedEvent): readonly unknown[] {
  const { results = {} } = (event.input ?? {}) as { results?: Readonly<Record<string, unknown>> };
  return Object.values(results);
}

function failureIn(result: unknown): Failure | null {
  return typeof result === 'object' && result !== null && 'failure' in result
    ? (result.failure as Failure)
    : null;
}

function callLine(
  { words, event, since }: LoggedEvent,
  role: string,
  ended: CallOutcome | undefined,
): string {
  if (ended?.kind !== 'ok')
    return words('cli.log.worker_failed', { role, tries: ended?.attempts ?? 0, why: ended?.detail ?? '' });
  const took = stopwatch(Date.parse(event.at) - Date.parse(since));
  return joined(words('cli.log.worker_done', { role, took }), ended.line ?? '');
}

function checkLine({ words }: LoggedEvent, name: string, check: CheckResult | undefined): string {
  if (!check || check.result === 'skipped' || check.result === 'unavailable')
    return words('cli.log.check_skipped', { name, result: check?.result ?? '' });
  const { counts, failures, exit, seconds } = check;
  const ran = words('cli.log.check', {
    name,
    result: check.result,
    exit: String(exit ?? '-'),
    seconds: seconds.toFixed(1),
  });
  const tests =
    counts && counts.failed > 0 ? words('cli.log.tests', { failed: counts.failed, total: counts.total }) : '';
  const [first] = failures;
  const location = first?.file ? `${first.file}${first.line === null ? '' : `:${first.line}`} ` : '';
  return joined(ran, tests, first ? `${location}${first.text}` : '');
}

function queryLine({ words }: LoggedEvent, what: string, found: TreeChanges): string {
  const { modified = [], created = [], deleted = [], lines } = found;
  const row = (kind: string) => (path: string) => {
    const count = lines?.[path];
    return `${kind} ${path}${count ? ` +${count.added} −${count.removed}` : ''}`;
  };
  const paths = [...created.map(row('A')), ...modified.map(row('M')), ...deleted.map(row('D'))];
  if (what !== 'change_set') return words('cli.log.looked', { what: named(what) });
  const more = paths.length > PATHS ? ', …' : '';
  return joined(words('cli.log.files', { n: paths.length }), paths.slice(0, PATHS).join(', ') + more);
}

function opLine({ words }: LoggedEvent, op: string, { commit, branch, files }: TreeChanges): string {
  const on = typeof branch === 'string' ? words('cli.log.on_branch', { branch }) : '';
  const made = commit ? words('cli.log.committed', { commit: commit.slice(0, 12) }) : '';
  if (op === 'commit') return joined(made || words('cli.log.wrote', { what: named(op) }), on);
  if (files && files.length > 0)
    return joined(
      words('cli.log.documents', { names: files.map((file) => file.split('/').at(-1)).join(', ') }),
      made,
    );
  return joined(words('cli.log.wrote', { what: named(op) }), made, on);
}

function named(name: string): string {
  return name.replaceAll('_', ' ');
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('  ');
}
