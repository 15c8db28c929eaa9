import type { RunEvent } from '../../../contract/event.ts';
import type { RunView } from '../../../runtime/views.ts';
import {
  type Context,
  need,
  needRun,
  type OpenContext,
  optionText,
  translatorOf,
  viewOf,
  withApi,
} from '../context.ts';
import { EXIT, refuse } from '../exit.ts';
import { type LogEntry, logEntries } from '../log-lines.ts';
import type { Screen } from '../screen.ts';
import { asleepText } from '../standing.ts';
import { spendText } from '../status-block.ts';
import { pad } from '../width.ts';
import type { Words } from '../words.ts';

/** Shows everything that happened in a run, one line per event. `--call n` shows one entry in full. */
export async function log(context: Context): Promise<number> {
  const [name = ''] = context.values.positionals;
  const { words } = context;
  const asked = optionText(context, 'call');
  if (asked !== null && !/^[1-9]\d*$/.test(asked))
    return refuse(EXIT.usage, [words('cli.bad_number', { option: '--call', given: asked })]);
  return withApi(context, async (open) => {
    const run = await needRun(open, name);
    const events = await need(open, await open.api.log(run, 0), run);
    if (asked === null) return showEvents(open, run, events);
    const event = events.find(({ seq }) => seq === Number(asked));
    if (event) return showEvent(context, event);
    return refuse(EXIT.refused, [
      words('cli.no_entry', { run, n: Number(asked), last: events.at(-1)?.seq ?? 0 }),
    ]);
  });
}

/** A damaged run still has a log. Its language comes from the listing, and only its cost is missing. */
async function showEvents(open: OpenContext, run: string, events: readonly RunEvent[]): Promise<number> {
  const { screen, api } = open;
  const lang = (await api.list(true)).find(({ id }) => id === run)?.lang ?? 'en';
  const words = open.wordsFor(lang);
  const t = await translatorOf(open, run);
  const entries = logEntries(events, await api.records(run), { t, words });
  if (screen.json) for (const { event, says } of entries) screen.printJson({ ...event, says });
  else showEntries(screen, entries, words);
  const view = await viewOf(api, run);
  if (view) {
    showAsleep(open, view);
    screen.text(words('cli.log.spent', { text: spendText(view, words) }));
  }
  screen.text(words('cli.log.more', { run }));
  return EXIT.done;
}

/** Shows what the calls of the run wait for now, as last recorded. */
function showAsleep({ screen, deps, wordsFor }: Context, { run, calls }: RunView): void {
  const words = wordsFor(run.lang);
  for (const { role, asleep } of calls) {
    if (!asleep) continue;
    if (screen.json) screen.printJson({ type: 'asleep', run: run.id, role, ...asleep });
    screen.text(`      … ${role.replaceAll('_', ' ')}: ${asleepText(asleep, words, deps.now())}`, '        ');
  }
}

/** The indent below the phase, for all further lines of an entry. */
const HANG = ' '.repeat(16);

/** Prints a line for each event: number, time, phase, text. Further lines are indented below it. */
function showEntries(screen: Screen, entries: readonly LogEntry[], words: Words): void {
  const width = Math.max(0, ...entries.map(({ phase }) => phase.length));
  let day = '';
  for (const { event, phase, says } of entries.filter((entry) => entry.says.length > 0)) {
    const [date = '', time = ''] = event.at.split('T');
    if (date !== day) screen.line(screen.paint('strong', words('cli.log.day', { date })));
    day = date;
    const lead = `${String(event.seq).padStart(4)}  ${time.slice(0, 8)}  ${pad(phase.replaceAll('_', ' '), width)}  `;
    says.forEach((line, i) => {
      screen.text((i === 0 ? lead : HANG) + line, `${HANG}  `);
    });
  }
}

function showEvent({ screen }: Context, event: RunEvent): number {
  if (screen.json) screen.printJson(event);
  screen.line(JSON.stringify(event, null, 2));
  return EXIT.done;
}
