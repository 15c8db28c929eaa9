import type { Traces } from '../../../contract/upkeep.ts';
import { promptIo } from '../caller.ts';
import { type Context, isPersonHere, isSet, need, type OpenContext, viewOf, withApi } from '../context.ts';
import { EXIT, refuse } from '../exit.ts';
import { promptLine } from '../prompt-line.ts';

/** Removes everything Baton left for this repository, after a list and a typed confirmation of a person. */
export async function clean(context: Context): Promise<number> {
  const { words } = context;
  const traces = await context.deps.traces();
  if (traces === null) {
    context.screen.text(words('cli.nothing_here'));
    return EXIT.done;
  }
  const allow = () => EXIT.done;
  await withApi(context, async (open) => checkUnused(open).then(allow), { absent: allow });
  const branches = isSet(context, 'branches');
  showTraces(context, traces.found, branches);
  if (!isPersonHere(context)) return refuse(EXIT.refused, [words('cli.clean_needs_typing')]);
  if (!(await isConfirmed(context, traces.found.name)))
    return refuse(EXIT.refused, [words('cli.clean_cancelled')]);
  await traces.remove(branches);
  context.screen.text(words('cli.cleaned'));
  return EXIT.done;
}

/** Refuses without proof of a person, and if a living process drives a run. */
async function checkUnused(open: OpenContext): Promise<void> {
  await need(open, await open.api.permitRemoval({}));
  for (const { id } of await open.api.list(false)) {
    const view = await viewOf(open.api, id);
    if (!view || view.driven_by === null) continue;
    refuse(EXIT.refused, [open.words('cli.clean_driven', { run: id, who: view.driven_by })]);
  }
}

function showTraces({ screen, words }: Context, found: Traces, branches: boolean): void {
  screen.text(words('cli.clean_removes'));
  for (const one of [found.state, ...found.files, ...found.refs]) screen.text(`  ${one}`, '    ');
  if (found.branches.length === 0) return;
  if (!branches) screen.text(words('cli.clean_keeps'));
  for (const name of found.branches) screen.text(`  ${name}`, '    ');
}

async function isConfirmed(context: Context, name: string): Promise<boolean> {
  context.screen.text(context.words('cli.clean_type', { name }));
  const { signal } = new AbortController();
  const typed = await promptLine(promptIo(context), { prompt: '› ', signal });
  return typed.kind === 'line' && typed.text.trim() === name;
}
