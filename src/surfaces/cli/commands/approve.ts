import { type Context, optionText, withApi } from '../context.ts';
import { withDrive } from '../drive.ts';
import { EXIT, refuse } from '../exit.ts';
import { startAndDrive } from '../start-command.ts';
import { envLang } from '../words.ts';

/** Shows a specification written by hand and asks for a person's approval of exactly that text. */
export async function approve(context: Context): Promise<number> {
  const { deps, values } = context;
  const [typed = ''] = values.positionals;
  const lang = optionText(context, 'lang') ?? envLang(deps.env);
  // The run's own rules refuse a path that is not allowed. A missing file is refused before there is a run.
  if (!/^(\/|\.\.)/.test(typed) && (await deps.readFile(typed)) === null)
    return refuse(EXIT.refused, [context.wordsFor(lang)('cli.no_file', { option: '<file>', path: typed })]);
  return withApi(
    context,
    async (open) => {
      const input = { path: await deps.fromRoot(typed), lang };
      return withDrive(open, (drive) =>
        startAndDrive(drive, { workflow: 'approve', input, lang, script: null }),
      );
    },
    { create: true },
  );
}
