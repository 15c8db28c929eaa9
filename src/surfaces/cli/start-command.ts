import { isRejection } from '../../engine/rejection.ts';
import type { Api } from '../../runtime/api.ts';
import { type Context, fail, failRejected, isSet, optionText, userName } from './context.ts';
import { type DriveDeps, driveRun } from './drive.ts';
import { EXIT } from './exit.ts';
import { wordsFor } from './messages.ts';
import { showStart } from './rest-blocks.ts';
import { speak } from './voice.ts';

/** A run to start: its workflow, what goes in, and the language to speak before it exists. */
export interface Start {
  readonly workflow: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly lang: string;
  /** The rehearsal score, frozen; null for the built-in one. */
  readonly score: string | null;
}

/** Starts a run and carries it to its first rest, or through its gates when a person is here. */
export async function startAndDrive(drive: DriveDeps, api: Api, start: Start): Promise<number> {
  const { context, interactive } = drive;
  const { deps, values } = context;
  const started = await api.start(start.workflow, start.input, {
    agent: optionText(values, 'agent'),
    score: start.score,
    in_place: isSet(values, 'inPlace'),
    unattended: isSet(values, 'unattended'),
    opened_by: userName(deps),
    attended: interactive,
  });
  if (isRejection(started))
    return failRejected(context, started, await api.translator(start.workflow, start.lang));
  const view = await api.view(started.run);
  if (!isRejection(view)) {
    const voice = await speak(drive, view);
    showStart({ screen: context.screen, ...voice }, view);
  }
  return driveRun(drive, started);
}

/** A score that cannot be played is refused before anything exists. */
export async function readScore(context: Context, lang: string): Promise<{ text: string | null } | number> {
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
