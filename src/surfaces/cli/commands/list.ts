import { type Context, isSet, localWords, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';
import { age } from '../span.ts';
import { cut, pad, widthOf } from '../width.ts';

/** The runs of this folder, newest change first; ended ones only with `--all`. */
export async function list(context: Context): Promise<number> {
  return withApi(
    context,
    false,
    async (api) => {
      const { screen, deps, values } = context;
      const runs = await api.list(isSet(values, 'all'));
      const words = localWords(context);
      if (screen.json) {
        screen.printJson(runs.map(({ id, step: _step, holder: _holder, ...run }) => ({ run: id, ...run })));
        return EXIT.done;
      }
      if (runs.length === 0) return showNone(context);
      const names = runs.map((run) => words.status[run.status]);
      const statusWidth = Math.max(...names.map(widthOf));
      const idWidth = Math.max(...runs.map((run) => run.id.length));
      for (const [i, run] of runs.entries()) {
        const lead = `${pad(run.id, idWidth)}  ${pad(names[i] ?? '', statusWidth)}  ${pad(age(run.updated_at, deps.now()), 6)}  `;
        screen.line(lead + cut(run.title, screen.columns - widthOf(lead)));
      }
      return EXIT.done;
    },
    () => showNone(context),
  );
}

function showNone(context: Context): number {
  const words = localWords(context);
  if (context.screen.json) context.screen.printJson([]);
  context.screen.text(words.nothing_live);
  context.screen.text(`  ${words.start_with(`baton spec "${words.what_you_want}"`)}`);
  return EXIT.done;
}
