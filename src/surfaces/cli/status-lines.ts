import type { RunStatus } from '../../contract/run.ts';
import type { Screen, Tone } from './screen.ts';
import { cut, pad, widthOf } from './width.ts';
import type { Words } from './words.ts';

/** One run in the overview. `what` is the gate, the phase or the trouble. */
export interface StatusRow {
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
export function showStatusTable(screen: Screen, rows: readonly StatusRow[], words: Words): void {
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
  const width = (of: (row: StatusRow) => string) => Math.max(...rows.map((row) => widthOf(of(row))));
  const name = width((row) => row.name);
  const run = width((row) => row.run);
  const what = Math.min(
    WIDEST_WHAT,
    width((row) => row.what),
  );
  const age = width((row) => row.age);
  const left = room - name - run - what - age - 8;
  const command = width((row) => row.command) + 3;
  const oneLine = left - command >= LEAST_TITLE;
  const longest = width((row) => row.title);
  return { name, run, what, age, oneLine, title: Math.min(longest, oneLine ? left - command : left) };
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
