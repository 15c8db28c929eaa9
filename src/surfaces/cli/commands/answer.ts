import type { AnswerInput, Person } from '../../../contract/answer.ts';
import type { Gate } from '../../../contract/gate.ts';
import { asksToType } from '../../../engine/answers.ts';
import { isRejection, type Rejection } from '../../../engine/rejection.ts';
import type { DriveHandle, Receipt } from '../../../runtime/api.ts';
import { askAndAnswer, type GateEnd, tellReceipt } from '../answer-gate.ts';
import {
  type Context,
  fail,
  failRejected,
  isInteractive,
  noteRefusal,
  optionList,
  optionText,
  orFail,
  userName,
  withApi,
} from '../context.ts';
import { closeSoon, type DriveDeps, driveRun, leave, withDrive } from '../drive.ts';
import { EXIT } from '../exit.ts';
import { bareTextOption, drawChoices, gateChoices } from '../gate-screen.ts';
import type { Words } from '../messages.ts';
import { parseChoice } from '../parse-choice.ts';
import type { Voice } from '../progress.ts';
import { showRows } from '../rest-blocks.ts';
import { showRunEnd } from '../run-end.ts';
import { speak } from '../voice.ts';

/** Answers one gate: with the option given, or after showing it and asking. Then the run is carried on. */
export async function answer(context: Context): Promise<number> {
  const [name = '', option] = context.values.positionals;
  const typed = option === undefined ? null : typedAnswer(context, option);
  return withApi(context, false, async (api) => {
    const found = await orFail(context, api, await api.findGate(name), null);
    if ('exit' in found) return found.exit;
    const gate = found.value;
    return withDrive(context, api, async (drive) => {
      const view = await orFail(context, api, await api.view(gate.run), gate.run);
      if ('exit' in view) return view.exit;
      const voice = await speak(drive, view.value);
      const { seq } = view.value.run;
      if (typed) return answerWith(drive, voice, { gate, seq, chosen: null }, typed);
      if (gate.status !== 'open') return notOpen(context, voice.words, gate);
      if (isInteractive(context)) return answerAsked(drive, voice, { gate, seq, chosen: null });
      const lines = [voice.words.nothing_typed, ...optionLines(context, gate, voice)];
      return fail(context, EXIT.usage, lines, { rejection: 'no_such_option' });
    });
  });
}

function notOpen(context: Context, words: Words, { id, run, status }: Gate): number {
  const lines = [words.not_open(id, status), `${words.next}: baton status ${run}`];
  return fail(context, EXIT.refused, lines, { rejection: 'gate_closed' });
}

interface Typed {
  readonly option: string;
  readonly person: Promise<Person | Rejection>;
}

/** Who it is is asked while the run is looked up: git tells the name, and that takes as long. */
function typedAnswer({ deps }: Context, option: string): Typed {
  const person = deps.person();
  person.catch(() => undefined);
  return { option, person };
}

async function answerWith(
  drive: DriveDeps,
  voice: Voice,
  { gate, seq }: Target,
  typed: Typed,
): Promise<number> {
  const { context, api } = drive;
  const input = buildInput(context, voice, gate, typed.option);
  if (typeof input === 'number') return input;
  if (drive.interactive && isLacking(gate, input))
    return answerAsked(drive, voice, { gate, seq, chosen: input });
  const person = await typed.person;
  if (isRejection(person)) {
    await noteRefusal(api, person, { command: 'answer', run: gate.run, target: gate.id });
    return failRejected(context, person, voice.t);
  }
  const drives = context.values.options.drive !== false;
  const wish = { opened_by: userName(context.deps), attended: drive.interactive };
  const release = drive.lines.hold();
  try {
    const receipt = await (drives
      ? api.answer(gate.id, input, person, wish)
      : api.answer(gate.id, input, person));
    if (isRejection(receipt)) return failRejected(context, receipt, voice.t);
    tellAnswered(drive, voice, gate, receipt);
    release();
    if (receipt.handle && drives) return carryOn(drive, receipt.handle, input.option);
    if (!receipt.driven_elsewhere) showGoOn(drive, voice, receipt);
    return EXIT.done;
  } finally {
    release();
  }
}

/** To the run's next rest; where that is its end, it is told. */
async function carryOn(drive: DriveDeps, handle: DriveHandle, option?: string): Promise<number> {
  const exit = await driveRun(drive, handle, option);
  await showRunEnd(drive, handle.run, null);
  return exit;
}

/** The option needs a text or something typed that the command does not have: a person here is asked for it. */
function isLacking(gate: Gate, { option, text, typed, digest }: AnswerInput): boolean {
  const chosen = gate.options[option];
  const open = gate.status === 'open' && digest === gate.digest;
  return (
    open && ((chosen?.text === 'required' && text === null) || (typed === null && asksToType(gate, chosen)))
  );
}

/** The gate was not shown here: what it asked and its digest are told, so that a mistake is seen. */
function tellAnswered(drive: DriveDeps, voice: Voice, gate: Gate, receipt: Receipt): void {
  const { screen } = drive.context;
  const { run, status, repeated, answer } = receipt;
  const { option, digest } = answer;
  const title = voice.t(gate.title);
  if (screen.json) {
    const told = { gate: gate.id, title, option, digest, next: `baton resume ${run}` };
    screen.printJson({ ok: true, receipt: receipt.receipt, repeated, run, status, ...told });
  } else {
    const chosen = gate.options[option];
    const label = chosen ? voice.t(chosen.label) : option;
    const what = `${label}   ${title} · ${gate.id} · ${digest.slice(0, SHORT_DIGEST)}`;
    tellReceipt({ ...drive, ...voice }, receipt, what);
  }
  if (receipt.driven_elsewhere) showElsewhere(drive, voice, run);
}

