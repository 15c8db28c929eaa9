import { detectLanguage } from '../../../engine/language.ts';
import { isRejection } from '../../../engine/rejection.ts';
import { type Context, fail, failRejected, isSet, optionText, userName, withApi } from '../context.ts';
import { driveRun, speak, withDrive } from '../drive.ts';
import { EXIT } from '../exit.ts';
import { envLang, wordsFor } from '../messages.ts';
import { showStart } from '../rest-blocks.ts';

/** Starts a run of `spec` and carries it to its first rest, or through its gates when a person is here. */
export async function spec(context: Context): Promise<number> {
  const { deps, values } = context;
  const task = values.positionals.join(' ').trim();
  const lang = optionText(values, 'lang') ?? detectLanguage(task, envLang(deps.env));
  if (task === '') return fail(context, EXIT.usage, [wordsFor(lang).say_what], { rejection: 'bad_input' });
  const score = await readScore(context, lang);
  if (typeof score === 'number') return score;
  return withApi(context, true, (api) =>
    withDrive(context, api, async (drive) => {
      const started = await api.start('spec', inputOf(context, task), {
        agent: optionText(values, 'agent'),
        score: score.text,
        in_place: isSet(values, 'inPlace'),
        unattended: isSet(values, 'unattended'),
        opened_by: userName(deps),
        attended: drive.interactive,
      });
      if (isRejection(started)) return failRejected(context, started, await api.translator('spec', lang));
      const view = await api.view(started.run);
      if (!isRejection(view)) {
        const voice = await speak(drive, view);
        showStart({ screen: context.screen, ...voice }, view);
      }
      return driveRun(drive, started);
    }),
  );
}

function inputOf({ values }: Context, task: string): Readonly<Record<string, unknown>> {
  return {
    task,
    mode: optionText(values, 'mode'),
    model_config: optionText(values, 'modelConfig'),
    reference: optionText(values, 'reference'),
    lang: optionText(values, 'lang'),
  };
}

/** A score that cannot be played is refused before anything exists. */
async function readScore(context: Context, lang: string): Promise<{ text: string | null } | number> {
  const file = optionText(context.values, 'score');
  if (file === null) return { text: null };
  const words = wordsFor(lang);
  const text = await context.deps.readFile(file);
  if (text === null) return fail(context, EXIT.refused, [words.no_file('--score', file)]);
  const check = await context.deps.validateScore(text, file);
  return check.ok
    ? { text: check.frozen }
    : fail(context, EXIT.usage, [words.bad_score(file), ...check.errors]);
}
