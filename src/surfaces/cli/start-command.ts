import { isRejection } from '../../engine/rejection.ts';
import type { Api } from '../../runtime/api.ts';
import { type Context, fail, failRejected, failWorker, isSet, optionText, userName } from './context.ts';
import { type DriveDeps, driveRun } from './drive.ts';
import { EXIT } from './exit.ts';
import { showStart } from './stop-blocks.ts';
import { speak } from './voice.ts';

/** A run to start: its workflow, its input, and the language used before the run exists. */
export interface Start {
  readonly workflow: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly lang: string;
  /** The full text of the rehearsal script. Null for the built-in one. */
  readonly script: string | null;
}

/** Starts a run and drives it to its first stop point, or through its gates if a person is here. */
export async function startAndDrive(drive: DriveDeps, api: Api, start: Start): Promise<number> {
  const { context, interactive } = drive;
  const { deps, values } = context;
  const refused = await failWorker(context, api, { command: start.workflow });
  if (refused !== null) return refused;
  const started = await api.start(start.workflow, start.input, {
    agent: optionText(values, 'agent'),
    script: start.script,
    in_place: isSet(values, 'in-place'),
    unattended: isSet(values, 'unattended'),
    opened_by: userName(deps),
    attended: interactive,
  });
  if (isRejection(started)) return failRejected(context, started, await api.translator(start.lang));
  const view = await api.view(started.run);
  if (!isRejection(view)) {
    const voice = await speak(drive, view);
    showStart({ screen: context.screen, ...voice }, view);
  }
  return driveRun(drive, started);
}

/** Refuses an invalid script before anything is created. */
export async function readScript(context: Context, lang: string): Promise<{ text: string | null } | number> {
  const file = optionText(context.values, 'script');
  if (file === null) return { text: null };
  const words = context.wordsFor(lang);
  const text = await context.deps.readFile(file);
  if (text === null)
    return fail(context, EXIT.refused, [words('cli.no_file', { option: '--script', path: file })]);
  const check = await context.deps.validateScript(text, file);
  return check.ok
    ? { text: check.script_text }
    : fail(context, EXIT.usage, [words('cli.bad_script', { path: file }), ...check.errors]);
}
