import type { Gate } from '../../contract/gate.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { RunView, StopPoint } from '../../runtime/api.ts';
import { type RunResult, resultRows } from './run-result.ts';
import type { Screen } from './screen.ts';
import { commandsOf, idleBy, isIdle, moveCommand, showCommand, waysToAnswer } from './standing.ts';
import { cut, pad, widthOf } from './width.ts';
import type { Words } from './words.ts';

export interface BlockDeps {
  readonly screen: Screen;
  readonly words: Words;
  readonly t: Translate;
}

type Row = readonly [label: string, value: string];

/** Prints indented rows with aligned values. */
export function showRows(screen: Screen, rows: readonly Row[]): void {
  const column = Math.max(0, ...rows.map(([label]) => widthOf(label)));
  const hang = ' '.repeat(column + 5);
  for (const [label, value] of rows) screen.text(`  ${pad(label, column)}   ${value}`, hang);
}

/** Prints aligned columns. The last column takes the remaining width. */
export function showColumns(
  screen: Screen,
  lines: readonly (readonly string[])[],
  isFaint: (line: readonly string[]) => boolean = () => false,
): void {
  const widths = lines[0]?.map((_, i) => Math.max(...lines.map((line) => widthOf(line[i] ?? '')))) ?? [];
  for (const line of lines) {
    const lead = line.slice(0, -1).map((text, i) => `${pad(text, widths[i] ?? 0)}  `);
    const text = lead.join('') + cut(line.at(-1) ?? '', screen.columns - widthOf(lead.join('')));
    screen.line(isFaint(line) ? screen.paint('faint', text) : text);
  }
}

/** Prints the first lines of a run: its id, its title and its status lines. */
export function showStart({ screen, words, t }: BlockDeps, view: RunView): void {
  const name = `${words('cli.run')} ${view.run.id}`;
  screen.text(`${screen.paint('strong', name)}  ${view.run.title}`, '  ');
  showRows(
    screen,
    view.lines
      .map((line): Row => [t(line.label), t(line.value)])
      .filter(([, value]) => value !== view.run.title),
  );
}

/** After Ctrl-C, shows where the run is and how to continue. */
export function showAway({ screen, words, t }: BlockDeps, view: RunView, gate: Gate | null): void {
  const { id } = view.run;
  const location = gate ? `${t(gate.title)} (${words('cli.waits_for_you')})` : t(view.phase_label);
  screen.text(words('cli.left_at', { run: id, location }));
  const resume = `baton resume ${id}`;
  const rows: Row[] = gate
    ? [
        [words('cli.answer_it'), waysToAnswer(gate, t).command],
        [words('cli.or_go_on'), resume],
      ]
    : [[words('cli.go_on'), resume]];
  showRows(screen, rows);
}

/** Shows why the run is halted, unless the last notice said so, and which commands move it. */
export function showHalted(
  { screen, words, t }: BlockDeps,
  point: StopPoint,
  { run }: RunView,
  hasSaid: (text: string) => boolean,
): void {
  const why = t(point.halt?.why ?? point.wait?.why ?? point.phase);
  const unsaid = hasSaid(why) ? '' : sentence(why);
  if (!isIdle(run))
    screen.text(
      screen.paint(
        'failed',
        words(unsaid ? 'cli.is_halted_because' : 'cli.is_halted', { run: point.run, why: unsaid }),
      ),
    );
  else if (idleBy(point.wait) === 'style')
    screen.text(
      words(unsaid ? 'cli.idle_as_asked_because' : 'cli.idle_as_asked', { run: point.run, why: unsaid }),
    );
  else screen.text(words('cli.is_resting', { run: point.run, why: sentence(why) }));
  showRows(screen, haltedRows(point.run, commandsOf(point), words));
}

/** The command that shows the run, and a row for each command that moves it. */
export function haltedRows(run: string, commands: readonly string[], words: Words): Row[] {
  const ticket = commands.some((command) => ['conduct', 'children', 'unpark'].includes(command));
  return [
    [words('cli.see_it'), `baton ${ticket ? 'ticket ' : ''}show ${run}`],
    ...commands.map((command) => commandRow(run, command, words)),
  ];
}

/** The row for one command that moves a halted run: its effect and the command. */
export function commandRow(run: string, command: string, words: Words): Row {
  const typed = moveCommand(run, command);
  switch (command) {
    case 'reopen':
      return [words('cli.reopen'), `${typed}   ${words('cli.reopen_says')}`];
    case 'restart':
      return [words('cli.restart'), typed];
    case 'abandon':
      return [words('cli.abandon'), typed];
    case 'generate':
    case 'verify':
    case 'evaluate':
      return [words('cli.next_step'), typed];
    case 'park':
    case 'unpark':
    case 'cancel':
      return [words(`cli.ticket_command.${command}`), typed];
    default:
      return [words('cli.go_on'), typed];
  }
}

function sentence(text: string): string {
  return /[.!?。]$/.test(text) ? text : `${text}.`;
}

/** Shows a run that waits for a time or for another run. */
export function showSleeping({ screen, words, t }: BlockDeps, point: StopPoint): void {
  const until = point.wait?.kind === 'time' ? ` (${words('cli.until', { time: point.wait.at })})` : '';
  screen.text(
    words('cli.is_sleeping', {
      run: point.run,
      why: `${point.wait ? t(point.wait.why) : point.phase}${until}`,
    }),
  );
  showRows(screen, [[words('cli.go_on'), `baton resume ${point.run}`]]);
}

/** Shows how the run ended, its results and the next command. */
export function showEnd(
  { screen, words }: BlockDeps,
  point: StopPoint,
  { run, left }: RunView,
  result: RunResult | null,
): void {
  const { branch, commit, documents, evidence } = left;
  screen.text(
    screen.paint('strong', words('cli.ended', { run: point.run, outcome: point.outcome ?? point.phase })),
  );
  const rows: Row[] = result ? resultRows(result, words) : [];
  if (documents.length > 0) rows.push([words('cli.documents'), documentsText(documents)]);
  if (branch) rows.push([words('cli.branch'), branch]);
  if (commit) rows.push([words('cli.commit'), commit.slice(0, 12)]);
  if (evidence) rows.push([words('cli.evidence'), evidence.path ?? `baton show ${point.run} evidence`]);
  if (branch) rows.push([words('cli.next'), `git merge ${branch}`]);
  rows.push([branch ? words('cli.or_show') : words('cli.next'), showCommand(run)]);
  showRows(screen, rows);
}

/** A single document by its path. Several documents of one folder by the folder and their names. */
function documentsText(documents: readonly string[]): string {
  const [folder, ...others] = new Set(documents.map((file) => file.slice(0, file.lastIndexOf('/') + 1)));
  if (documents.length === 1 || !folder || others.length > 0) return documents.join('  ');
  return `${folder}: ${documents.map((file) => file.slice(folder.length)).join(', ')}`;
}
