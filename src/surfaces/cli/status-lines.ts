import type { RunStatus } from '../../contract/run.ts';
import type { Words } from './messages.ts';
import type { Screen, Tone } from './screen.ts';
import { cut, pad, widthOf } from './width.ts';

/** One run in the overview. `what` is the gate, the phase or the trouble. */
export interface StatusRow {
  readonly status: RunStatus;
  /** The status as a person reads it. */
  readonly name: string;
  readonly run: string;
  readonly what: string;
  readonly title: string;
  readonly age: string;
  readonly command: string;
}

const TONES: Readonly<Partial<Record<RunStatus, Tone>>> = { waiting: 'waits', halted: 'failed' };
/** More would push what matters off the screen. */
const MOST = 40;
const WIDEST_WHAT = 20;
/** Below this a title says nothing; then the command gets a line of its own. */
const LEAST_TITLE = 24;

/** Aligned lines that fit the screen: who it waits for, run, what, title, since when, next command. */
export function showStatusTable(screen: Screen, rows: readonly StatusRow[], words: Words): void {
  const shown = rows.slice(0, MOST);
  const width = (of: (row: StatusRow) => string) => Math.max(...shown.map((row) => widthOf(of(row))));
  const status = width((row) => row.name);
  const run = width((row) => row.run);
  const what = Math.min(
    WIDEST_WHAT,
    width((row) => row.what),
  );
  const since = width((row) => row.age);
  const lead = status + run + what + since + 8;
  const command = width((row) => row.command) + 3;
  const oneLine = screen.columns - lead - command >= LEAST_TITLE;
  const title = Math.min(
    width((row) => row.title),
    screen.columns - lead - (oneLine ? command : 0),
  );
  for (const row of shown) {
    const tone = TONES[row.status];
    const name = pad(row.name, status);
    const parts = [
      tone ? screen.paint(tone, name) : name,
      pad(row.run, run),
      pad(cut(row.what, what), what),
      pad(cut(row.title, title), title),
      pad(row.age, since),
    ];
    screen.line(`${parts.join('  ').trimEnd()}${oneLine ? `   ${row.command}` : ''}`);
    if (!oneLine) screen.line(`${' '.repeat(status + 2)}${row.command}`);
  }
  if (rows.length > MOST) screen.line(words.more_runs(rows.length - MOST));
}
