import type { RunEvent } from '../../../contract/event.ts';
import { isRejection } from '../../../engine/rejection.ts';
import type { Translate } from '../../../engine/workflow.ts';
import type { Api, RunView } from '../../../runtime/api.ts';
import {
  type Context,
  fail,
  localWords,
  optionText,
  orFail,
  translatorOf,
  withApi,
  withRun,
} from '../context.ts';
import { EXIT } from '../exit.ts';
import { wordsFor } from '../messages.ts';
import { asleepText } from '../standing.ts';

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
      if (asked === null) return showAll(context, api, run, found.value);
      const event = found.value.find(({ seq }) => seq === Number(asked));
      if (event) return showEvent(context, event);
      const lines = [words.no_entry(run, Number(asked), found.value.at(-1)?.seq ?? 0)];
      return fail(context, EXIT.refused, lines);
    }),
  );
}

/** What a person should know of an event. */
interface Warning {
  readonly seq: number;
  readonly text: string;
}

async function showAll(
  context: Context,
  api: Api,
  run: string,
  events: readonly RunEvent[],
): Promise<number> {
  const t = await translatorOf(context, api, run);
  const warnings = await warningsOf(api, run, t);
  for (const event of events) {
    showLine(
      context,
      event,
      warnings.filter(({ seq }) => seq === event.seq),
    );
  }
  const view = await api.view(run);
  if (!isRejection(view)) showAsleep(context, view);
  return EXIT.done;
}

async function warningsOf(api: Api, run: string, t: Translate): Promise<Warning[]> {
  return (await api.records(run)).flatMap(({ record, seq }) =>
    record.kind === 'notice' && record.level === 'warning' ? [{ seq, text: t(record.text) }] : [],
  );
}

function showLine({ screen }: Context, event: RunEvent, warnings: readonly Warning[]): void {
  const texts = warnings.map(({ text }) => text);
  if (screen.json) screen.printJson(texts.length > 0 ? { ...event, warnings: texts } : event);
  const time = event.at.replace('T', ' ').slice(0, 19);
  const about = summary(event.input);
  const line = [String(event.seq).padStart(4), time, event.type, event.by, about].filter(
    (part) => part !== '',
  );
  screen.text(line.join('  '), '      ');
  for (const text of texts) screen.text(`      ! ${text}`, '        ');
}

/** What the run waits for by itself now: the last thing on record of its calls. */
function showAsleep({ screen, deps }: Context, { run, calls }: RunView): void {
  const words = wordsFor(run.lang);
  for (const { role, asleep } of calls) {
    if (!asleep) continue;
    if (screen.json) screen.printJson({ type: 'asleep', run: run.id, role, ...asleep });
    screen.text(`      … ${role.replaceAll('_', ' ')}: ${asleepText(asleep, words, deps.now())}`, '        ');
  }
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
