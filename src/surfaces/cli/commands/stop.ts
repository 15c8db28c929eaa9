import { type Context, failWorker, orFail, userName, withApi, withRun } from '../context.ts';
import { EXIT } from '../exit.ts';
import { HALT_TAKES } from '../standing.ts';
import { haltedRows, showRows } from '../stop-blocks.ts';

/** Halts a run at its current step. It does not undo anything. */
export async function stop(context: Context): Promise<number> {
  const [name = ''] = context.values.positionals;
  return withApi(context, false, (api) =>
    withRun(context, api, name, async (run) => {
      const refused = await failWorker(context, api, { command: 'stop', run });
      if (refused !== null) return refused;
      const stopped = await orFail(context, api, await api.stop(run, userName(context.deps)), run);
      if ('exit' in stopped) return stopped.exit;
      const { screen } = context;
      if (screen.json) screen.printJson({ ok: true, run, status: 'halted', next: `baton resume ${run}` });
      const { words } = context;
      screen.text(words('cli.stopped', { run }));
      showRows(screen, haltedRows(run, HALT_TAKES, words));
      return EXIT.done;
    }),
  );
}
