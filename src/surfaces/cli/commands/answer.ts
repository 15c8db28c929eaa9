import type { AnswerInput, Person } from '../../../contract/answer.ts';
import type { Gate } from '../../../contract/gate.ts';
import { asksToType } from '../../../engine/answers.ts';
import { isEarly } from '../../../engine/judge-person.ts';
import { isRejection, type Rejection, reject } from '../../../engine/rejection.ts';
import type { DriveHandle, Receipt } from '../../../runtime/views.ts';
import { askAndAnswer, type GateEnd, printReceipt } from '../answer-gate.ts';
import { provenCaller } from '../caller.ts';
import {
  type Context,
  isInteractive,
  isSet,
  need,
  needView,
  optionList,
  optionText,
  refuseAs,
  rememberShown,
  viewOf,
  withApi,
} from '../context.ts';
import { closeSoon, type DriveDeps, driveRun, leave, showRunEnd, withDrive } from '../drive.ts';
import { EXIT, refuse } from '../exit.ts';
import { bareTextOption, drawChoices, gateChoices, showPlainGate } from '../gate-screen.ts';
import { parseChoice } from '../parse-choice.ts';
import type { Voice } from '../progress.ts';
import { beginProof, proveAtGate } from '../proof.ts';
import { showRows } from '../stop-blocks.ts';
import { speak } from '../voice.ts';
import type { Words } from '../words.ts';
import { showStopped } from './status.ts';

/** Answers one gate: with the given option, or after showing it and asking. Then drives the run. */
export async function answer(context: Context): Promise<number> {
  const [name = '', option] = context.values.positionals;
  return withApi(context, async (open) => {
    const { api } = open;
    const gate = await need(open, await api.findGate(name));
    const person = option === undefined ? null : beginProof(open, gate);
    return withDrive(open, async (drive) => {
      const view = await needView(drive, gate.run);
      const voice = await speak(drive, view);
      const target = { gate, seq: view.run.seq, chosen: null };
      if (person && option !== undefined) return answerWith(drive, voice, target, { option, person });
      return answerHere(drive, voice, target);
    });
  });
}

/** Without a typed option, shows the gate and asks. A worker is refused before any prompt. */
async function answerHere(drive: DriveDeps, voice: Voice, target: Target): Promise<number> {
  const { gate } = target;
  if (gate.status !== 'open') return refuseClosed(voice.words, gate);
  if (!isInteractive(drive)) {
    const lines = [voice.words('cli.nothing_typed'), ...optionLines(drive, gate, voice)];
    return refuse(EXIT.usage, lines, { rejection: 'no_such_option' });
  }
  const { id, digest } = gate;
  const allowed = await drive.api.may('storeDraft', { gate: id, digest, draft: {} });
  if (isRejection(allowed)) return refuseAs(allowed, voice.t);
  return answerAsked(drive, voice, target);
}

function refuseClosed(words: Words, { id, run, status }: Gate): never {
  const lines = [words('cli.not_open', { gate: id, status }), `${words('cli.next')}: baton status ${run}`];
  return refuse(EXIT.refused, lines, { rejection: 'gate_closed' });
}

interface Typed {
  readonly option: string;
  readonly person: Promise<Person | Rejection>;
}

async function answerWith(
  drive: DriveDeps,
  voice: Voice,
  { gate, seq }: Target,
  typed: Typed,
): Promise<number> {
  const input = buildInput(drive, voice, gate, typed.option);
  const first = await typed.person;
  const hopeless = isRejection(first) && first.rejection !== 'code_needed' && !isEarly(first);
  const asks = hopeless ? null : await whatToAsk(drive, gate, input);
  if (asks === 'lacking') return answerAsked(drive, voice, { gate, seq, chosen: input });
  if (asks === 'again') return askAgain(drive, voice, { gate, seq, chosen: null }, input);
  const person = await proveAtGate({ ...drive, ...voice }, gate, typed.person);
  if (asks === 'refuse' && !isRejection(person)) return refuseUnseen(drive, voice, gate, input.option);
  return send(drive, voice, gate, { input, person });
}

async function send(
  drive: DriveDeps,
  voice: Voice,
  gate: Gate,
  { input, person }: { readonly input: AnswerInput; readonly person: Person | Rejection },
): Promise<number> {
  const { api, deps } = drive;
  const drives = !isSet(drive, 'no-drive');
  const release = drive.lines.hold();
  try {
    const receipt = await api.as(provenCaller(drive, person)).answer({
      gate: gate.id,
      answer: input,
      ...(drives && { drive: { attended: drive.interactive } }),
    });
    if (isRejection(receipt)) return refuseAs(receipt, voice.t);
    await deps.seen.forget(gate.id);
    printAnswered(drive, voice, gate, receipt);
    release();
    if (receipt.handle && drives) return carryOn(drive, receipt.handle, input.option);
    if (!receipt.driven_elsewhere) showGoOn(drive, voice, receipt);
    return EXIT.done;
  } finally {
    release();
  }
}

