import { type Context, need, needRun, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';
import { HALT_TAKES } from '../standing.ts';
import { haltedRows, showRows } from '../stop-blocks.ts';

/** Halts a run at its current step. It does not undo anything. */
export async function stop(context: Context): Promise<number> {
  const [name = ''] = context.values.positionals;
  return withApi(context, async (open) => {
    const { api, screen } = open;
    const run = await needRun(open, name);
    await need(open, await api.stop({ run }), run);
    if (screen.json) screen.printJson({ ok: true, run, status: 'halted', next: `baton resume ${run}` });
    const { words } = context;
    screen.text(words('cli.stopped', { run }));
    showRows(screen, haltedRows(run, HALT_TAKES, words));
    return EXIT.done;
  });
}
