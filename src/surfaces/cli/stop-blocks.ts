import type { AnsweredBy } from '../../contract/answer.ts';
import type { Gate } from '../../contract/gate.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Api } from '../../runtime/api.ts';
import type { RunView, StopPoint } from '../../runtime/views.ts';
import type { Screen } from './screen.ts';
import { age } from './span.ts';
import { ANSWERED, commandsOf, idleBy, isIdle, moveOf, showCommand, waysToAnswer } from './standing.ts';
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
        [words('cli.or_continue'), resume],
      ]
    : [[words('cli.continue'), resume]];
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
  const args = { run: point.run, why: /[.!?。]$/.test(why) ? why : `${why}.` };
  const because = hasSaid(why) ? '' : '_because';
  if (!isIdle(run)) screen.text(screen.paint('failed', words(`cli.is_halted${because}`, args)));
  else if (idleBy(point.wait) === 'style') screen.text(words(`cli.idle_as_asked${because}`, args));
  else screen.text(words('cli.is_idle', args));
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
  const { label, typed } = moveOf(run, command);
  const hint = command === 'reopen' ? `   ${words('cli.reopen_effect')}` : '';
  return [words(label), `${typed}${hint}`];
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
  showRows(screen, [[words('cli.continue'), `baton resume ${point.run}`]]);
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

/** The result of a run, for people and for machines. */
interface RunResult {
  readonly criteria: RunView['left']['criteria'];
  /** Failures that the checks already had before the change. Absent if there are none. */
  readonly old_failures?: number;
  readonly files: number;
  readonly lines: RunView['left']['lines'];
  readonly cost: RunView['spend'];
  /** Time from the start of the run to its end, including waits. */
  readonly seconds: number;
  /** Answers given by a person. Answers of a drive do not count. */
  readonly decisions: number;
}

/** Null if the run has not ended or does not change files. */
export async function resultOf(api: Api, { run, left, spend }: RunView): Promise<RunResult | null> {
  if (run.status !== 'ended' || left.files === null) return null;
  const log = await api.log(run.id, 0);
  const answers = Array.isArray(log) ? log.filter(({ type }) => ANSWERED.has(type)) : [];
  return {
    criteria: left.criteria,
    ...(left.old_failures && { old_failures: left.old_failures }),
    files: left.files,
    lines: left.lines,
    cost: spend,
    seconds: Math.round((Date.parse(run.updated_at) - Date.parse(run.created_at)) / 1000),
    decisions: answers.filter(({ input }) => isByPerson(input as { by?: AnsweredBy })).length,
  };
}

function isByPerson({ by }: { readonly by?: AnsweredBy }): boolean {
  return by === undefined || 'person' in by;
}

/** The result as rows of the end block. */
function resultRows(
  { criteria, old_failures, files, lines, cost, seconds, decisions }: RunResult,
  words: Words,
): Row[] {
  const proven = criteria
    ? words('cli.with_evidence', { met: criteria.met, of: criteria.of })
    : words('cli.not_judged');
  const took = age(new Date(0).toISOString(), seconds * 1000, words);
  return [
    [words('cli.criteria'), proven],
    ...(old_failures
      ? [[words('cli.checks'), words('cli.failed_before', { n: old_failures })] as const]
      : []),
    [
      words('cli.change'),
      [words('cli.files', { n: files }), ...(lines ? [`+${lines.added} −${lines.removed}`] : [])].join(', '),
    ],
    [words('cli.cost'), [moneyText(cost, words), took, words('cli.decided', { n: decisions })].join(', ')],
  ];
}

/** The cost: known, partly known, or unknown. It never shows a price that was not reported. */
function moneyText({ money_usd, money_unknown }: RunView['spend'], words: Words): string {
  const usd = `$${money_usd.toFixed(2)}`;
  if (!money_unknown) return usd;
  return money_usd > 0 ? words('cli.cost_at_least', { usd }) : words('cli.money_unknown');
}
