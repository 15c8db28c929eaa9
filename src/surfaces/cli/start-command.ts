import { isRejection } from '../../engine/rejection.ts';
import { type Context, isSet, optionText, refuseAs, viewOf } from './context.ts';
import { type DriveDeps, driveRun } from './drive.ts';
import { EXIT, refuse } from './exit.ts';
import { showStart } from './stop-blocks.ts';
import { speak } from './voice.ts';

/** A run to start: its workflow, its input, and the language used before the run exists. */
interface Start {
  readonly workflow: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly lang: string;
  /** The full text of the rehearsal script. Null for the built-in one. */
  readonly script: string | null;
}

/** Starts a run and drives it to its first stop point, or through its gates if a person is here. */
export async function startAndDrive(drive: DriveDeps, start: Start): Promise<number> {
  const { api, screen, interactive } = drive;
  const started = await api.start({
    workflow: start.workflow,
    input: start.input,
    agent: optionText(drive, 'agent'),
    script: start.script,
    in_place: isSet(drive, 'in-place'),
    unattended: isSet(drive, 'unattended'),
    attended: interactive,
  });
  if (isRejection(started)) return refuseAs(started, await api.translator(start.lang));
  const view = await viewOf(api, started.run);
  if (view) showStart({ screen, ...(await speak(drive, view)) }, view);
  return driveRun(drive, started);
}

/** The text of the typed script. Refuses an invalid one before anything is created. */
export async function readScript(context: Context, lang: string): Promise<string | null> {
  const file = optionText(context, 'script');
  if (file === null) return null;
  const words = context.wordsFor(lang);
  const text = await context.deps.readFile(file);
  if (text === null) return refuse(EXIT.refused, [words('cli.no_file', { option: '--script', path: file })]);
  const check = await context.deps.validateScript(text, file);
  return check.ok
    ? check.script_text
    : refuse(EXIT.usage, [words('cli.bad_script', { path: file }), ...check.errors]);
}
