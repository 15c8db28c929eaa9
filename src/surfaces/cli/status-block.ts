import type { Translate } from '../../engine/workflow.ts';
import type { RunView } from '../../runtime/views.ts';
import type { Screen } from './screen.ts';
import { age, stopwatch } from './span.ts';
import {
  asleepText,
  commandsOf,
  isIdle,
  isInterrupted,
  nextCommand,
  stateName,
  waitOf,
  waysToAnswer,
} from './standing.ts';
import { commandRow, showRows } from './stop-blocks.ts';
import type { Words } from './words.ts';

interface Saying {
  readonly t: Translate;
  readonly words: Words;
  readonly now: number;
}

/** Shows one run: its settings, its state, who drives it, its cost and the next command. */
export function showRunStatus(screen: Screen, view: RunView, saying: Saying): void {
  const { t, words, now } = saying;
  const { run } = view;
  const head = `${screen.paint('strong', `${words('cli.run')} ${run.id}`)}  ${run.title}`;
  screen.text(head, '  ');
  showRows(screen, [
    ...view.lines.map((line) => [t(line.label), t(line.value)] as const),
    [words('cli.state'), `${stateName(run, view, words, now)} (${age(run.updated_at, now, words)})`],
    ...view.calls.map((call) => callRow(call, view, saying)),
    ...whyRows(view, saying),
    [words('cli.spent'), spendText(view, words)],
    ...nextRows(view, { words, t }),
  ]);
  if (run.status === 'working') {
    screen.text(
      `  ${view.driven_by ? words('cli.driven_by', { who: view.driven_by }) : words('cli.not_driven')}`,
    );
  }
}

function callRow(
  call: RunView['calls'][number],
  view: RunView,
  { words, now }: Saying,
): readonly [string, string] {
  const tries = call.attempts > 1 ? ` ${words('cli.tries', { n: call.attempts })}` : '';
  const going = isInterrupted(view.run, view)
    ? words('cli.interrupted')
    : `… ${stopwatch(now - Date.parse(call.since))}`;
  const asleep = call.asleep && asleepText(call.asleep, words, now);
  const time = call.done ? '✓' : (asleep ?? going);
  return [call.role.replaceAll('_', ' '), `${time}${tries}`];
}

function whyRows({ run }: RunView, { t, words }: Saying): readonly (readonly [string, string])[] {
  const why = run.halt?.why ?? waitOf(run.step)?.why ?? null;
  return why === null ? [] : [[isIdle(run) ? words('cli.idle') : words(`cli.status.${run.status}`), t(why)]];
}

export function spendText({ spend }: RunView, words: Words): string {
  const usd = spend.money_unknown ? words('cli.cost_unknown') : `$${spend.money_usd.toFixed(2)}`;
  return words('cli.spend', {
    usd,
    tokens: spend.tokens,
    minutes: (spend.seconds / 60).toFixed(1),
    attempts: spend.attempts,
  });
}

function haltedNext({ run }: RunView, words: Words): readonly (readonly [string, string])[] {
  const commands = commandsOf({ halt: run.halt, wait: waitOf(run.step) });
  const rows = commands.map((command) => commandRow(run.id, command, words));
  return rows.map(([label, command], i) => [i === 0 ? words('cli.next') : label, command]);
}

function nextRows(
  view: RunView,
  { words, t }: { readonly words: Words; readonly t: Translate },
): readonly (readonly [string, string])[] {
  if (view.run.status === 'halted') return haltedNext(view, words);
  if (!view.gate) return [[words('cli.next'), nextCommand(view.run, view)]];
  const { command, example } = waysToAnswer(view.gate, t);
  return [
    [words('cli.next'), command],
    ...(example === null ? [] : [['', words('cli.for_example', { command: example })] as const]),
  ];
}
