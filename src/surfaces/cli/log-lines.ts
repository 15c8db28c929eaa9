import type { AnsweredBy } from '../../contract/answer.ts';
import type { Text } from '../../contract/brief.ts';
import type { EventType, RunEvent } from '../../contract/event.ts';
import type { CallOutcome, CheckResult, Failure } from '../../contract/outcome.ts';
import type { CurrentStep } from '../../contract/run.ts';
import { cleanText } from '../../engine/clean-text.ts';
import { proofMessage } from '../../engine/judge-person.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Api } from '../../runtime/api.ts';
import { stopwatch } from './span.ts';
import type { CliMessageId, Words } from './words.ts';

interface LogVoice {
  readonly t: Translate;
  readonly words: Words;
}

/** The input for the lines of an event: the event, its step, and when that step began. */
interface LoggedEvent extends LogVoice {
  readonly event: RunEvent;
  readonly step: CurrentStep | null;
  readonly since: string;
  /** The step has no outcome yet. */
  readonly open: boolean;
}

type StoredRecord = Awaited<ReturnType<Api['records']>>[number];

/** One event in plain words. `says` is empty if another line already says it. */
export interface LogEntry {
  readonly event: RunEvent;
  readonly phase: string;
  readonly says: readonly string[];
}

/** The log in plain words: the lines of each event, then the notices recorded with it. */
export function logEntries(
  events: readonly RunEvent[],
  records: readonly StoredRecord[],
  voice: LogVoice,
): LogEntry[] {
  let phase = '';
  let step: CurrentStep | null = null;
  let since = '';
  return events.map((event, i) => {
    const { phase: next = phase, step: entered = step } = event.row.set as Row;
    if (event.type === 'run_created') phase = next;
    const open = events[i + 1] === undefined;
    const lines = LINES[event.type]({ ...voice, event, step, since, open });
    const entry = { event, phase, says: [...lines, ...noticesOf(event, records, voice)] };
    if (event.type === 'step_started') since = event.at;
    [phase, step] = [next, entered];
    return entry;
  });
}

interface Row {
  readonly phase?: string;
  readonly step?: CurrentStep;
}

const LINES: Readonly<Record<EventType, (told: LoggedEvent) => readonly string[]>> = {
  run_created: ({ event, words }) => [
    words('cli.log.created', { who: event.by, title: String(event.row.set.title ?? '') }),
  ],
  step_started: (told) => (told.open ? [told.words('cli.log.began', { what: startedWhat(told.step) })] : []),
  step_settled: settledLines,
  gate_opened: ({ event, words }) => {
    const { gate = '', name = '' } = inputOf(event);
    return [words('cli.log.asked', { gate: words('cli.gate_named', { name }), id: gate })];
  },
  gate_answered: (told) => answerLine(told, 'cli.log.answered'),
  gate_held: (told) => answerLine(told, 'cli.log.held'),
  trouble_answered: (told) => answerLine(told, 'cli.log.answered'),
  gate_withdrawn: ({ event, words }) => [words('cli.log.withdrawn', { id: inputOf(event).gate ?? '' })],
  trouble_opened: ({ event, words }) => [words('cli.log.trouble', { kind: inputOf(event).kind ?? '' })],
  signal_received: signalLines,
  run_halted: ({ event, words, t }) => {
    const { idle } = (event.input ?? {}) as { readonly idle?: string };
    return [words(idle === 'style' ? 'cli.log.idle' : 'cli.log.halted', { why: whyOf(event, t) })];
  },
  run_slept: ({ event, words, t }) => [words('cli.log.slept', { why: whyOf(event, t) })],
  run_resumed: ({ event, words }) => [words('cli.log.resumed', { who: event.by })],
  run_ended: ({ event, words, t }) => {
    const { result = '' } = inputOf(event);
    return [
      words('cli.log.ended', {
        result: [result.replaceAll('_', ' '), whyOf(event, t)].filter(Boolean).join('. '),
      }),
    ];
  },
  run_migrated: ({ words }) => [words('cli.log.migrated')],
  // The notices of these events say everything.
  agent_changed: () => [],
  worker_refused: () => [],
  dial_override: () => [],
  // The line of the answer says who accepted.
  auto_accepted: () => [],
  gate_paused: () => [],
};

type Input = Readonly<Partial<Record<string, string>>>;

function inputOf({ input }: RunEvent): Input {
  return (input ?? {}) as Input;
}

function whyOf({ input }: RunEvent, t: Translate): string {
  const why = (input as { readonly why?: Text } | null)?.why;
  return why === undefined ? '' : t(why);
}

/** A person's words are stored as typed (SP-54) and shown without characters that control the terminal. */
function answerLine({ event, t, words }: LoggedEvent, id: CliMessageId): string[] {
  const { option = '', gate = '', text } = inputOf(event);
  const { by } = (event.input ?? {}) as { readonly by?: AnsweredBy };
  const proof = by && 'person' in by ? proofMessage(by) : null;
  return [
    words(id, { option, who: event.by, id: gate }),
    ...(text ? [`"${cleanText(text)}"`] : []),
    ...(proof ? [t(proof)] : []),
  ];
}

function signalLines({ event, words }: LoggedEvent): string[] {
  const { signal, refused } = (event.input ?? {}) as { signal?: Input; refused?: string };
  const { type = '', command } = signal ?? {};
  const what =
    command === undefined
      ? words('cli.log.signal', { what: type.replaceAll('_', ' ') })
      : words('cli.log.command', { command, who: event.by });
  return [what, ...(refused ? [words('cli.log.refused', { why: refused })] : [])];
}

function noticesOf({ seq }: RunEvent, records: readonly StoredRecord[], { t }: LogVoice): string[] {
  return records.flatMap((stored) => {
    if (stored.seq !== seq || stored.record.kind !== 'notice') return [];
    const { text, about } = stored.record;
    // The entry's own line already says the others.
    return about === undefined || about === 'attempt' ? [`· ${t(text)}`] : [];
  });
}

/** The most paths shown for a change. `--call` shows the rest. */
const PATHS = 5;

/** Names what a step works on, for a step without an outcome or with a failure. */
function startedWhat(step: CurrentStep | null): string {
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
function settledLines(told: LoggedEvent): readonly string[] {
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
  if (what !== 'change_set') return words('cli.log.queried', { what: named(what) });
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
