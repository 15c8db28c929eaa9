import { detectLanguage } from '../../../engine/language.ts';
import { type Context, optionText, pathOption, withApi } from '../context.ts';
import { withDrive } from '../drive.ts';
import { EXIT, refuse } from '../exit.ts';
import { readScript, startAndDrive } from '../start-command.ts';
import { envLang } from '../words.ts';

/** Starts a run of `spec`. */
export async function spec(context: Context): Promise<number> {
  const task = context.values.positionals.join(' ').trim();
  const lang = optionText(context, 'lang') ?? detectLanguage(task, envLang(context.deps.env));
  if (task === '')
    return refuse(EXIT.usage, [context.wordsFor(lang)('cli.say_what', { command: 'spec' })], {
      rejection: 'bad_input',
    });
  const script = await readScript(context, lang);
  return withApi(
    context,
    async (open) => {
      const input = {
        task,
        mode: optionText(context, 'mode'),
        model_config: optionText(context, 'model-config'),
        lang: optionText(context, 'lang'),
        reference: await pathOption(context, 'reference'),
      };
      return withDrive(open, (drive) => startAndDrive(drive, { workflow: 'spec', input, lang, script }));
    },
    { create: true },
  );
}
