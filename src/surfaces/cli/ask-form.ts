import type { Draft, FieldSpec, Gate } from '../../contract/gate.ts';
import type { Translate } from '../../engine/workflow.ts';
import { type Choice, parseChoice } from './parse-choice.ts';
import { type PromptIo, promptLine } from './prompt-line.ts';
import type { Screen } from './screen.ts';
import type { Words } from './words.ts';

/** The input for asking at a gate. `keep` stores the draft at once and returns false if the gate has changed. */
export interface Asking {
  readonly io: PromptIo;
  readonly screen: Screen;
  readonly words: Words;
  readonly t: Translate;
  readonly gate: Gate;
  readonly signal: AbortSignal;
  readonly draft: () => Draft;
  readonly keep: (id: string, text: string) => Promise<boolean>;
  /** Stores an unfinished text without waiting. A failure is left to the next `keep`. */
  readonly autosave: (id: string, text: string) => void;
}

export type FormResult =
  | { readonly kind: 'filled'; readonly fields: Record<string, string | null> }
  | { readonly kind: 'stopped'; readonly by: 'person' | 'signal' }
  | { readonly kind: 'changed' };

type FormEnd = { readonly kind: 'kept' } | Exclude<FormResult, { kind: 'filled' }>;

/**
 * Asks one question after the other, each with its reason. Every finished answer is stored as a draft before the next
 * question. An unfinished one is stored when the person leaves, so that no text is lost. The form ends with a review.
 */
export async function askForm(asking: Asking): Promise<FormResult> {
  const { screen, words, gate } = asking;
  screen.line();
  screen.text(words('cli.form_hint'));
  for (const [i, field] of gate.fields.entries()) {
    const asked = await askField(asking, field, i + 1);
    if (asked.kind !== 'kept') return asked;
  }
  return review(asking);
}

async function askField(asking: Asking, field: FieldSpec, number: number): Promise<FormEnd> {
  const { screen, t, words, io, signal } = asking;
  const choices = choicesOf(field, t);
  showQuestion(asking, field, choices, number);
  const onTyping = (text: string) => asking.autosave(field.id, text);
  for (;;) {
    const initial = asking.draft()[field.id];
    showFieldHint(asking, field, initial);
    const result = await promptLine(io, { prompt: '     › ', initial, signal, onTyping });
    if (result.kind === 'stopped') {
      await asking.keep(field.id, result.text);
      return { kind: 'stopped', by: result.by };
    }
    const chosen = parseChoice(result.text, choices, null);
    const value = chosen.kind === 'choice' ? chosen.key : result.text;
    if (value === '' && field.required) {
      screen.text(`     ${words('cli.field_required')}`, '     ');
      continue;
    }
    return (await asking.keep(field.id, value)) ? { kind: 'kept' } : { kind: 'changed' };
  }
}

function showQuestion(
  { screen, t }: Asking,
  field: FieldSpec,
  choices: readonly Choice[],
  number: number,
): void {
  const why = field.why === undefined ? '' : `   ${t(field.why)}`;
  screen.text(`  ${number}  ${t(field.text)}${why}`, '     ');
  for (const choice of choices) screen.text(`     ${choice.number}) ${choice.label}`, '        ');
}

/** Shows what Enter does at this question. */
function showFieldHint({ screen, words, io }: Asking, field: FieldSpec, initial: string | undefined): void {
  const keeps =
    initial && (io.capable ? words('cli.enter_keeps') : words('cli.enter_keeps_plain', { draft: initial }));
  const hint = keeps || (field.required ? '' : words('cli.enter_leaves_open'));
  if (hint !== '') screen.text(`     ${screen.paint('faint', hint)}`, '     ');
}

function choicesOf(field: FieldSpec, t: Translate): Choice[] {
  return (field.choices ?? []).map(({ key, label }, i) => ({ key, label: t(label), number: i + 1 }));
}

/** Enter sends the form, and a number goes back to that question. Other input does not change anything. */
async function review(asking: Asking): Promise<FormResult> {
  const { screen, words, gate, io, signal } = asking;
  for (;;) {
    const fields = Object.fromEntries(gate.fields.map(({ id }) => [id, asking.draft()[id] || null]));
    const given = Object.values(fields).filter((value) => value !== null).length;
    screen.text(words('cli.review', { given, open: gate.fields.length - given }));
    const result = await promptLine(io, { prompt: '› ', signal });
    if (result.kind === 'stopped') return result;
    if (result.text === '') return { kind: 'filled', fields };
    const field = /^[1-9]\d*$/.test(result.text) ? gate.fields[Number(result.text) - 1] : undefined;
    if (!field) {
      screen.text(words('cli.not_a_question', { typed: result.text, n: gate.fields.length }));
      continue;
    }
    const asked = await askField(asking, field, Number(result.text));
    if (asked.kind !== 'kept') return asked;
  }
}
