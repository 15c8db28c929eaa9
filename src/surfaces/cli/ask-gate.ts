import type { AnswerInput } from '../../contract/answer.ts';
import type { Draft, Gate, StoredOption } from '../../contract/gate.ts';
import { asksToType } from '../../engine/answers.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Api } from '../../runtime/api.ts';
import type { ShownGate } from '../../runtime/views.ts';
import { type Asking, askForm, type FormResult } from './ask-form.ts';
import {
  bareTextOption,
  drawChoices,
  type GateChoice,
  gateChoices,
  leanings,
  recommended,
  showBrief,
  showFields,
} from './gate-screen.ts';
import { parseTyped } from './parse-choice.ts';
import { type ChoiceResult, dropTypeAhead, promptChoice } from './prompt-choice.ts';
import { type PromptIo, promptLine } from './prompt-line.ts';
import { readable, visibleAs } from './readable.ts';
import type { Screen } from './screen.ts';
import { wrap } from './width.ts';
import type { Words } from './words.ts';

export interface AskDeps {
  readonly api: Api;
  readonly io: PromptIo;
  readonly screen: Screen;
  readonly words: Words;
  readonly t: Translate;
  /** Ends every prompt: the person leaves, or the gate was answered elsewhere. */
  readonly signal: AbortSignal;
}

/**
 * `chosen`: the answer typed with the command, before the gate was shown. `code`: for an answer in another terminal.
 */
export type GateToAsk = ShownGate & { readonly chosen?: AnswerInput | null; readonly code?: string | null };

export type GateEntry =
  | { readonly kind: 'input'; readonly input: AnswerInput; readonly label: string }
  | { readonly kind: 'stopped'; readonly by: 'person' | 'signal' }
  /** The gate is no longer the one that was shown. */
  | { readonly kind: 'changed' };

/**
 * Shows a gate and asks until there is an answer to send, the person leaves, or the gate changes. It does not send the
 * answer. All typed text is stored in the gate's draft at once, and the draft is offered again on return. The result
 * includes the draft, so that no text is lost when the gate changes.
 */
export async function askGate(
  deps: AskDeps,
  shown: GateToAsk,
): Promise<GateEntry & { readonly draft: Draft }> {
  const { screen, words, t } = deps;
  const choices = gateChoices(shown.gate, t, words);
  const asking = createAsking(deps, shown);
  showBrief(screen, shown, t, words);
  showFields(screen, shown, t);
  if (shown.code)
    screen.text(
      screen.paint('faint', words('cli.answer_elsewhere', { gate: shown.gate.id, code: shown.code })),
    );
  const begun = await fillInChosen(asking, shown, choices);
  if (begun !== 'back') return { ...begun, draft: asking.draft() };
  for (;;) {
    const chosen = await askChoice(deps, asking, shown, choices);
    if (chosen.kind === 'changed' || chosen.kind === 'stopped') return { ...chosen, draft: asking.draft() };
    const choice = choices.find(({ key }) => key === chosen.key);
    if (choice?.view) {
      await showDocument(deps, shown, choice.view);
      continue;
    }
    const asked = await complete(asking, chosen, choice);
    if (asked !== 'back') return { ...asked, draft: asking.draft() };
  }
}

/** Completes a choice from the list with all it needs. Bare text is confirmed first. */
async function complete(
  asking: Asking,
  chosen: Exclude<ChoiceResult, { kind: 'stopped' }>,
  choice: GateChoice | undefined,
): Promise<GateEntry | 'back'> {
  const text = chosen.kind === 'text' ? await confirmText(asking, chosen.text, choice) : NONE;
  return 'text' in text ? fillIn(asking, chosen.key, text.text, choice) : orBack(text);
}

/**
 * Asks only what the option typed with the command lacks. Without
 * such an option, or if the person goes back, the list follows.
 */
async function fillInChosen(
  asking: Asking,
  { chosen }: GateToAsk,
  choices: readonly GateChoice[],
): Promise<GateEntry | 'back'> {
  if (!chosen) return 'back';
  const choice = choices.find(({ key }) => key === chosen.option);
  return fillIn(asking, chosen.option, chosen.text, choice);
}

