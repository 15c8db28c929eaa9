import { detectLanguage } from '../../../engine/language.ts';
import { type Context, fail, optionText, pathOption, withApi } from '../context.ts';
import { withDrive } from '../drive.ts';
import { EXIT } from '../exit.ts';
import { readScript, startAndDrive } from '../start-command.ts';
import { envLang } from '../words.ts';

/** Starts a run of `spec`. */
export async function spec(context: Context): Promise<number> {
  const { deps, values } = context;
  const task = values.positionals.join(' ').trim();
  const lang = optionText(values, 'lang') ?? detectLanguage(task, envLang(deps.env));
  if (task === '')
    return fail(context, EXIT.usage, [context.wordsFor(lang)('cli.say_what', { command: 'spec' })], {
      rejection: 'bad_input',
    });
  const script = await readScript(context, lang);
  if (typeof script === 'number') return script;
  const input = {
    task,
    mode: optionText(values, 'mode'),
    model_config: optionText(values, 'model-config'),
    lang: optionText(values, 'lang'),
  };
  return withApi(context, true, async (api) => {
    const reference = await pathOption(context, 'reference');
    return withDrive(context, api, (drive) =>
      startAndDrive(drive, api, {
        workflow: 'spec',
        input: { ...input, reference },
        lang,
        script: script.text,
      }),
    );
  });
}
