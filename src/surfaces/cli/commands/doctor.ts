import type { Repaired } from '../../../contract/upkeep.ts';
import type { DoctorReport } from '../../../runtime/views.ts';
import { type Context, isSet, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';
import { readWarnings, showWarnings } from '../show-warnings.ts';

/** Checks the store. With `--deep`, every run is rebuilt from its log and compared. Problems give exit 1. */
export async function doctor(context: Context): Promise<number> {
  if (isSet(context, 'repair')) return repair(context);
  return withApi(context, async ({ api }) => showReport(context, await api.doctor(isSet(context, 'deep'))), {
    absent: () => showReport(context, null),
  });
}

const NOTHING: DoctorReport = { runs: 0, events: 0, problems: [], leftovers: [] };

/** Shows what was found, the path of the person's own settings, and the warnings before a run starts. */
async function showReport(context: Context, found: DoctorReport | null): Promise<number> {
  const { screen, words, deps } = context;
  const report = found ?? NOTHING;
  const n = report.problems.length;
  const warnings = await readWarnings(context);
  const person_config = await deps.personConfig();
  if (screen.json) screen.printJson({ ok: n === 0, ...report, person_config, warnings });
  const fine = words(isSet(context, 'deep') ? 'cli.doctor_fine' : 'cli.doctor_shallow', {
    runs: report.runs,
    events: report.events,
  });
  if (found === null) screen.text(words('cli.nothing_here'));
  else if (n === 0) screen.text(screen.paint('proven', fine));
  else screen.text(screen.paint('failed', words('cli.doctor_problems', { n })));
  showFindings(context, report);
  screen.text(words('cli.own_settings', { path: person_config }));
  showWarnings(context, warnings);
  return n === 0 ? EXIT.done : EXIT.error;
}

/** Shows the problems and the leftovers of earlier processes. */
function showFindings(context: Context, { problems, leftovers }: DoctorReport): void {
  const { screen, words } = context;
  for (const { run, problem } of problems) screen.text(`  ${run ?? '-'}  ${problem}`, '    ');
  if (leftovers.length > 0) screen.text(words('cli.doctor_leftovers', { n: leftovers.length }));
  for (const { kind, path } of leftovers) screen.text(`  ${words(`cli.leftover.${kind}`)}  ${path}`, '    ');
}

/** Repairs the store and shows what was lost. Any loss gives exit 1. */
async function repair(context: Context): Promise<number> {
  const { deps, screen } = context;
  const done = await deps.repair();
  const exit = done === null || done.lost.length === 0 ? EXIT.done : EXIT.error;
  if (screen.json)
    screen.printJson({ ok: exit === EXIT.done, ...(done ?? { kind: 'sound', runs: [], lost: [] }) });
  if (done === null) screen.text(context.words('cli.nothing_here'));
  else for (const line of repairLines(context, done)) screen.text(line);
  return exit;
}

function repairLines({ screen, words }: Context, done: Repaired): string[] {
  const { kind, runs, as_of, rebuilt, lost, aside } = done;
  return [
    words(`cli.repaired.${kind}`, { runs: runs.length }),
    ...(as_of === null ? [] : [words('cli.repaired_as_of', { time: as_of })]),
    ...(rebuilt.length === 0 ? [] : [words('cli.repaired_rebuilt', { runs: rebuilt.join(', ') })]),
    ...(lost.length === 0
      ? []
      : [screen.paint('failed', words('cli.repaired_lost', { runs: lost.join(', ') }))]),
    ...(aside === null ? [] : [words('cli.repaired_aside', { file: aside })]),
  ];
}
