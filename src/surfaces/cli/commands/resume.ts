import type { Run } from '../../../contract/run.ts';
import { isRejection } from '../../../engine/rejection.ts';
import {
  type Context,
  fail,
  failWorker,
  isSet,
  optionText,
  orFail,
  userName,
  withApi,
  withRun,
} from '../context.ts';
import { type DriveDeps, openAndDrive, showStanding, withDrive } from '../drive.ts';
import { EXIT } from '../exit.ts';
import { orFailPerson } from '../proof.ts';
import { speak } from '../voice.ts';

const WAYS = ['reopen', 'restart', 'abandon', 'wipe'] as const;
type Way = (typeof WAYS)[number];

/**
 * Continues a run. Without a flag, it lifts a halt and drives the run.
 * The other ways are decisions, so they need a person, as an answer does.
 */
export async function resume(context: Context): Promise<number> {
  const [name = ''] = context.values.positionals;
  const chosen = WAYS.filter((way) => isSet(context.values, way));
  if (chosen.length > 1) {
    const flags = chosen.map((way) => `--${way}`).join(' ');
    return fail(context, EXIT.usage, [context.words('cli.one_way_only', { flags })]);
  }
  const way = chosen[0] ?? null;
  return withApi(context, false, (api) =>
    withRun(context, api, name, (run) =>
      withDrive(context, api, async (drive) => {
        const refused = await changeAgent(drive, run);
        return refused ?? (way ? decide(drive, run, way) : goOn(drive, run));
      }),
    ),
  );
}

/**
 * Changing the agent is a decision. Returns the exit code of a refusal, or null if it was not refused or not requested.
 */
async function changeAgent({ context, api }: DriveDeps, run: string): Promise<number | null> {
  const agent = optionText(context.values, 'agent');
  if (agent === null) return null;
  const person = await orFailPerson(context, api, { command: 'resume --agent', run });
  if ('exit' in person) return person.exit;
  const done = await orFail(context, api, await api.changeAgent(run, agent, person.value.person), run);
  if ('exit' in done) return done.exit;
  context.screen.text(context.words('cli.goes_on_with', { run, agent }));
  return null;
}

async function goOn(drive: DriveDeps, run: string): Promise<number> {
  const { context, api } = drive;
  const refused = await failWorker(context, api, { command: 'resume', run });
  if (refused !== null) return refused;
  const view = await orFail(context, api, await api.view(run), run);
  if ('exit' in view) return view.exit;
  const voice = await speak(drive, view.value);
  const { paint, text } = context.screen;
  text(`${paint('strong', `${voice.words('cli.run')} ${run}`)}  ${view.value.run.title}`, '  ');
  if (canBeLifted(view.value.run)) {
    const lifted = await orFail(context, api, await api.command(run, 'resume', userName(context.deps)), run);
    if ('exit' in lifted) return lifted.exit;
  }
  return openAndDrive(drive, run);
}

/** True for a halt by the engine, and for a workflow that waits for `resume`. */
function canBeLifted({ halt, step }: Run): boolean {
  const waits =
    step.kind === 'wait' && step.until.kind === 'command' && step.until.commands.includes('resume');
  return halt !== null || waits;
}

async function decide(drive: DriveDeps, run: string, way: Way): Promise<number> {
  const { context, api } = drive;
  const person = await orFailPerson(context, api, { command: way, run });
  if ('exit' in person) return person.exit;
  const done = await orFail(context, api, await api.command(run, way, person.value.person), run);
  if ('exit' in done) return done.exit;
  const next = (await api.list(false)).find(({ id, parent }) => id === run || parent === run);
  if (!next) return showStanding(drive, run);
  if (next.id !== run) context.screen.text(context.words('cli.continues_as', { run: next.id }));
  const view = await api.view(next.id);
  if (!isRejection(view)) await speak(drive, view);
  return openAndDrive(drive, next.id);
}
