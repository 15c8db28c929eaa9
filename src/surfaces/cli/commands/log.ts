import type { RunEvent } from '../../../contract/event.ts';
import { type Context, fail, localWords, optionText, orFail, withApi, withRun } from '../context.ts';
import { EXIT } from '../exit.ts';

/** Everything that happened in a run, one line per event; `--call n` shows one entry whole. */
export async function log(context: Context): Promise<number> {
  const [name = ''] = context.values.positionals;
  const words = localWords(context);
  const asked = optionText(context.values, 'call');
  if (asked !== null && !/^[1-9]\d*$/.test(asked)) {
    return fail(context, EXIT.usage, [words.bad_number('--call', asked)]);
  }
  return withApi(context, false, (api) =>
    withRun(context, api, name, async (run) => {
      const found = await orFail(context, api, await api.log(run, 0), run);
      if ('exit' in found) return found.exit;
      if (asked === null) return showEvents(context, found.value);
      const event = found.value.find(({ seq }) => seq === Number(asked));
      if (event) return showEvent(context, event);
      const lines = [words.no_entry(run, Number(asked), found.value.at(-1)?.seq ?? 0)];
      return fail(context, EXIT.refused, lines);
    }),
  );
}

function showEvents({ screen }: Context, events: readonly RunEvent[]): number {
  for (const event of events) {
    if (screen.json) screen.printJson(event);
    const time = event.at.replace('T', ' ').slice(0, 19);
    const about = summary(event.input);
    const line = [String(event.seq).padStart(4), time, event.type, event.by, about].filter(
      (part) => part !== '',
    );
    screen.text(line.join('  '), '      ');
  }
  return EXIT.done;
}

function showEvent({ screen }: Context, event: RunEvent): number {
  if (screen.json) screen.printJson(event);
  screen.line(JSON.stringify(event, null, 2));
  return EXIT.done;
}

const TOLD = ['gate', 'option', 'effect', 'command', 'name', 'kind', 'type'] as const;

/** The few values of an input a person looks for; the whole of it is one `--call` away. */
function summary(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const values = input as Readonly<Record<string, unknown>>;
  return TOLD.map((key) => values[key])
    .filter((value) => typeof value === 'string')
    .join(' ');
}
