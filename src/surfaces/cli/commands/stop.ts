import { type Context, localWords, orFail, userName, withApi, withRun } from '../context.ts';
import { EXIT } from '../exit.ts';
import { showRows } from '../rest-blocks.ts';

/** Halts a run where it stands; nothing is undone. */
export async function stop(context: Context): Promise<number> {
  const [name = ''] = context.values.positionals;
  return withApi(context, false, (api) =>
    withRun(context, api, name, async (run) => {
      const stopped = await orFail(context, api, await api.stop(run, userName(context.deps)));
      if ('exit' in stopped) return stopped.exit;
      const { screen } = context;
      if (screen.json) screen.printJson({ ok: true, run, status: 'halted', next: `baton resume ${run}` });
      const words = localWords(context);
      screen.text(words.stopped(run));
      showRows(screen, [
        [words.go_on, `baton resume ${run}`],
        [words.see_it, `baton show ${run}`],
      ]);
      return EXIT.done;
    }),
  );
}
