import { type Context, fail, failMarked, optionText, withApi } from '../context.ts';
import { withDrive } from '../drive.ts';
import { EXIT } from '../exit.ts';
import { envLang, wordsFor } from '../messages.ts';
import { startAndDrive } from '../start-command.ts';

/** Shows a specification written by hand and asks for a person's approval of exactly that text. */
export async function approve(context: Context): Promise<number> {
  const { deps, values } = context;
  const [typed = ''] = values.positionals;
  const lang = optionText(values, 'lang') ?? envLang(deps.env);
  // A path that is not allowed is refused by the run's own rules; one that is not there, before there is a run.
  if (!/^(\/|\.\.)/.test(typed) && (await deps.readFile(typed)) === null)
    return fail(context, EXIT.refused, [wordsFor(lang).no_file('<file>', typed)]);
  return withApi(context, true, async (api) => {
    const marked = await failMarked(context, api, { command: 'approve', target: typed });
    if (marked !== null) return marked;
    const input = { path: await deps.fromRoot(typed), lang };
    return withDrive(context, api, (drive) =>
      startAndDrive(drive, api, { workflow: 'approve', input, lang, score: null }),
    );
  });
}
