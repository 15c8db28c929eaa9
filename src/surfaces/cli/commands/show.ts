import type { ShownArtefact } from '../../../runtime/views.ts';
import { allowedLine } from '../bad-value.ts';
import { type Context, need, needRun, withApi } from '../context.ts';
import { EXIT, refuse } from '../exit.ts';
import { readable, visibleAs } from '../readable.ts';
import { showCommand } from '../standing.ts';
import { showRows } from '../stop-blocks.ts';

/** The documents of a run: a list, or one of them. */
export async function show(context: Context): Promise<number> {
  const [name = '', wanted] = context.values.positionals;
  return withApi(context, async (open) => {
    const run = await needRun(open, name);
    const found = await need(open, await open.api.artefacts(run), run);
    return wanted === undefined
      ? showList(context, run, found, typeof (await open.api.findTicket(name)) === 'string')
      : showDocument(context, run, found, wanted);
  });
}

function showList(
  context: Context,
  run: string,
  artefacts: readonly ShownArtefact[],
  ticket: boolean,
): number {
  const { screen } = context;
  if (artefacts.length === 0 && ticket && !screen.json) {
    screen.text(context.words('cli.ticket_has_none', { run }));
    showRows(screen, [[context.words('cli.see_it'), showCommand({ id: run, workflow: 'conduct' })]]);
    return EXIT.done;
  }
  if (screen.json) screen.printJson(artefacts.map(({ name, file, hash, at }) => ({ name, file, hash, at })));
  if (artefacts.length === 0) screen.text(context.words('cli.no_artefacts', { run }));
  showRows(
    screen,
    artefacts.map(({ name }) => [name, `baton show ${run} ${name}`] as const),
  );
  return EXIT.done;
}

async function showDocument(
  context: Context,
  run: string,
  all: readonly ShownArtefact[],
  wanted: string,
): Promise<number> {
  const { screen } = context;
  const found = findDocument(all, wanted);
  if (!found) {
    const { words } = context;
    const names = all.map(({ name }) => name);
    const lines = [words('cli.no_artefact', { run, name: wanted }), allowedLine(wanted, names, words)];
    return refuse(EXIT.refused, lines, { rejection: 'no_such_artefact' });
  }
  if (screen.json) screen.printJson(found);
  screen.document((await readable(found)).replace(/\n$/, ''), visibleAs(found));
  return EXIT.done;
}

/**
 * Finds a document by its name or file, otherwise the only one whose name ends this way: `spec` finds `deliver_spec`.
 */
function findDocument(all: readonly ShownArtefact[], wanted: string): ShownArtefact | undefined {
  const exact =
    all.find(({ name }) => name === wanted) ??
    all.find(({ file }) => file === wanted || file.endsWith(`/${wanted}`));
  const [only, ...more] = all.filter(({ name }) => name.endsWith(`_${wanted}`));
  return exact ?? (more.length === 0 ? only : undefined);
}
