import type { RunStatus } from '../../../contract/run.ts';
import type { Api } from '../../../runtime/api.ts';
import type { RunView } from '../../../runtime/views.ts';
import { type Context, needRun, needView, type OpenContext, viewOf, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';
import type { Screen, Tone } from '../screen.ts';
import { age } from '../span.ts';
import {
  isIdle,
  isInterrupted,
  nextCommand,
  outcomeOf,
  renderedGate,
  stateName,
  waitOf,
} from '../standing.ts';
import { cut, pad, widthOf } from '../width.ts';
import type { Words } from '../words.ts';

type RunSummary = Awaited<ReturnType<Api['list']>>[number];

/** Shows what waits for whom, and the next command. Read-only. */
export async function status(context: Context): Promise<number> {
  const [name] = context.values.positionals;
  if (name === undefined) return withApi(context, showAll, { absent: () => showEmpty(context, true) });
  return withApi(context, async (open) => showOne(open, await needRun(open, name)));
}

function showEmpty(context: Context, untouched: boolean): number {
  const { words } = context;
  if (context.screen.json) context.screen.printJson({ waiting: [], working: [], sleeping: [], halted: [] });
  context.screen.text(untouched ? words('cli.nothing_here') : words('cli.nothing_live'));
  context.screen.text(
    `  ${words('cli.start_with', { command: `baton spec "${words('cli.what_you_want')}"` })}`,
  );
  return EXIT.done;
}

async function showAll(open: OpenContext): Promise<number> {
  const { api, deps, screen } = open;
  const runs = (await api.list(false)).filter((run) => run.status !== 'ended');
  if (screen.json) return printAll(open, runs);
  if (runs.length === 0) return showEmpty(open, false);
  const { words } = open;
  const views = new Map<string, RunView>();
  const isLooked = ({ status, holder }: RunSummary) =>
    status === 'working' || status === 'sleeping' || holder !== null;
  for (const run of runs.filter(isLooked)) {
    const view = await viewOf(api, run.id);
    if (view) views.set(run.id, view);
  }
  const rows = ORDER.flatMap((state) => runs.filter((run) => run.status === state)).map((run) =>
    rowOf(run, views.get(run.id), words, deps.now()),
  );
  showStatusTable(screen, rows, words);
  for (const view of views.values()) await showStopped(open, view);
  return EXIT.done;
}

/** If the driver process is stopped, names it and shows how to continue or end it. */
export async function showStopped(
  { screen, api }: OpenContext,
  { run, driver_stopped }: RunView,
): Promise<void> {
  if (driver_stopped === null || screen.json) return;
  const t = await api.translator(run.lang);
  screen.text(`! ${t(driver_stopped)}`, '  ');
}

const ORDER: readonly RunStatus[] = ['waiting', 'working', 'sleeping', 'halted'];

function rowOf(run: RunSummary, view: RunView | undefined, words: Words, now: number): StatusRow {
  return {
    status: run.status,
    name: stateName(run, view, words, now),
    calm: isIdle(run),
    run: run.id,
    what: whatOf(run, view, words),
    title: run.title,
    age: age(run.updated_at, now, words),
    command: nextCommand(run, view),
  };
}

function whatOf(run: RunSummary, view: RunView | undefined, words: Words): string {
  if (run.trouble) return words('cli.trouble_named', { kind: run.trouble.kind });
  if (run.status === 'waiting' && run.step.kind === 'gate')
    return words('cli.gate_named', { name: run.step.name });
  const calls = view?.calls ?? [];
  const count =
    calls.length > 1
      ? ` ${words('cli.calls_done', { done: calls.filter((call) => call.done).length, all: calls.length })}`
      : '';
  return `${run.phase.replaceAll('_', ' ')}${count}`;
}

async function printAll({ screen, deps, api }: OpenContext, runs: readonly RunSummary[]): Promise<number> {
  const open = new Map((await api.gates()).map(({ gate }) => [gate.id as string, gate]));
  const of = (state: RunStatus) => runs.filter((run) => run.status === state);
  const base = (run: RunSummary, view?: RunView) => ({
    run: run.id,
    phase: run.phase,
    title: run.title,
    since: run.updated_at,
    command: nextCommand(run, view),
  });
  const waiting = of('waiting').map((run) => {
    const gate = open.get(run.gate ?? '');
    const { phase: _phase, run: id, ...rest } = base(run);
    return { run: id, gate: run.gate, name: gate?.name ?? null, class: gate?.class ?? null, ...rest };
  });
  const working = await Promise.all(
    of('working').map(async (run) => {
      const view = await viewOf(api, run.id);
      return { ...base(run, view), step: run.step.kind, ...(view ? workOf(view, deps.now()) : {}) };
    }),
  );
  const sleeping = await Promise.all(
    of('sleeping').map(async (run) => ({
      ...base(run, await viewOf(api, run.id)),
      wait: waitOf(run.step),
    })),
  );
  const halted = of('halted').map((run) => ({
    ...base(run),
    halt: run.halt,
    wait: waitOf(run.step),
  }));
  screen.printJson({ waiting, working, sleeping, halted });
  return EXIT.done;
}

function workOf(view: RunView, now: number): Readonly<Record<string, unknown>> {
  return { driven_by: view.driven_by, asleep_until: view.asleep_until, calls: callsOf(view, now) };
}

function callsOf(view: RunView, now: number): unknown[] {
  const interrupted = isInterrupted(view.run, view);
  return view.calls.map(({ role, attempts, done, since, asleep }) => {
    const asleep_until = asleep?.asleep_until ?? null;
    if (interrupted && !done) return { role, state: 'interrupted', seconds: null, asleep_until };
    const state = done ? 'done' : attempts > 1 ? 'retry' : 'started';
    const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1000));
    return { role, state: asleep ? 'asleep' : state, seconds, asleep_until };
  });
}

