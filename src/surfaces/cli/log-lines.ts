import type { AnsweredBy } from '../../contract/answer.ts';
import type { Text } from '../../contract/brief.ts';
import type { EventType, RunEvent } from '../../contract/event.ts';
import type { CurrentStep } from '../../contract/run.ts';
import { cleanText } from '../../engine/clean-text.ts';
import { proofMessage } from '../../engine/judge-person.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Api } from '../../runtime/api.ts';
import { type LoggedEvent, type LogVoice, settledLines, startedWhat } from './log-steps.ts';
import type { CliMessageId } from './words.ts';

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
  step_started: (told) =>
    told.open ? [told.words('cli.log.under_way', { what: startedWhat(told.step) })] : [],
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
