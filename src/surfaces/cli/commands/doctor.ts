import { type Context, isSet, localWords, withApi } from '../context.ts';
import { EXIT } from '../exit.ts';

/** Checks the store; with `--deep` every run is rebuilt from its log and compared. Problems give exit 1. */
export async function doctor(context: Context): Promise<number> {
  const { screen, values } = context;
  const words = localWords(context);
  return withApi(
    context,
    false,
    async (api) => {
      const deep = isSet(values, 'deep');
      const report = await api.doctor(deep);
      const exit = report.problems.length === 0 ? EXIT.done : EXIT.error;
      if (screen.json) screen.printJson({ ok: exit === EXIT.done, ...report });
      const fine = deep ? words.doctor_fine(report.runs, report.events) : words.doctor_shallow(report.runs);
      if (exit === EXIT.done) screen.text(screen.paint('proven', fine));
      else screen.text(screen.paint('failed', words.doctor_problems(report.problems.length)));
      for (const { run, problem } of report.problems) screen.text(`  ${run ?? '-'}  ${problem}`, '    ');
      return exit;
    },
    () => {
      if (screen.json) screen.printJson({ ok: true, runs: 0, events: 0, problems: [] });
      screen.text(words.nothing_here);
      return EXIT.done;
    },
  );
}