/** One run: its status block in its own language, and the next command. */
export async function showOne(open: OpenContext, run: string): Promise<number> {
  const { screen, deps, api } = open;
  const view = await needView(open, run);
  const t = await api.translator(view.run.lang);
  if (screen.json) {
    const { state: _state, ...row } = view.run;
    const calls = callsOf(view, deps.now());
    screen.printJson({
      ...row,
      gate: view.gate && { ...view.gate, rendered: renderedGate(view.gate, t) },
      outcome: outcomeOf(view.run),
      spend: view.spend,
      driven_by: view.driven_by,
      driver_stopped: view.driver_stopped !== null,
      asleep_until: view.asleep_until,
      calls,
      command: nextCommand(view.run, view),
    });
    return EXIT.done;
  }
  const { showRunStatus } = await import('../status-block.ts');
  showRunStatus(screen, view, { t, words: open.wordsFor(view.run.lang), now: deps.now() });
  await showStopped(open, view);
  return EXIT.done;
}

/** One run in the overview. `what` is the gate, the phase or the trouble. */
interface StatusRow {
  readonly status: RunStatus;
  /** The status as a person reads it. */
  readonly name: string;
  /** True if the run has no problem, whatever its status is. */
  readonly calm?: boolean;
  readonly run: string;
  readonly what: string;
  readonly title: string;
  readonly age: string;
  readonly command: string;
}

const TONES: Readonly<Partial<Record<RunStatus, Tone>>> = { waiting: 'waits', halted: 'failed' };
/** The most rows shown. More would push the important ones off the screen. */
const MOST = 40;
const WIDEST_WHAT = 20;
/** A narrower title column would be useless, so the command then gets its own line. */
const LEAST_TITLE = 24;

/** Prints aligned lines that fit the screen: status, run, `what`, title, age, next command. */
function showStatusTable(screen: Screen, rows: readonly StatusRow[], words: Words): void {
  const shown = rows.slice(0, MOST);
  const columns = measure(shown, screen.columns);
  for (const row of shown) {
    if (columns.title < 1) showNarrow(screen, row);
    else showRow(screen, row, columns);
  }
  if (rows.length > MOST) screen.line(words('cli.more_runs', { n: rows.length - MOST }));
}

interface Columns {
  readonly name: number;
  readonly run: number;
  readonly what: number;
  readonly title: number;
  readonly age: number;
  readonly oneLine: boolean;
}

function measure(rows: readonly StatusRow[], room: number): Columns {
  const width = (key: Exclude<keyof StatusRow, 'calm'>) => Math.max(...rows.map((row) => widthOf(row[key])));
  const [name, run, age] = [width('name'), width('run'), width('age')];
  const what = Math.min(WIDEST_WHAT, width('what'));
  const left = room - name - run - what - age - 8;
  const command = width('command') + 3;
  const oneLine = left - command >= LEAST_TITLE;
  return { name, run, what, age, oneLine, title: Math.min(width('title'), oneLine ? left - command : left) };
}

function showRow(screen: Screen, row: StatusRow, columns: Columns): void {
  const parts = [
    toned(screen, row, pad(row.name, columns.name)),
    pad(row.run, columns.run),
    pad(cut(row.what, columns.what), columns.what),
    pad(cut(row.title, columns.title), columns.title),
    pad(row.age, columns.age),
  ];
  const line = parts.join('  ');
  screen.line(columns.oneLine ? `${line}   ${row.command}` : line.trimEnd());
  if (!columns.oneLine) screen.line(`${' '.repeat(columns.name + 2)}${row.command}`);
}

/** A screen too narrow for columns gets short lines instead. */
function showNarrow(screen: Screen, row: StatusRow): void {
  screen.line(toned(screen, row, row.name));
  for (const part of [`${row.run}  ${row.age}`, row.what, row.title, row.command]) {
    screen.line(`  ${cut(part, screen.columns - 2)}`);
  }
}

function toned(screen: Screen, row: StatusRow, name: string): string {
  const tone = row.calm ? undefined : TONES[row.status];
  return tone ? screen.paint(tone, name) : name;
}
