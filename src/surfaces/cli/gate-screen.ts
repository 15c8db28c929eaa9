import type { Gate } from '../../contract/gate.ts';
import { asksToType } from '../../engine/answers.ts';
import { visibleProse } from '../../engine/visible-text.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { ShownGate } from '../../runtime/views.ts';
import type { Choice, Leanings } from './parse-choice.ts';
import type { Screen } from './screen.ts';
import { pad, widthOf, wrap } from './width.ts';
import type { Words } from './words.ts';

/** A choice with its description. Views of documents come after the options and have no number. */
export interface GateChoice extends Choice {
  readonly says: string;
  /** Set for a view: the name of the artefact. */
  readonly view: string | null;
}

/** All choices at a gate, options first, in their stored order. */
export function gateChoices(gate: Gate, t: Translate, words: Words): GateChoice[] {
  const options = Object.entries(gate.options).map(([key, option], i) => ({
    key,
    label: visibleProse(t(option.label)),
    number: i + 1,
    says: visibleProse(t(option.description)),
    view: null,
  }));
  const views = viewsOf(gate).map((name, i) => ({
    key: i === 0 ? 'v' : `v${i + 1}`,
    label: words('cli.view', { name }),
    number: null,
    says: '',
    view: name,
  }));
  return [...options, ...views];
}

/**
 * The documents the brief says to read, then those the gate is bound
 * to. `deliver_spec` counts as the `spec` that a gate is bound to.
 */
function viewsOf({ brief, artefacts }: Gate): string[] {
  const bound = Object.keys(artefacts);
  const told = brief.context.flatMap((text) =>
    typeof text === 'object' && text.to_read !== undefined ? [text.to_read] : [],
  );
  const isBound = (name: string) => bound.some((one) => name === one || name.endsWith(`_${one}`));
  return [...told.filter((name) => !isBound(name)), ...bound];
}

/** The option that bare text selects at this gate, if there is one. */
export function bareTextOption(gate: Gate): string | null {
  return Object.entries(gate.options).find(([, option]) => option.bareText)?.[0] ?? null;
}

/**
 * A casual yes probably means the first option that settles the gate without bare text. A casual no probably means the
 * first option with another effect on the run.
 */
export function leanings(gate: Gate): Leanings {
  const options = Object.entries(gate.options);
  const against = options.find(([, { effect_on_run }]) => effect_on_run !== 'settle');
  const onward = options.find(([, option]) => option.effect_on_run === 'settle' && !option.bareText);
  return { yes: onward?.[0] ?? null, no: against?.[0] ?? null };
}

/** The option that is marked first and that a command to paste answers: the recommended one, otherwise the first. */
export function recommended(gate: Gate, t: Translate): string {
  const { recommend, load_bearing_gap } = gate.brief;
  const options = Object.entries(gate.options);
  const label = recommend && load_bearing_gap === null ? t(recommend.text).trim() : null;
  const named = options.find(([, option]) => t(option.label) === label) ?? options[0];
  return named?.[0] ?? '';
}

/** Shows the brief below one line that names the gate, its id and its draft. */
export function showBrief(screen: Screen, shown: ShownGate, t: Translate, words: Words): void {
  const { gate } = shown;
  const draft = gate.edition ?? gate.iteration;
  const about = [t(gate.title), gate.id, ...(draft > 1 ? [words('cli.rev', { n: draft })] : [])];
  screen.line();
  screen.line(screen.paint('waits', wrap(about.join(' · '), screen.columns).join('\n')));
  for (const line of shown.text.split('\n')) {
    // Without a terminal the text stays as stored, byte for byte (CON-58).
    const wrapped = screen.terminal ? wrap(visibleProse(line), screen.columns).join('\n') : line;
    const heading = /^[^\s:：-][^:：]{0,30}(?=[:：](?:\s|$))/u.exec(wrapped)?.[0];
    screen.line(heading ? screen.paint('strong', heading) + wrapped.slice(heading.length) : wrapped);
  }
}

const WIDEST_LABEL = 28;

/** The choices as lines that fit the screen: mark, number or key, label, description. */
export function drawChoices(
  screen: Screen,
  choices: readonly GateChoice[],
  selected: number | null,
): string[] {
  const column = Math.min(WIDEST_LABEL, Math.max(...choices.map((choice) => widthOf(choice.label))));
  return choices.flatMap((choice, i) => {
    const symbol = i === selected ? '>' : ' ';
    const name = `${symbol} ${pad(String(choice.number ?? choice.key), 2)} ${pad(choice.label, column)}`;
    const hang = ' '.repeat(widthOf(name) > screen.columns / 2 ? 7 : widthOf(name) + 2);
    const [first = '', ...rest] = wrap(`${name}  ${choice.says}`.trimEnd(), screen.columns, hang);
    return [i === selected ? screen.paint('strong', first) : first, ...rest];
  });
}

/** Shows the questions of a form, each with its id, its reason and the answer so far. */
export function showFields(screen: Screen, { gate, draft }: ShownGate, t: Translate): void {
  if (gate.fields.length > 0) screen.line();
  for (const field of gate.fields) {
    const why = field.why === undefined ? '' : `   ${t(field.why)}`;
    screen.text(`  ${pad(field.id, 4)}  ${t(field.text)}${why}`, '        ');
    for (const { key, label } of field.choices ?? [])
      screen.text(`        - ${key}: ${t(label)}`, '          ');
    const typed = draft[field.id];
    if (typed) screen.text(`        › ${typed}`, '          ');
  }
}

/** Prints the gate as plain lines: brief, questions, options. It does not ask. */
export function showPlainGate(screen: Screen, shown: ShownGate, t: Translate, words: Words): void {
  showBrief(screen, shown, t, words);
  showFields(screen, shown, t);
  screen.line();
  const options = gateChoices(shown.gate, t, words).filter((choice) => choice.view === null);
  for (const line of drawChoices(screen, options, null)) screen.line(line);
}

/** The command that answers exactly this gate. It names the gate, so it cannot answer a later one. */
export function answerCommand(gate: Gate, t: Translate): string {
  const key = recommended(gate, t);
  const option = gate.options[key];
  const fields = option?.fields ? gate.fields.map((field) => ` --field ${field.id}='...'`).join('') : '';
  const text = option?.text === 'required' ? " --text '...'" : '';
  // A person types the confirmation at the gate itself, after reading it. A command to paste would bypass that.
  if (asksToType(gate, option)) return `baton answer ${gate.id}`;
  return `baton answer ${gate.id} ${key}${fields}${text}`;
}