/** Shows the list and its prompt. Text on the line is added to the draft, whatever ends the prompt. */
async function askChoice(
  deps: AskDeps,
  asking: Asking,
  shown: ShownGate,
  choices: readonly GateChoice[],
): Promise<ChoiceResult | { readonly kind: 'changed' }> {
  const { screen, words, t, io, signal } = deps;
  const { gate } = shown;
  const before = asking.draft().text ?? '';
  const meant = leanings(gate);
  const draftWith = (typed: string) =>
    parseTyped(typed, choices, '', meant).kind === 'text' ? joined(before, typed) : before;
  screen.line();
  if (before !== '') screen.text(words('cli.you_had_typed', { draft: before }), '  ');
  screen.text(screen.paint('faint', hintFor(deps, shown)));
  const chosen = await promptChoice(io, {
    choices,
    bareText: bareTextOption(gate),
    meant,
    start: choices.findIndex((choice) => choice.key === recommended(gate, t)),
    draw: (selected) => drawChoices(screen, choices, selected),
    refuse: (typed, near) => wrap(refusal(deps, gate, typed, near), screen.columns).join('\n'),
    onTyping: (typed) => asking.autosave('text', draftWith(typed)),
    signal,
  });
  const kept = chosen.kind === 'choice' ? before : draftWith(chosen.text);
  const same = kept === (asking.draft().text ?? '') || (await asking.keep('text', kept));
  return same || chosen.kind !== 'text' ? chosen : { kind: 'changed' };
}

/** Puts a later text below the earlier one, so that neither is lost. */
function joined(before: string, typed: string): string {
  return before === '' || typed.includes(before) ? typed : `${before}\n${typed}`;
}

/** Shows bare text again before it answers, because the person may have meant something else. */
async function confirmText(
  asking: Asking,
  text: string,
  choice: GateChoice | undefined,
): Promise<TextResult> {
  const { screen, words, io, signal } = asking;
  screen.line();
  screen.text(`  ${text}`, '  ');
  screen.text(words('cli.send_as', { label: choice?.label ?? '' }));
  if (io.capable && (await dropTypeAhead(io.input)) === 'interrupted')
    return { kind: 'stopped', by: 'person' };
  const result = await promptLine(io, { prompt: '› ', signal });
  if (result.kind === 'stopped') return { kind: 'stopped', by: result.by };
  return result.text === '' ? { text } : { kind: 'back' };
}

function createAsking({ api, ...deps }: AskDeps, shown: ShownGate): Asking {
  let draft: Draft = shown.draft;
  let last: Promise<unknown> = Promise.resolve();
  // Drafts are written one after the other: an earlier draft must never overwrite a later one.
  const keep = (id: string, text: string): Promise<boolean> => {
    const { [id]: _, ...rest } = draft;
    const next = text === '' ? rest : { ...rest, [id]: text };
    draft = next;
    const kept = last.then(async () => {
      const { id: gate, digest } = shown.gate;
      return (await api.storeDraft({ gate, digest, draft: next })) === true;
    });
    last = kept.catch(() => undefined);
    return kept;
  };
  return {
    ...deps,
    gate: shown.gate,
    draft: () => draft,
    keep,
    autosave(id, text) {
      if (text !== (draft[id] ?? '')) keep(id, text).catch(() => undefined);
    },
  };
}

function hintFor({ io, words, t }: AskDeps, { gate }: ShownGate): string {
  const key = bareTextOption(gate);
  const option = key === null ? undefined : gate.options[key];
  const hint = io.capable ? words('cli.choose_hint') : words('cli.choose_plain_hint');
  return option ? `${hint}; ${words('cli.choose_text_hint', { label: t(option.label) })}` : hint;
}

/**
 * Explains why the input did not answer. Suggests the option
 * that was probably meant, or points to the questions of a form.
 */
