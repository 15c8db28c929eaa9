import type { Translate } from '../../../engine/workflow.ts';
import type { Api } from '../../../runtime/api.ts';
import type { ShownGate } from '../../../runtime/views.ts';
import { type Context, needRun, type OpenContext, rememberShown, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';
import { showPlainGate } from '../gate-screen.ts';
import { renderedGate, waysToAnswer } from '../standing.ts';

/** Shows the open gates in full, each in its run's language and with the command that answers it. */
export async function gates(context: Context): Promise<number> {
  const [name] = context.values.positionals;
  return withApi(
    context,
    async (open) => showGates(open, name === undefined ? undefined : await needRun(open, name)),
    { absent: () => (name === undefined ? showNone(context) : EXIT.refused) },
  );
}

async function showGates(open: OpenContext, run: string | undefined): Promise<number> {
  const { screen, api } = open;
  const listed = run === undefined ? await api.gates() : await api.gates(run);
  if (run === undefined) printUnreadable(open, await api.list(false), listed);
  const speak = ({ lang }: ShownGate) => api.translator(lang);
  if (screen.json) {
    screen.printJson(await Promise.all(listed.map(async (shown) => asJson(shown, await speak(shown)))));
    return EXIT.done;
  }
  if (listed.length === 0) return showNone(open);
  for (const shown of listed) {
    const words = open.wordsFor(shown.lang);
    const t = await speak(shown);
    showPlainGate(screen, shown, t, words);
    await rememberShown(open, shown.gate);
    screen.line();
    const { command, example } = waysToAnswer(shown.gate, t);
    screen.line(command);
    if (example !== null) screen.line(words('cli.for_example', { command: example }));
  }
  return EXIT.done;
}

/** Reports runs that have an open gate which cannot be listed, for example damaged runs. */
function printUnreadable(context: Context, runs: Listed, open: readonly ShownGate[]): void {
  const known = new Set(open.map(({ gate }) => gate.run as string));
  const lost = runs.filter(({ id, status, gate }) => gate !== null && status !== 'ended' && !known.has(id));
  if (lost.length > 0)
    context.screen.error(lost.map(({ id }) => context.words('cli.gate_unreadable', { run: id })));
}

type Listed = Awaited<ReturnType<Api['list']>>;

function asJson({ gate, draft, title, lang, text }: ShownGate, t: Translate): unknown {
  return { ...gate, draft, run_title: title, lang, text, rendered: renderedGate(gate, t) };
}

function showNone(context: Context): number {
  if (context.screen.json) context.screen.printJson([]);
  context.screen.text(context.words('cli.no_open_gates'));
  return EXIT.done;
}
