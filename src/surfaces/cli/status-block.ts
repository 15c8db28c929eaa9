import type { Translate } from '../../engine/workflow.ts';
import type { RunView } from '../../runtime/api.ts';
import type { Words } from './messages.ts';
import type { Screen } from './screen.ts';
import { age, stopwatch } from './span.ts';
import {
  asleepText,
  commandsOf,
  isIdle,
  isInterrupted,
  nextCommand,
  stateName,
  waysToAnswer,
} from './standing.ts';
import { commandRow, showRows } from './stop-blocks.ts';

interface Saying {
  readonly t: Translate;
  readonly words: Words;
  readonly now: number;
}

/** Shows one run: its settings, its state, who drives it, its cost and the next command. */
export function showRunStatus(screen: Screen, view: RunView, saying: Saying): void {
  const { t, words, now } = saying;
  const { run } = view;
  const head = `${screen.paint('strong', `${words.run} ${run.id}`)}  ${run.title}`;
  screen.text(head, '  ');
  showRows(screen, [
    ...view.lines.map((line) => [t(line.label), t(line.value)] as const),
    [words.state, `${stateName(run, view, words, now)} (${age(run.updated_at, now, words)})`],
    ...view.calls.map((call) => callRow(call, view, saying)),
    ...whyRows(view, saying),
    [words.spent, spendText(view, words)],
    ...nextRows(view, { words, t }),
  ]);
  if (run.status === 'working') {
    screen.text(`  ${view.driven_by ? words.driven_by(view.driven_by) : words.nobody_drives}`);
  }
}

function callRow(
  call: RunView['calls'][number],
  view: RunView,
  { words, now }: Saying,
): readonly [string, string] {
  const tries = call.attempts > 1 ? ` ${words.tries(call.attempts)}` : '';
  const going = isInterrupted(view.run, view)
    ? words.interrupted
    : `… ${stopwatch(now - Date.parse(call.since))}`;
  const asleep = call.asleep && asleepText(call.asleep, words, now);
  const time = call.done ? '✓' : (asleep ?? going);
  return [call.role.replaceAll('_', ' '), `${time}${tries}`];
}

function whyRows({ run }: RunView, { t, words }: Saying): readonly (readonly [string, string])[] {
  const why = run.halt?.why ?? (run.step.kind === 'wait' ? run.step.until.why : null);
  return why === null ? [] : [[isIdle(run) ? words.resting : words.status[run.status], t(why)]];
}

export function spendText({ spend }: RunView, words: Words): string {
  const usd = spend.money_unknown ? words.cost_unknown : `$${spend.money_usd.toFixed(2)}`;
  return words.spend(usd, spend.tokens, (spend.seconds / 60).toFixed(1), spend.attempts);
}

function haltedNext({ run }: RunView, words: Words): readonly (readonly [string, string])[] {
  const wait = run.step.kind === 'wait' ? run.step.until : null;
  const rows = commandsOf({ halt: run.halt, wait }).map((command) => commandRow(run.id, command, words));
  return rows.map(([label, command], i) => [i === 0 ? words.next : label, command]);
}

function nextRows(
  view: RunView,
  { words, t }: { readonly words: Words; readonly t: Translate },
): readonly (readonly [string, string])[] {
  if (view.run.status === 'halted') return haltedNext(view, words);
  if (!view.gate) return [[words.next, nextCommand(view.run, view)]];
  const { command, example } = waysToAnswer(view.gate, t);
  return [[words.next, command], ...(example === null ? [] : [['', words.for_example(example)] as const])];
}