/** Null: the answer is complete and the gate was shown. */
async function whatToAsk(
  drive: DriveDeps,
  gate: Gate,
  input: AnswerInput,
): Promise<'lacking' | 'again' | 'refuse' | null> {
  const { interactive } = drive;
  if (await isUnseen(drive, gate)) return interactive ? 'again' : 'refuse';
  return interactive && isLacking(gate, input) ? 'lacking' : null;
}

/** Shows the current gate. The option typed before does not count. The typed texts stay as a draft. */
async function askAgain(
  drive: DriveDeps,
  voice: Voice,
  { gate, seq }: Target,
  { text, fields }: AnswerInput,
): Promise<number> {
  const typed = Object.entries({ ...fields, text }).filter((entry): entry is [string, string] => !!entry[1]);
  if (typed.length > 0)
    await drive.api.storeDraft({ gate: gate.id, digest: gate.digest, draft: Object.fromEntries(typed) });
  drive.screen.text(voice.words('cli.not_shown_yet', { gate: gate.id }));
  return answerAsked(drive, voice, { gate, seq, chosen: null });
}

/** Without `--digest` an answer is about the gate the person has seen. A gate that changed since then is unseen. */
async function isUnseen(context: Context, gate: Gate): Promise<boolean> {
  if (gate.status !== 'open' || optionText(context, 'digest') !== null) return false;
  return !(await context.deps.seen.has(gate));
}

/** The person cannot be asked again here. It prints the gate, and the command that answers exactly this gate. */
async function refuseUnseen(drive: DriveDeps, voice: Voice, gate: Gate, option: string): Promise<number> {
  const { screen, api } = drive;
  const shown = (await api.gates(gate.run)).find((open) => open.gate.id === gate.id);
  if (!shown) return refuseClosed(voice.words, gate);
  const command = `baton answer ${gate.id} ${option} --digest ${shown.gate.digest}`;
  const refusal = reject('gate_unseen', { gate: gate.id, command }, { current: { ...shown.gate, command } });
  if (!screen.json) showPlainGate(screen, shown, voice.t, voice.words);
  await rememberShown(drive, shown.gate);
  return refuseAs(refusal, voice.t);
}

/** Drives the run to its next stop point. If the run ends there, shows its end. */
async function carryOn(drive: DriveDeps, handle: DriveHandle, option?: string): Promise<number> {
  const exit = await driveRun(drive, handle, option);
  await showRunEnd(drive, handle.run, null);
  return exit;
}

/**
 * True if the option needs a text or a typed confirmation that the command lacks. A person here is then asked for it.
 */
function isLacking(gate: Gate, { option, text, typed, digest }: AnswerInput): boolean {
  const chosen = gate.options[option];
  const open = gate.status === 'open' && digest === gate.digest;
  return (
    open && ((chosen?.text === 'required' && text === null) || (typed === null && asksToType(gate, chosen)))
  );
}

/** The gate was not shown here, so its title and digest are printed to make a mistake visible. */
function printAnswered(drive: DriveDeps, voice: Voice, gate: Gate, receipt: Receipt): void {
  const { screen } = drive;
  const { run, status, repeated, answer } = receipt;
  const { option, digest } = answer;
  const title = voice.t(gate.title);
  if (screen.json) {
    const told = { gate: gate.id, title, option, digest, next: `baton resume ${run}` };
    const set_aside = receipt.not_applied ? { applied: false } : {};
    screen.printJson({ ok: true, receipt: receipt.receipt, repeated, ...set_aside, run, status, ...told });
  } else {
    const chosen = gate.options[option];
    const label = chosen ? voice.t(chosen.label) : option;
    const what = `${label}   ${title} · ${gate.id} · ${digest.slice(0, SHORT_DIGEST)}`;
    printReceipt({ ...drive, ...voice }, receipt, what);
  }
  if (receipt.driven_elsewhere) showElsewhere(drive, voice, run);
}

/** `sha256:` and twelve digits distinguish two gates. */
const SHORT_DIGEST = 'sha256:'.length + 12;

