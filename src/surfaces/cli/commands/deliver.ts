import { STEPS, type StepName } from '../../../contract/deliver.ts';
import { isStepName, parseInvocation } from '../../../contract/deliver-invocation.ts';
import { detectLanguage } from '../../../engine/language.ts';
import { nearest } from '../../../engine/nearest.ts';
import { isRejection, type Rejection, reject } from '../../../engine/rejection.ts';
import type { Api } from '../../../runtime/api.ts';
import {
  type Context,
  isSet,
  need,
  type OpenContext,
  optionList,
  optionText,
  pathOption,
  refuseAs,
  viewOf,
  withApi,
} from '../context.ts';
import { type DriveDeps, openAndDrive, withDrive } from '../drive.ts';
import { EXIT, refuse } from '../exit.ts';
import { readScript, startAndDrive } from '../start-command.ts';
import { speak } from '../voice.ts';
import { envLang, type Words } from '../words.ts';
import { showOne } from './status.ts';

/**
 * `baton deliver "<task>"` starts a run. `plan "<task>"` starts one that waits after each phase. `generate`, `verify`
 * and `evaluate` are steps of a live run. Without words it shows the live runs.
 */
export async function deliver(context: Context): Promise<number> {
  const { deps, values } = context;
  const { step, task } = parseInvocation(values.positionals);
  const lang = optionText(context, 'lang') ?? detectLanguage(task ?? '', envLang(deps.env));
  const words = context.wordsFor(lang);
  refuseMisspelt(values.positionals, words);
  if (step !== null && step !== 'plan')
    return withApi(context, (open) => withDrive(open, (drive) => takeStep(drive, step, lang)), {
      create: true,
    });
  const output_dir = optionText(context, 'output-dir');
  if (task === null && optionText(context, 'from-spec') === null && output_dir === null) {
    const asked = values.positionals.length > 0;
    return asked ? askWhat(words, step) : showLive(context, words);
  }
  const script = await readScript(context, lang);
  const typed = { step, task, output_dir, ...optionsOf(context) };
  return withApi(
    context,
    async (open) => {
      const input = { ...typed, from_spec: await pathOption(context, 'from-spec') };
      return withDrive(open, (drive) => startAndDrive(drive, { workflow: 'deliver', input, lang, script }));
    },
    { create: true },
  );
}

/** Refuses a single word that is close to the name of a step, so that a typo does not start a run. */
function refuseMisspelt([typed = '', ...more]: readonly string[], words: Words): void {
  if (more.length > 0 || isStepName(typed)) return;
  const meant = nearest(typed.trim().toLowerCase(), STEPS);
  if (meant === null) return;
  const lines = [
    words('cli.no_such_step', { typed }),
    `${words('cli.allowed')}: ${STEPS.join(', ')}      ${words('cli.did_you_mean', { word: meant })}`,
    words('cli.step_as_task', { command: `baton deliver "${typed} ..."` }),
  ];
  refuse(EXIT.usage, lines, { rejection: 'bad_input' });
}

function optionsOf(context: Context): Readonly<Record<string, unknown>> {
  const globs = optionList(context, 'scope').flatMap((list) => list.split(','));
  return {
    mode: optionText(context, 'mode'),
    model_config: optionText(context, 'model-config'),
    lint_cmd: optionText(context, 'lint-cmd'),
    type_check_cmd: optionText(context, 'type-check-cmd'),
    verifier_model: optionText(context, 'verifier-model'),
    scope: globs.length > 0 ? globs : null,
    todo_blocking: isSet(context, 'todo-blocking'),
    lang: optionText(context, 'lang'),
  };
}

/** Sends a named step to the live run: the only one, or the one named (WF-85). */
async function takeStep(drive: DriveDeps, step: StepName, lang: string): Promise<number> {
  const { api } = drive;
  const run = await addressStep(drive, step);
  if (isRejection(run)) {
    const live = run.rejection === 'ambiguous' ? await liveRuns(api) : [];
    const commands = live.map((id) => `baton deliver ${step} --run ${id}`);
    return refuseAs(run, await api.translator(lang), commands);
  }
  await need(drive, await api.command({ run, command: step }), run);
  const view = await viewOf(api, run);
  if (view) await speak(drive, view);
  return openAndDrive(drive, run);
}

async function addressStep(open: OpenContext, step: StepName): Promise<string | Rejection> {
  const named = optionText(open, 'run');
  if (named !== null) return open.api.find(named);
  const [only, ...more] = await liveRuns(open.api);
  const args = { step, found: [only, ...more].join(', ') };
  if (more.length > 0) return reject('ambiguous', args, { msg: 'deliver.which_run' });
  return (
    only ??
    reject('wrong_moment', { step, earlier: EARLIER[step], run: 'none' }, { msg: 'deliver.run_first' })
  );
}

const EARLIER: Readonly<Record<StepName, StepName>> = {
  plan: 'plan',
  generate: 'plan',
  verify: 'generate',
  evaluate: 'verify',
};

async function liveRuns(api: Api): Promise<string[]> {
  const runs = await api.list(false);
  return runs
    .filter(({ workflow, status }) => workflow === 'deliver' && status !== 'ended')
    .map(({ id }) => id);
}

function askWhat(words: Words, step: StepName | null = null): never {
  const command = step === null ? 'deliver' : `deliver ${step}`;
  return refuse(EXIT.usage, [words('cli.say_what', { command })], { rejection: 'bad_input' });
}

/** Without words, shows the live runs and the next command. It does not change anything (WF-15). */
function showLive(context: Context, words: Words): Promise<number> {
  const show = async (open: OpenContext) => {
    const live = await liveRuns(open.api);
    if (live.length === 0) return askWhat(words);
    for (const run of live) await showOne(open, run);
    return EXIT.done;
  };
  return withApi(context, show, { absent: () => askWhat(words) });
}
