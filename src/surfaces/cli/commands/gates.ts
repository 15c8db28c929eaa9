import type { Api } from '../../../runtime/api.ts';
import { type Context, localWords, withApi, withRun } from '../context.ts';
import { EXIT } from '../exit.ts';
import { answerCommand, showPlainGate } from '../gate-screen.ts';
import { wordsFor } from '../messages.ts';

/** The open questions in full, each in its run's language, each with the command that answers it. */
export async function gates(context: Context): Promise<number> {
  const [name] = context.values.positionals;
  return withApi(
    context,
    false,
    (api) =>
      name === undefined
        ? showGates(context, api)
        : withRun(context, api, name, (run) => showGates(context, api, run)),
    () => (name === undefined ? showNone(context) : EXIT.refused),
  );
}

async function showGates(context: Context, api: Api, run?: string): Promise<number> {
  const { screen } = context;
  const open = run === undefined ? await api.gates() : await api.gates(run);
  if (screen.json) {
    screen.printJson(
      open.map(({ gate, draft, title, lang, text }) => ({ ...gate, draft, run_title: title, lang, text })),
    );
    return EXIT.done;
  }
  if (open.length === 0) return showNone(context);
  for (const shown of open) {
    const t = await api.translator(workflowOf(await api.list(false), shown.gate.run), shown.lang);
    showPlainGate(screen, shown, t, wordsFor(shown.lang));
    screen.line();
    screen.line(answerCommand(shown.gate));
  }
  return EXIT.done;
}

function workflowOf(
  runs: readonly { readonly id: string; readonly workflow: string }[],
  run: string,
): string | null {
  return runs.find(({ id }) => id === run)?.workflow ?? null;
}

function showNone(context: Context): number {
  if (context.screen.json) context.screen.printJson([]);
  context.screen.text(localWords(context).no_open_gates);
  return EXIT.done;
}
