import type { Gate } from '../../contract/gate.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Rest, RunView } from '../../runtime/api.ts';
import type { Words } from './messages.ts';
import { type RunResult, resultRows } from './run-result.ts';
import type { Screen } from './screen.ts';
import { commandsOf, isByStyle, isResting, moveCommand, showCommand, waysToAnswer } from './standing.ts';
import { pad, widthOf } from './width.ts';

export interface BlockDeps {
  readonly screen: Screen;
  readonly words: Words;
  readonly t: Translate;
}

type Row = readonly [label: string, value: string];

/** Indented lines with their values under each other. */
export function showRows(screen: Screen, rows: readonly Row[]): void {
  const column = Math.max(0, ...rows.map(([label]) => widthOf(label)));
  const hang = ' '.repeat(column + 5);
  for (const [label, value] of rows) screen.text(`  ${pad(label, column)}   ${value}`, hang);
}

/** The first thing a person sees of a run: its id, its title, and what it works with. */
export function showStart({ screen, words, t }: BlockDeps, view: RunView): void {
  const name = `${words.run} ${view.run.id}`;
  screen.text(`${screen.paint('strong', name)}  ${view.run.title}`, '  ');
  showRows(
    screen,
    view.lines
      .map((line): Row => [t(line.label), t(line.value)])
      .filter(([, value]) => value !== view.run.title),
  );
}

/** What is left behind by Ctrl-C, and how to go on. */
export function showAway({ screen, words, t }: BlockDeps, view: RunView, gate: Gate | null): void {
  const { id } = view.run;
  const place = gate ? `${t(gate.title)} (${words.waits_for_you})` : t(view.phase_label);
  screen.text(words.rests_at(id, place));
  const resume = `baton resume ${id}`;
  const rows: Row[] = gate
    ? [
        [words.answer_it, waysToAnswer(gate, t).command],
        [words.or_go_on, resume],
      ]
    : [[words.go_on, resume]];
  showRows(screen, rows);
}

/** Why the run stands still, unless that was the last thing said, and which commands move it. */
export function showHalted(
  { screen, words, t }: BlockDeps,
  rest: Rest,
  { run }: RunView,
  hasSaid: (text: string) => boolean,
): void {
  const why = t(rest.halt?.why ?? rest.wait?.why ?? rest.phase);
  const unsaid = hasSaid(why) ? '' : sentence(why);
  if (!isResting(run)) screen.text(screen.paint('failed', words.is_halted(rest.run, unsaid)));
  else if (isByStyle(rest.wait?.why)) screen.text(words.rests_as_asked(rest.run, unsaid));
  else screen.text(words.is_resting(rest.run, sentence(why)));
  showRows(screen, haltedRows(rest.run, commandsOf(rest), words));
}

/** Where to look, and a line for each command that moves the run. */
export function haltedRows(run: string, commands: readonly string[], words: Words): Row[] {
  const ticket = commands.some((command) => ['conduct', 'children', 'unpark'].includes(command));
  return [
    [words.see_it, `baton ${ticket ? 'ticket ' : ''}show ${run}`],
    ...commands.map((command) => commandRow(run, command, words)),
  ];
}

/** One way to move a halted run: what it does, and the command. */
export function commandRow(run: string, command: string, words: Words): Row {
  const typed = moveCommand(run, command);
  switch (command) {
    case 'reopen':
      return [words.reopen, `${typed}   ${words.reopen_says}`];
    case 'restart':
      return [words.restart, typed];
    case 'abandon':
      return [words.abandon, typed];
    case 'generate':
    case 'verify':
    case 'evaluate':
      return [words.next_step, typed];
    case 'park':
    case 'unpark':
    case 'cancel':
      return [words.ticket_command(command), typed];
    default:
      return [words.go_on, typed];
  }
}

function sentence(text: string): string {
  return /[.!?。]$/.test(text) ? text : `${text}.`;
}

/** A run that waits for a time or for another run. */
export function showSleeping({ screen, words, t }: BlockDeps, rest: Rest): void {
  const until = rest.wait?.kind === 'time' ? ` (${words.until(rest.wait.at)})` : '';
  screen.text(words.is_sleeping(rest.run, `${rest.wait ? t(rest.wait.why) : rest.phase}${until}`));
  showRows(screen, [[words.go_on, `baton resume ${rest.run}`]]);
}

/** How it ended, what it left, and the next command. */
export function showEnd(
  { screen, words }: BlockDeps,
  rest: Rest,
  { run, left }: RunView,
  result: RunResult | null,
): void {
  const { branch, commit, documents, evidence } = left;
  screen.text(screen.paint('strong', words.ended(rest.run, rest.outcome ?? rest.phase)));
  const rows: Row[] = result ? resultRows(result, words) : [];
  if (documents.length > 0) rows.push([words.documents, documentsText(documents)]);
  if (branch) rows.push([words.branch, branch]);
  if (commit) rows.push([words.commit, commit.slice(0, 12)]);
  if (evidence) rows.push([words.evidence, evidence.path ?? `baton show ${rest.run} evidence`]);
  if (branch) rows.push([words.next, `git merge ${branch}`]);
  rows.push([branch ? words.or_show : words.next, showCommand(run)]);
  showRows(screen, rows);
}

/** A single document by its path; several by their folder and names, as they all stand in one. */
function documentsText(documents: readonly string[]): string {
  const [folder, ...others] = new Set(documents.map((file) => file.slice(0, file.lastIndexOf('/') + 1)));
  if (documents.length === 1 || !folder || others.length > 0) return documents.join('  ');
  return `${folder}: ${documents.map((file) => file.slice(folder.length)).join(', ')}`;
}
