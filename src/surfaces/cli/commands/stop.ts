import { type Context, failMarked, localWords, orFail, userName, withApi, withRun } from '../context.ts';
import { EXIT } from '../exit.ts';
import { haltedRows, showRows } from '../rest-blocks.ts';
import { HALT_TAKES } from '../standing.ts';

/** Halts a run where it stands; nothing is undone. */
export async function stop(context: Context): Promise<number> {
  const [name = ''] = context.values.positionals;
  return withApi(context, false, (api) =>
    withRun(context, api, name, async (run) => {
      const marked = await failMarked(context, api, { command: 'stop', run });
      if (marked !== null) return marked;
      const stopped = await orFail(context, api, await api.stop(run, userName(context.deps)), run);
      if ('exit' in stopped) return stopped.exit;
      const { screen } = context;
      if (screen.json) screen.printJson({ ok: true, run, status: 'halted', next: `baton resume ${run}` });
      const words = localWords(context);
      screen.text(words.stopped(run));
      showRows(screen, haltedRows(run, HALT_TAKES, words));
      return EXIT.done;
    }),
  );
}
