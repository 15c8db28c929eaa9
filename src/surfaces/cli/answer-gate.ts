import type { AnsweredBy } from '../../contract/answer.ts';
import type { RunEvent } from '../../contract/event.ts';
import type { Draft, Gate } from '../../contract/gate.ts';
import type { RunId } from '../../contract/ids.ts';
import { isRejection, type RejectionCode } from '../../engine/rejection.ts';
import type { Api, DriveHandle, Receipt } from '../../runtime/api.ts';
import { askGate, type GateToAsk } from './ask-gate.ts';
import { type Context, failRejected, noteRefusal } from './context.ts';
import type { ProgressLines, Voice } from './progress.ts';
import type { PromptIo } from './prompt-line.ts';

export interface AnswerDeps extends Pick<Voice, 'words' | 't'> {
  readonly context: Context;
  readonly api: Api;
  readonly lines: ProgressLines;
  readonly interrupt: AbortController;
}

/**
 * `answered`: our answer was taken. `overtaken`: somebody else's was, or the question changed. `left`: the person
 * went away. A number: no answer is possible here, and this is the exit code.
 */
export type GateEnd =
  | { readonly kind: 'answered'; readonly option: string }
  | { readonly kind: 'overtaken' | 'left' }
  | { readonly kind: 'impossible'; readonly exit: number };

/** The gate was closed or changed by somebody else while it was shown. */
const OVERTAKEN: ReadonlySet<RejectionCode> = new Set(['gate_closed', 'stale_digest', 'run_ended']);

/**
 * Asks a gate and sends the answer. While the prompt is open it listens whether somebody else answered; then the
 * prompt goes away and says by whom. `seq` is the last event before the gate was shown.
 */
export async function askAndAnswer(
  deps: AnswerDeps,
  handle: DriveHandle | null,
  shown: GateToAsk,
  seq: number,
): Promise<GateEnd> {
  const over = new AbortController();
  const overtaken = new AbortController();
  // Rejected when `over` fires: the prompt ended first.
  handle?.changed(over.signal).then(
    () => overtaken.abort(),
    () => undefined,
  );
  let draft = shown.draft;
  let { chosen } = shown;
  try {
    for (;;) {
      const end = await askOnce(deps, { ...shown, draft, chosen: chosen ?? null }, overtaken.signal);
      chosen = null;
      if (!('next' in end)) return end;
      draft = end.draft;
      if (end.next === 'again') continue;
      if (end.next === 'told' || (await tellOvertaken(deps, shown.gate, seq))) tellUnsent(deps, draft);
      return { kind: 'overtaken' };
    }
  } finally {
    over.abort();
  }
}

/** `tell`: the gate moved on and nobody said so yet; `told`: the person knows. */
interface Unsent {
  readonly next: 'tell' | 'told' | 'again';
  readonly draft: Draft;
}

async function askOnce(
  deps: AnswerDeps,
  shown: GateToAsk,
  overtaken: AbortSignal,
): Promise<GateEnd | Unsent> {
  const { context, api, interrupt, words, t } = deps;
  const { screen } = context;
  const signal = AbortSignal.any([interrupt.signal, overtaken]);
  const asked = await askGate({ api, io: promptIo(context), screen, words, t, signal }, shown);
  const { draft } = asked;
  if (asked.kind === 'changed') return { next: 'tell', draft };
  if (asked.kind === 'stopped') {
    return asked.by === 'signal' && !interrupt.signal.aborted ? { next: 'tell', draft } : { kind: 'left' };
  }
  const person = await context.deps.person();
  if (isRejection(person)) {
    const { id, run } = shown.gate;
    await noteRefusal(api, person, { command: 'answer', run, target: id });
    return { kind: 'impossible', exit: failRejected(context, person, t) };
  }
  const release = deps.lines.hold();
  try {
    const sent = await api.answer(shown.gate.id, asked.input, person);
    if (!isRejection(sent)) {
      tellReceipt(deps, sent, asked.label);
      return { kind: 'answered', option: asked.input.option };
    }
    screen.error([t(sent.message)]);
    return { next: OVERTAKEN.has(sent.rejection) ? 'told' : 'again', draft };
  } finally {
    release();
  }
}

function promptIo({ deps, screen }: Context): PromptIo {
  return { input: deps.stdin.stream(), output: deps.stdout.stream(), capable: screen.terminal };
}

/** Says which answer was taken, and who carries the run on when that is another process. */
export function tellReceipt({ context, words }: AnswerDeps, receipt: Receipt, label: string): void {
  const { screen } = context;
  const said = receipt.repeated ? words.answered_before(label) : words.answered(label);
  screen.line(screen.paint('proven', said));
  if (receipt.driven_elsewhere) screen.text(words.goes_on_elsewhere(receipt.driven_elsewhere));
}

/** What was typed for a gate that moved on, so that it can be copied. */
function tellUnsent({ context, words }: AnswerDeps, draft: Draft): void {
  const texts = Object.values(draft).filter((text) => text !== '');
  if (texts.length === 0) return;
  context.screen.text(words.not_sent);
  for (const text of texts) context.screen.text(`  ${text}`, '  ');
}

/** False, and nothing is said, when the gate still stands as it was: then only something beside it changed. */
async function tellOvertaken(deps: AnswerDeps, gate: Gate, seq: number): Promise<boolean> {
  const { context, api, words, t } = deps;
  const winner = await winnerOf(api, gate, seq);
  if (winner) {
    const option = gate.options[winner.option];
    context.screen.text(words.answered_by(winner.who, option ? t(option.label) : winner.option));
    return true;
  }
  const now = await api.findGate(gate.id);
  const same = !isRejection(now) && now.status === 'open' && now.digest === gate.digest;
  if (!same) context.screen.text(words.gate_changed);
  return !same;
}

export const ANSWERED: ReadonlySet<RunEvent['type']> = new Set([
  'gate_answered',
  'gate_held',
  'trouble_answered',
]);

async function winnerOf(api: Api, gate: Gate, seq: number): Promise<{ who: string; option: string } | null> {
  const log = await api.log(gate.run as RunId, seq);
  if (!Array.isArray(log)) return null;
  const event = log.findLast(({ type, input }) => ANSWERED.has(type) && isAnswerTo(gate, input));
  if (!event) return null;
  const { option, by } = event.input as AnswerTold;
  return { who: nameOf(by) ?? event.by, option };
}

interface AnswerTold {
  readonly gate: string;
  readonly option: string;
  readonly by?: AnsweredBy;
}

function isAnswerTo(gate: Gate, input: unknown): input is AnswerTold {
  return (
    typeof input === 'object' &&
    input !== null &&
    'gate' in input &&
    input.gate === gate.id &&
    'option' in input
  );
}

function nameOf(by: AnsweredBy | undefined): string | null {
  if (!by) return null;
  return 'person' in by ? by.person : by.agent;
}