/** Turns the typed words into an answer to exactly this gate. It does not guess or complete anything. */
function buildInput(context: Context, voice: Voice, gate: Gate, option: string): AnswerInput {
  const options = gateChoices(gate, voice.t, voice.words).filter(({ view }) => view === null);
  const given = optionText(context, 'text');
  const chosen = parseChoice(option, options, given === null ? bareTextOption(gate) : null);
  if (chosen.kind === 'refused') {
    const near = chosen.near === null ? [] : [voice.words('cli.did_you_mean', { word: chosen.near })];
    const lines = [
      voice.words('cli.not_an_option', { typed: option }),
      ...near,
      ...optionLines(context, gate, voice),
    ];
    return refuse(EXIT.usage, lines, { rejection: 'no_such_option' });
  }
  const fields = parseFields(context, voice.words);
  const text = chosen.kind === 'text' ? chosen.text : given;
  const digest = optionText(context, 'digest') ?? gate.digest;
  return { option: chosen.key, text, fields, digest, typed: optionText(context, 'typed') };
}

function optionLines({ screen }: Context, gate: Gate, { t, words }: Voice): string[] {
  const options = gateChoices(gate, t, words).filter(({ view }) => view === null);
  // Below an error the options are indented by two more columns.
  return [
    `${words('cli.allowed')}:`,
    ...drawChoices({ ...screen, columns: screen.columns - 2 }, options, null),
  ];
}

function parseFields(context: Context, words: Words): Record<string, string | null> {
  const fields: Record<string, string | null> = {};
  for (const typed of optionList(context, 'field')) {
    const at = typed.indexOf('=');
    if (at <= 0)
      refuse(EXIT.usage, [words('cli.bad_field', { given: typed })], { rejection: 'no_such_field' });
    const value = typed.slice(at + 1).trim();
    if (value === '...')
      refuse(EXIT.usage, [words('cli.empty_example', { given: typed })], { rejection: 'bad_input' });
    fields[typed.slice(0, at).trim()] = value || null;
  }
  return fields;
}

/** A gate, the last event before it was looked up, and the answer already typed. */
interface Target {
  readonly gate: Gate;
  readonly seq: number;
  readonly chosen: AnswerInput | null;
}

/** Shows and asks the gate on this terminal, whichever process drives the run. */
async function answerAsked(drive: DriveDeps, voice: Voice, { gate, seq, chosen }: Target): Promise<number> {
  const opened = await tryOpen(drive, gate.run, voice);
  const release = async () => (opened ? closeSoon(opened) : undefined);
  let end: GateEnd | undefined;
  try {
    const shown = (await drive.api.gates(gate.run)).find((open) => open.gate.id === gate.id);
    end = shown && (await askAndAnswer({ ...drive, ...voice }, opened, { ...shown, chosen }, seq));
  } catch (error) {
    await release();
    throw error;
  }
  if (opened && end?.kind === 'answered') return carryOn(drive, opened, end.option);
  if (opened && end?.kind === 'overtaken') return carryOn(drive, opened);
  await release();
  switch (end?.kind) {
    case 'left':
      return leave(drive, gate.run, gate);
    case 'answered':
      if (isSet(drive, 'no-drive')) showGoOn(drive, voice, { run: gate.run, status: 'working' });
      else showElsewhere(drive, voice, gate.run);
      return EXIT.done;
    case 'overtaken':
      return EXIT.refused;
    case undefined:
      return refuseClosed(voice.words, gate);
  }
}

/** Shows the command that displays a run that continues elsewhere. */
function showElsewhere({ screen }: DriveDeps, { words }: Voice, run: string): void {
  showRows(screen, [[words('cli.next'), `baton status ${run}`]]);
}

/** The answer is recorded, but no process drives the run. Shows the command that continues it. */
function showGoOn(
  { screen }: DriveDeps,
  { words }: Voice,
  { run, status }: Pick<Receipt, 'run' | 'status'>,
): void {
  if (screen.json) return;
  if (status === 'ended') showRows(screen, [[words('cli.next'), `baton show ${run}`]]);
  else showRows(screen, [[words('cli.continue'), `baton resume ${run}`]]);
}

/** Null: the answer is only recorded here, because of `--no-drive` or because another process drives the run. */
async function tryOpen(drive: DriveDeps, run: string, voice: Voice): Promise<DriveHandle | null> {
  const { api } = drive;
  if (isSet(drive, 'no-drive')) return null;
  const opened = await api.open({ run, attended: true });
  if (!isRejection(opened)) return opened;
  if (opened.rejection !== 'held_elsewhere') return refuseAs(opened, voice.t);
  const view = await viewOf(api, run);
  if (view) await showStopped(drive, view);
  return null;
}
