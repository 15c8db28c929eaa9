import { type Context, optionText, withApi } from '../context.ts';
import { withDrive } from '../drive.ts';
import { envLang } from '../messages.ts';
import { startAndDrive } from '../start-command.ts';

/** Shows a specification written by hand and asks for a person's approval of exactly that text. */
export async function approve(context: Context): Promise<number> {
  const { deps, values } = context;
  const [path = ''] = values.positionals;
  const lang = optionText(values, 'lang') ?? envLang(deps.env);
  return withApi(context, true, (api) =>
    withDrive(context, api, (drive) =>
      startAndDrive(drive, api, { workflow: 'approve', input: { path, lang }, lang, score: null }),
    ),
  );
}
