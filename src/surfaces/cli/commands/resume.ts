import { type Context, isSet, need, needRun, needView, optionText, viewOf, withApi } from '../context.ts';
import { type DriveDeps, openAndDrive, showStanding, withDrive } from '../drive.ts';
import { EXIT, refuse } from '../exit.ts';
import { awaitedBy } from '../standing.ts';
import { speak } from '../voice.ts';

const WAYS = ['reopen', 'restart', 'abandon', 'wipe'] as const;
type Way = (typeof WAYS)[number];

/**
 * Continues a run. Without a flag, it lifts a halt and drives the run.
 * The other ways are decisions, so they need a person, as an answer does.
 */
export async function resume(context: Context): Promise<number> {
  const [name = ''] = context.values.positionals;
  const [way, ...more] = WAYS.filter((each) => isSet(context, each));
  if (more.length > 0) {
    const flags = [way, ...more].map((each) => `--${each}`).join(' ');
    return refuse(EXIT.usage, [context.words('cli.one_way_only', { flags })]);
  }
  return withApi(context, async (open) => {
    const run = await needRun(open, name);
    return withDrive(open, async (drive) => {
      await changeAgent(drive, run);
      return way ? decide(drive, run, way) : goOn(drive, run);
    });
  });
}

/** Changing the agent is a decision. Without the option it does nothing. */
async function changeAgent(drive: DriveDeps, run: string): Promise<void> {
  const agent = optionText(drive, 'agent');
  if (agent === null) return;
  await need(drive, await drive.api.changeAgent({ run, agent }), run);
  drive.screen.text(drive.words('cli.continues_with', { run, agent }));
}

async function goOn(drive: DriveDeps, run: string): Promise<number> {
  const { api, screen } = drive;
  await need(drive, await api.may('open', { run, attended: false }), run);
  const view = await needView(drive, run);
  const voice = await speak(drive, view);
  screen.text(`${screen.paint('strong', `${voice.words('cli.run')} ${run}`)}  ${view.run.title}`, '  ');
  const { halt, step } = view.run;
  if (halt !== null || awaitedBy(step).includes('resume'))
    await need(drive, await api.command({ run, command: 'resume' }), run);
  return openAndDrive(drive, run);
}

async function decide(drive: DriveDeps, run: string, way: Way): Promise<number> {
  const { api, screen } = drive;
  await need(drive, await api.command({ run, command: way }), run);
  const next = (await api.list(false)).find(({ id, parent }) => id === run || parent === run);
  if (!next) return showStanding(drive, run);
  if (next.id !== run) screen.text(drive.words('cli.continues_as', { run: next.id }));
  const view = await viewOf(api, next.id);
  if (view) await speak(drive, view);
  return openAndDrive(drive, next.id);
}
