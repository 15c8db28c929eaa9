import { STEPS, type StepName } from '../../../contract/deliver.ts';
import { isStepName, parseInvocation } from '../../../contract/deliver-invocation.ts';
import { detectLanguage } from '../../../engine/language.ts';
import { nearest } from '../../../engine/nearest.ts';
import { isRejection, type Rejection, reject } from '../../../engine/rejection.ts';
import type { Api } from '../../../runtime/api.ts';
import {
  type Context,
  fail,
  failRejected,
  failWorker,
  isSet,
  optionList,
  optionText,
  orFail,
  pathOption,
  userName,
  withApi,
} from '../context.ts';
import { type DriveDeps, openAndDrive, withDrive } from '../drive.ts';
import { EXIT } from '../exit.ts';
import { readScript, startAndDrive } from '../start-command.ts';
import { speak } from '../voice.ts';
import { envLang } from '../words.ts';
import { showOne } from './status.ts';

/**
 * `baton deliver "<task>"` starts a run. `plan "<task>"` starts one that waits after each phase. `generate`, `verify`
 * and `evaluate` are steps of a live run. Without words it shows the live runs.
 */
export async function deliver(context: Context): Promise<number> {
  const { deps, values } = context;
  const { step, task } = parseInvocation(values.positionals);
  const lang = optionText(values, 'lang') ?? detectLanguage(task ?? '', envLang(deps.env));
  const meant = misspeltStep(values.positionals);
  if (meant !== null) return refuseMisspelt(context, meant, lang);
  if (step !== null && step !== 'plan')
    return withApi(context, true, (api) =>
      withDrive(context, api, (drive) => takeStep(drive, api, step, lang)),
    );
  const from_spec = optionText(values, 'from-spec');
  const output_dir = optionText(values, 'output-dir');
  if (task === null && from_spec === null && output_dir === null) {
    const asked = values.positionals.length > 0;
    return asked ? sayWhat(context, lang, step) : showLive(context, lang);
  }
  const script = await readScript(context, lang);
  if (typeof script === 'number') return script;
  const given = { step, task, output_dir, ...optionsOf(context) };
  return withApi(context, true, async (api) => {
    const input = { ...given, from_spec: await pathOption(context, 'from-spec') };
    return withDrive(context, api, (drive) =>
      startAndDrive(drive, api, { workflow: 'deliver', input, lang, script: script.text }),
    );
  });
}

/** Refuses a single word that is close to the name of a step, so that a typo does not start a run. */
function misspeltStep(words: readonly string[]): StepName | null {
  const [only = '', ...more] = words.map((word) => word.trim().toLowerCase());
  if (more.length > 0 || isStepName(words[0] ?? '')) return null;
  return nearest(only, STEPS);
}

function refuseMisspelt(context: Context, meant: StepName, lang: string): number {
  const words = context.wordsFor(lang);
  const [typed = ''] = context.values.positionals;
  const lines = [
    words('cli.no_such_step', { typed }),
    `${words('cli.allowed')}: ${STEPS.join(', ')}      ${words('cli.did_you_mean', { word: meant })}`,
    words('cli.step_as_task', { command: `baton deliver "${typed} ..."` }),
  ];
  return fail(context, EXIT.usage, lines, { rejection: 'bad_input' });
}

function optionsOf({ values }: Context): Readonly<Record<string, unknown>> {
  const globs = optionList(values, 'scope').flatMap((list) => list.split(','));
  return {
    mode: optionText(values, 'mode'),
    model_config: optionText(values, 'model-config'),
    lint_cmd: optionText(values, 'lint-cmd'),
    type_check_cmd: optionText(values, 'type-check-cmd'),
    verifier_model: optionText(values, 'verifier-model'),
    scope: globs.length > 0 ? globs : null,
    todo_blocking: isSet(values, 'todo-blocking'),
    lang: optionText(values, 'lang'),
  };
}

/** Sends a named step to the live run: the only one, or the one named (WF-85). */
async function takeStep(drive: DriveDeps, api: Api, step: StepName, lang: string): Promise<number> {
  const { context } = drive;
  const run = await addressStep(context, api, step);
  if (isRejection(run)) {
    const live = run.rejection === 'ambiguous' ? await liveRuns(api) : [];
    const commands = live.map((id) => `baton deliver ${step} --run ${id}`);
    return failRejected(context, run, await api.translator(lang), commands);
  }
  const refused = await failWorker(context, api, { command: step, run });
  if (refused !== null) return refused;
  const taken = await orFail(context, api, await api.command(run, step, userName(context.deps)), run);
  if ('exit' in taken) return taken.exit;
  const view = await api.view(run);
  if (!isRejection(view)) await speak(drive, view);
  return openAndDrive(drive, run);
}

async function addressStep({ values }: Context, api: Api, step: StepName): Promise<string | Rejection> {
  const named = optionText(values, 'run');
  if (named !== null) return api.find(named);
  const live = await liveRuns(api);
  const args = { step, found: live.join(', ') };
  if (live.length > 1) return reject('ambiguous', args, { msg: 'deliver.which_run' });
  return (
    live[0] ??
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

function sayWhat(context: Context, lang: string, step: StepName | null = null): number {
  const command = step === null ? 'deliver' : `deliver ${step}`;
  return fail(context, EXIT.usage, [context.wordsFor(lang)('cli.say_what', { command })], {
    rejection: 'bad_input',
  });
}

/** Without words, shows the live runs and the next command. It does not change anything (WF-15). */
function showLive(context: Context, lang: string): Promise<number> {
  const nothing = () => sayWhat(context, lang);
  const show = async (api: Api) => {
    const live = await liveRuns(api);
    if (live.length === 0) return nothing();
    for (const run of live) {
      const exit = await showOne(context, api, run);
      if (exit !== EXIT.done) return exit;
    }
    return EXIT.done;
  };
  return withApi(context, false, show, nothing);
}