function refusal({ words, t }: AskDeps, gate: Gate, typed: string, near: string | null): string {
  if (typed === '') return words('cli.nothing_typed');
  const form = Object.values(gate.options).find(({ fields }) => fields);
  const hint = near
    ? words('cli.did_you_mean', { word: near })
    : form
      ? words('cli.questions_follow', { label: t(form.label) })
      : '';
  return `${words('cli.not_an_option', { typed })} ${hint}`.trimEnd();
}

/** Asks everything an option needs besides its key: the form, the text, and the word a hard gate wants typed. */
async function fillIn(
  asking: Asking,
  key: string,
  given: string | null,
  choice: GateChoice | undefined,
): Promise<GateEntry | 'back'> {
  const { gate } = asking;
  const option = gate.options[key];
  if (!option) return 'back';
  const label = choice?.label ?? key;
  const form: FormResult = option.fields ? await askForm(asking) : { kind: 'filled', fields: {} };
  if (form.kind !== 'filled') return form;
  const text = given === null ? await askText(asking, option, label) : { text: given };
  if (!('text' in text)) return orBack(text);
  const typed = asksToType(gate, option) ? await askTyped(asking) : NONE;
  if (!('text' in typed)) return orBack(typed);
  const { digest } = gate;
  return {
    kind: 'input',
    label,
    input: { option: key, text: text.text, fields: form.fields, digest, typed: typed.text },
  };
}

type NoText = { readonly kind: 'back' } | Exclude<GateEntry, { kind: 'input' }>;
type TextResult = { readonly text: string | null } | NoText;

const NONE: TextResult = { text: null };

function orBack(result: NoText): Exclude<GateEntry, { kind: 'input' }> | 'back' {
  return result.kind === 'back' ? 'back' : result;
}

async function askText(asking: Asking, option: StoredOption, label: string): Promise<TextResult> {
  if (option.text === 'none') return NONE;
  const { screen, io, signal } = asking;
  const initial = asking.draft().text;
  screen.text(textHint(asking, option, label, initial));
  const onTyping = (text: string) => asking.autosave('text', text);
  const result = await promptLine(io, { prompt: '› ', initial, signal, onTyping });
  if (!(await asking.keep('text', result.text)) && result.kind === 'line') return { kind: 'changed' };
  if (result.kind === 'stopped') return { kind: 'stopped', by: result.by };
  if (result.text !== '') return { text: result.text };
  return option.text === 'required' ? { kind: 'back' } : NONE;
}

/** Explains what to type, and what Enter does with the text already on the line. */
function textHint(
  { words, io }: Asking,
  option: StoredOption,
  label: string,
  draft: string | undefined,
): string {
  const required = option.text === 'required';
  if (!draft) return required ? words('cli.needs_text', { label }) : words('cli.may_have_text', { label });
  if (!io.capable) return words('cli.enter_sends_plain', { label, draft });
  return required ? words('cli.enter_sends_draft', { label }) : words('cli.enter_sends_comment', { label });
}

async function askTyped({ gate, screen, words, io, signal }: Asking): Promise<TextResult> {
  const wanted = gate.typed ?? '';
  for (;;) {
    screen.text(words('cli.type_to_confirm', { typed: wanted }));
    const result = await promptLine(io, { prompt: '› ', signal });
    if (result.kind === 'stopped') return { kind: 'stopped', by: result.by };
    if (result.text === '') return { kind: 'back' };
    if (result.text === wanted) return { text: wanted };
    screen.text(words('cli.typed_wrong', { typed: result.text, wanted }));
  }
}

/**
 * Shows the document with the hash the gate names. If none is stored under that hash, shows the newest of that name.
 */
async function showDocument({ api, screen, words }: AskDeps, shown: ShownGate, name: string): Promise<void> {
  const listed = await api.artefacts(shown.gate.run);
  const all = Array.isArray(listed) ? listed : [];
  const hash = shown.gate.artefacts[name];
  const found =
    all.find((artefact) => artefact.hash === hash) ?? all.find((artefact) => artefact.name === name);
  screen.line();
  if (found) screen.text(visibleAs(found)((await readable(found)).trimEnd()));
  else screen.text(words('cli.no_such_document', { name }));
}
