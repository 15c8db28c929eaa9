import type { AnsweredBy } from '../../contract/answer.ts';
import type { Draft, Gate } from '../../contract/gate.ts';
import type { RunId } from '../../contract/ids.ts';
import { isRejection, type RejectionCode } from '../../engine/rejection.ts';
import type { Api } from '../../runtime/api.ts';
import type { DriveHandle, Receipt } from '../../runtime/views.ts';
import { askGate, type GateToAsk } from './ask-gate.ts';
import { promptIo, provenCaller } from './caller.ts';
import { type OpenContext, refuseAs } from './context.ts';
import type { ShownCodes } from './deps.ts';
import type { ProgressLines, Voice } from './progress.ts';
import { proveAtGate } from './proof.ts';
import { ANSWERED } from './standing.ts';

export interface AnswerDeps extends OpenContext, Pick<Voice, 'words' | 't'> {
  readonly lines: ProgressLines;
  readonly interrupt: AbortController;
  /** Codes for answers given in another terminal. Null if none are shown. */
  readonly codes: ShownCodes | null;
}

/**
 * `answered`: our answer was recorded. `overtaken`: another answer was recorded first, or the question changed. `left`:
 * the person left.
 */
export type GateEnd =
  | { readonly kind: 'answered'; readonly option: string }
  | { readonly kind: 'overtaken' | 'left' };

/** Refusals that mean the gate was closed or changed elsewhere while it was shown. */
const OVERTAKEN: ReadonlySet<RejectionCode> = new Set(['gate_closed', 'stale_digest', 'run_ended']);

/**
 * Asks a gate and sends the answer. If someone else answers while the prompt is open, the prompt closes and names them.
 * `seq` is the last event before the gate was shown.
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
  const { id, run, digest } = shown.gate;
  // Only the terminal that drives the run has a code: this process stays and can check it.
  const code = (handle && deps.codes?.show(run, id, digest)) ?? null;
  try {
    for (;;) {
      const end = await askOnce(deps, { ...shown, draft, chosen: chosen ?? null, code }, overtaken.signal);
      chosen = null;
      if (!('next' in end)) return end;
      draft = end.draft;
      if (end.next === 'again') continue;
      if (end.next === 'told' || (await printOvertaken(deps, shown.gate, seq))) printUnsent(deps, draft);
      return { kind: 'overtaken' };
    }
  } finally {
    over.abort();
    deps.codes?.hide(id);
  }
}

/**
 * `tell`: the gate changed and the person does not know yet.
 * `told`: the person knows. `again`: the same gate is asked again.
 */
interface Unsent {
  readonly next: 'tell' | 'told' | 'again';
  readonly draft: Draft;
}

async function askOnce(
  deps: AnswerDeps,
  shown: GateToAsk,
  overtaken: AbortSignal,
): Promise<GateEnd | Unsent> {
  const { api, deps: cli, interrupt, screen, words, t } = deps;
  const signal = AbortSignal.any([interrupt.signal, overtaken]);
  await cli.seen.add(shown.gate);
  const asked = await askGate({ api, io: promptIo(deps), screen, words, t, signal }, shown);
  const { draft } = asked;
  if (asked.kind === 'changed') return { next: 'tell', draft };
  if (asked.kind === 'stopped') {
    return asked.by === 'signal' && !interrupt.signal.aborted ? { next: 'tell', draft } : { kind: 'left' };
  }
  const person = await proveAtGate(deps, shown.gate);
  const release = deps.lines.hold();
  try {
    const proven = api.as(provenCaller(deps, person));
    const sent = await proven.answer({ gate: shown.gate.id, answer: asked.input });
    if (isRejection(person)) return refuseAs(person, t);
    if (!isRejection(sent)) {
      await cli.seen.forget(shown.gate.id);
      printReceipt(deps, sent, asked.label);
      return { kind: 'answered', option: asked.input.option };
    }
    screen.error([t(sent.message)]);
    return { next: OVERTAKEN.has(sent.rejection) ? 'told' : 'again', draft };
  } finally {
    release();
  }
}

/** Shows which answer was recorded, and which other process continues the run, if one does. */
export function printReceipt(
  { screen, words }: Pick<AnswerDeps, 'screen' | 'words'>,
  receipt: Receipt,
  label: string,
): void {
  const said = receipt.repeated
    ? words('cli.answered_before', { option: label })
    : words('cli.answered', { option: label });
  if (receipt.not_applied)
    screen.text(screen.paint('waits', words('cli.answer_not_applied', { option: label })));
  else screen.line(screen.paint('proven', said));
  if (receipt.driven_elsewhere)
    screen.text(words('cli.continues_elsewhere', { who: receipt.driven_elsewhere }));
}

/** Shows the text typed for a gate that changed, so that the person can copy it. */
function printUnsent({ screen, words }: AnswerDeps, draft: Draft): void {
  const texts = Object.values(draft).filter((text) => text !== '');
  if (texts.length === 0) return;
  screen.text(words('cli.not_sent'));
  for (const text of texts) screen.text(`  ${text}`, '  ');
}

/**
 * Shows who answered, or that the gate changed. If the gate is unchanged,
 * something unrelated changed: it shows nothing and returns false.
 */
async function printOvertaken(deps: AnswerDeps, gate: Gate, seq: number): Promise<boolean> {
  const { screen, api, words, t } = deps;
  const winner = await winnerOf(api, gate, seq);
  if (winner) {
    const option = gate.options[winner.option];
    screen.text(
      words('cli.answered_by', { who: winner.who, option: option ? t(option.label) : winner.option }),
    );
    return true;
  }
  const now = await api.findGate(gate.id);
  const same = !isRejection(now) && now.status === 'open' && now.digest === gate.digest;
  if (!same) screen.text(words('cli.gate_changed'));
  return !same;
}

async function winnerOf(api: Api, gate: Gate, seq: number): Promise<{ who: string; option: string } | null> {
  const log = await api.log(gate.run as RunId, seq);
  if (!Array.isArray(log)) return null;
  const event = log.findLast(({ type, input }) => ANSWERED.has(type) && isAnswerTo(gate, input));
  if (!event) return null;
  const { option, by } = event.input as AnswerNotice;
  return { who: nameOf(by) ?? event.by, option };
}

interface AnswerNotice {
  readonly gate: string;
  readonly option: string;
  readonly by?: AnsweredBy;
}

function isAnswerTo(gate: Gate, input: unknown): input is AnswerNotice {
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
