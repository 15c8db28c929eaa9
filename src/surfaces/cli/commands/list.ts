import type { Api } from '../../../runtime/api.ts';
import type { RunView } from '../../../runtime/views.ts';
import { type Context, isSet, viewOf, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';
import { age } from '../span.ts';
import { outcomeOf, stateName } from '../standing.ts';
import { showColumns } from '../stop-blocks.ts';
import { pad } from '../width.ts';

type RunSummary = Awaited<ReturnType<Api['list']>>[number];

/** Shows the runs of this folder, newest change first. Ended runs are shown only with `--all`. */
export async function list(context: Context): Promise<number> {
  return withApi(
    context,
    async ({ api, screen, deps }) => {
      const runs = await api.list(isSet(context, 'all'));
      const { words } = context;
      if (screen.json) {
        screen.printJson(await Promise.all(runs.map((run) => entryOf(api, run))));
        return EXIT.done;
      }
      if (runs.length === 0) return showNone(context, (await api.list(true)).length);
      const names = await Promise.all(
        runs.map(async (run) => stateName(run, await viewIfWorking(api, run), words, deps.now())),
      );
      const lines = runs.map(({ id, updated_at, title }, i) => [
        id,
        names[i] ?? '',
        pad(age(updated_at, deps.now(), words), 6),
        title,
      ]);
      showColumns(screen, lines);
      return EXIT.done;
    },
    { absent: () => showNone(context, 0) },
  );
}

async function entryOf(api: Api, run: RunSummary): Promise<unknown> {
  const { id, step, holder: _holder, ...rest } = run;
  const asleep_until = (await viewIfWorking(api, run))?.asleep_until ?? null;
  return { run: id, ...rest, outcome: outcomeOf({ step }), asleep_until };
}

/** Only a working run can be interrupted or asleep. Other runs need no second query. */
async function viewIfWorking(api: Api, { id, status }: RunSummary): Promise<RunView | undefined> {
  return status === 'working' ? viewOf(api, id) : undefined;
}

function showNone(context: Context, ended: number): number {
  const { words } = context;
  if (context.screen.json) context.screen.printJson([]);
  context.screen.text(words('cli.nothing_live'));
  if (ended > 0) context.screen.text(`  ${words('cli.ended_runs', { n: ended })}`);
  context.screen.text(
    `  ${words('cli.start_with', { command: `baton spec "${words('cli.what_you_want')}"` })}`,
  );
  return EXIT.done;
}