/** `sha256:` and twelve digits tell two gates apart. */
const SHORT_DIGEST = 'sha256:'.length + 12;

/** What was typed as an answer to exactly this gate; nothing is guessed or completed. */
function buildInput(context: Context, voice: Voice, gate: Gate, option: string): AnswerInput | number {
  const options = gateChoices(gate, voice.t, voice.words).filter(({ view }) => view === null);
  const given = optionText(context.values, 'text');
  const chosen = parseChoice(option, options, given === null ? bareTextOption(gate) : null);
  if (chosen.kind === 'refused') {
    const near = chosen.near === null ? [] : [voice.words.did_you_mean(chosen.near)];
    const lines = [voice.words.not_an_option(option), ...near, ...optionLines(context, gate, voice)];
    return fail(context, EXIT.usage, lines, { rejection: 'no_such_option' });
  }
  const fields = parseFields(context, voice.words);
  if (typeof fields === 'number') return fields;
  const text = chosen.kind === 'text' ? chosen.text : given;
  const digest = optionText(context.values, 'digest') ?? gate.digest;
  return { option: chosen.key, text, fields, digest, typed: optionText(context.values, 'typed') };
}

function optionLines({ screen }: Context, gate: Gate, { t, words }: Voice): string[] {
  const options = gateChoices(gate, t, words).filter(({ view }) => view === null);
  // Below an error they stand two columns further in.
  return [`${words.allowed}:`, ...drawChoices({ ...screen, columns: screen.columns - 2 }, options, null)];
}

function parseFields(context: Context, words: Words): Record<string, string | null> | number {
  const fields: Record<string, string | null> = {};
  for (const given of optionList(context.values, 'field')) {
    const at = given.indexOf('=');
    if (at <= 0) return fail(context, EXIT.usage, [words.bad_field(given)], { rejection: 'no_such_field' });
    const value = given.slice(at + 1).trim();
    if (value === '...')
      return fail(context, EXIT.usage, [words.empty_example(given)], { rejection: 'bad_input' });
    fields[given.slice(0, at).trim()] = value || null;
  }
  return fields;
}

/** A gate, the last event before it was looked up, and what was chosen already. */
interface Target {
  readonly gate: Gate;
  readonly seq: number;
  readonly chosen: AnswerInput | null;
}

/** On a terminal: the gate is shown and asked here, whoever drives the run. */
async function answerAsked(drive: DriveDeps, voice: Voice, { gate, seq, chosen }: Target): Promise<number> {
  const { context, api } = drive;
  const opened = await tryOpen(drive, gate.run);
  if (opened && isRejection(opened)) return failRejected(context, opened, voice.t);
  const shown = (await api.gates(gate.run)).find((open) => open.gate.id === gate.id);
  const end = shown && (await askAndAnswer({ ...drive, ...voice }, opened, { ...shown, chosen }, seq));
  if (opened && end?.kind === 'answered') return carryOn(drive, opened, end.option);
  if (opened && end?.kind === 'overtaken') return carryOn(drive, opened);
  if (opened) await closeSoon(opened);
  if (end?.kind === 'answered') showWhereNext(drive, voice, gate.run);
  return end ? afterAsking(drive, gate, end) : notOpen(context, voice.words, gate);
}

/** Another process goes on with the run, or, as was asked for, nobody does. */
function showWhereNext(drive: DriveDeps, voice: Voice, run: string): void {
  const recorded = drive.context.values.options.drive === false;
  if (recorded) showGoOn(drive, voice, { run, status: 'working' });
  else showElsewhere(drive, voice, run);
}

/** Where to look when the run goes on, but not here. */
function showElsewhere({ context }: DriveDeps, { words }: Voice, run: string): void {
  showRows(context.screen, [[words.next, `baton status ${run}`]]);
}

/** The answer is recorded and nothing goes on by itself: the command that does. */
function showGoOn(
  { context: { screen } }: DriveDeps,
  { words }: Voice,
  { run, status }: Pick<Receipt, 'run' | 'status'>,
): void {
  if (screen.json) return;
  if (status === 'ended') showRows(screen, [[words.next, `baton show ${run}`]]);
  else showRows(screen, [[words.go_on, `baton resume ${run}`]]);
}

/** Null: the answer is only recorded here, because that was asked for or another process drives the run. */
async function tryOpen({ context, api }: DriveDeps, run: string): Promise<DriveHandle | Rejection | null> {
  if (context.values.options.drive === false) return null;
  const opened = await api.open(run, userName(context.deps), true);
  return isRejection(opened) && opened.rejection === 'held_elsewhere' ? null : opened;
}

/** Nothing is carried on from here: the person left, cannot answer, or somebody else drives the run. */
async function afterAsking(drive: DriveDeps, gate: Gate, end: GateEnd): Promise<number> {
  switch (end.kind) {
    case 'left':
      return leave(drive, gate.run, gate);
    case 'impossible':
      return end.exit;
    case 'answered':
      return EXIT.done;
    case 'overtaken':
      return EXIT.refused;
  }
}
