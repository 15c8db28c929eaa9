import type { Person } from '../../contract/answer.ts';
import type { Msg } from '../../contract/brief.ts';
import { isRejection, type Rejection } from '../../engine/rejection.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Api } from '../../runtime/api.ts';
import type { CliDeps } from './deps.ts';
import { EXIT, exitOfRejection } from './exit.ts';
import { envLang, type Words, wordsFor } from './messages.ts';
import type { Screen } from './screen.ts';

/** What was typed, after parsing: positionals in order, options by their long name in camel case. */
export interface Values {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** What every command gets. */
export interface Context {
  readonly deps: CliDeps;
  readonly screen: Screen;
  readonly values: Values;
}

/** A command returns an exit code; it never ends the process and writes only through the screen. */
export type Command = (context: Context) => Promise<number>;

export function optionText(values: Values, name: string): string | null {
  const value = values.options[name];
  return typeof value === 'string' ? value : null;
}

/** An option that names a place, as seen from the top of the repository. */
export async function pathOption({ deps, values }: Context, name: string): Promise<string | null> {
  const typed = optionText(values, name);
  return typed === null ? null : deps.fromRoot(typed);
}

export function optionList(values: Values, name: string): readonly string[] {
  const value = values.options[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

export function isSet(values: Values, name: string): boolean {
  return values.options[name] === true;
}

/** Words for what is about no particular run. */
export function localWords(context: Pick<Context, 'deps'>): Words {
  return wordsFor(envLang(context.deps.env));
}

/** The name a drive or a command is recorded under when no answer is involved. */
export function userName(deps: CliDeps): string {
  return deps.env.USER || deps.user || 'unknown';
}

/** Prompts are allowed: a person sits at both ends and nothing says otherwise. */
export function isInteractive({ deps, screen, values }: Context): boolean {
  return isPersonHere({ deps, screen, values }) && !isSet(values, 'unattended');
}

/** A terminal on both ends, and nobody said that nothing may be asked. */
export function isPersonHere({ deps, screen, values }: Pick<Context, 'deps' | 'screen' | 'values'>): boolean {
  const quiet = screen.json || values.options.input === false;
  return deps.stdin.isTTY && deps.stdout.isTTY && !quiet;
}

/**
 * Opens the store for one command and closes it whatever happens. Without a store `absent` decides; by default the
 * command named a run, and there is none.
 */
export async function withApi(
  context: Context,
  create: boolean,
  use: (api: Api) => Promise<number>,
  absent: () => number = () => noRun(context),
): Promise<number> {
  const opened = await context.deps.openApi({ create });
  if ('refusal' in opened) {
    if (opened.refusal === 'no_store') return absent();
    const lines = [opened.message, ...remedyFor(localWords(context), opened.code ?? '')];
    return fail(context, EXIT.refused, lines, opened.code ? { code: opened.code } : {});
  }
  try {
    return await use(opened);
  } finally {
    await waitAtMost(opened.close(), CLOSE_MS);
  }
}

/** What a person can do about a failure of the world, where we know it. */
export function remedyFor(words: Words, code: string): string[] {
  const remedy = Object.hasOwn(words.remedy, code) ? words.remedy[code] : undefined;
  return remedy === undefined ? [] : [remedy];
}

/** A drive that does not end was waited for already; the store itself closes at once. */
const CLOSE_MS = 500;

/** Waits for the work, but not longer; then it is left to whoever ends the process. */
export async function waitAtMost(work: Promise<void>, milliseconds: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function noRun(context: Context): number {
  const name = context.values.positionals[0] ?? '';
  return fail(context, EXIT.refused, [localWords(context).no_store_for(name)], { rejection: 'no_such_run' });
}

/**
 * Says what went wrong and gives the exit code back. The first line names the thing; a machine gets all of it as
 * one object on standard output.
 */
export function fail(
  { deps, screen }: Pick<Context, 'deps' | 'screen'>,
  exit: number,
  lines: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): number {
  if (screen.json) {
    const kind = exit === EXIT.usage ? 'usage' : exit === EXIT.refused ? 'refused' : 'error';
    screen.printJson({ ok: false, rejection: kind, message: lines.join('\n'), ...more, exit });
    return exit;
  }
  const [first = '', ...rest] = lines;
  const words = wordsFor(envLang(deps.env));
  screen.error([`${screen.paint('failed', words.error)}: ${first}`, ...rest.map((line) => `  ${line}`)]);
  return exit;
}

/** A message no catalogue knows is shown by its id and arguments: a refusal must never look like a bug. */
function sayAnyway(t: Translate, message: Msg): string {
  try {
    return t(message);
  } catch {
    const args = Object.entries(message.args ?? {}).map(([name, value]) => `${name}=${value}`);
    return [message.msg, ...args].join(' ');
  }
}

/** The words of a run, also when it cannot be viewed; without one, those of the engine in the environment's language. */
export async function translatorOf(
  { deps }: Pick<Context, 'deps'>,
  api: Api,
  run: string | null,
): Promise<Translate> {
  const row = run === null ? undefined : (await api.list(true)).find(({ id }) => id === run);
  return api.translator(row?.workflow ?? null, row?.lang ?? envLang(deps.env));
}

/** Shows a refusal of the API: its message in the run's language, its code for machines. */
export function failRejected(
  context: Pick<Context, 'deps' | 'screen'>,
  rejection: Rejection,
  t: Translate,
  hints: readonly string[] = [],
): number {
  const { rejection: code, current } = rejection;
  const more = current ? { rejection: code, current } : { rejection: code };
  return fail(context, exitOfRejection(code), [sayAnyway(t, rejection.message), ...hints], more);
}

/** Finds the run that was named and goes on with it, or shows why not. */
export async function withRun(
  context: Context,
  api: Api,
  name: string,
  use: (run: string) => Promise<number>,
): Promise<number> {
  const found = await api.find(name);
  if (typeof found === 'string') return use(found);
  return failRejected(context, found, await translatorOf(context, api, null));
}

/** The value, or the exit code after the refusal was shown; in the words of the run, where one was named. */
export async function orFail<T extends object>(
  context: Context,
  api: Api,
  value: T | Rejection,
  run: string | null,
): Promise<{ readonly value: T } | { readonly exit: number }> {
  if (!isRejection(value)) return { value };
  return { exit: failRejected(context, value, await translatorOf(context, api, run)) };
}

/** What was asked for, of which gate or run. */
export interface Asked {
  readonly command: string;
  /** Without one it is about no run, and the worker's own is told. */
  readonly run?: string;
  readonly target?: string;
}

/** Puts on record that a worker tried to decide; a refusal for another reason leaves no trace. */
export async function noteRefusal(api: Api, { message }: Rejection, asked: Asked): Promise<void> {
  const mark = message.args?.mark;
  if (typeof mark !== 'string') return;
  const run = asked.run ?? mark.split('/')[0] ?? '';
  await api.noteWorker(run, { mark, command: asked.command, target: asked.target ?? run });
}

/** Proof of a person for what is no gate, or the exit code after the refusal; a worker's try goes on record. */
export async function orFailPerson(
  context: Context,
  api: Api,
  asked: Asked,
): Promise<{ readonly value: Person } | { readonly exit: number }> {
  const proven = await context.deps.person();
  if (!isRejection(proven)) return { value: proven };
  await noteRefusal(api, proven, asked);
  const message = { ...proven.message, msg: 'engine.rejection.not_a_person_decides' };
  return orFail<Person>(context, api, { ...proven, message }, asked.run ?? null);
}

/** A worker that gives commands to runs is refused; the exit code, or null for everybody else. */
export async function failMarked(context: Context, api: Api, asked: Asked): Promise<number | null> {
  const refusal = await context.deps.refuseMarked();
  if (!refusal) return null;
  await noteRefusal(api, refusal, asked);
  const message = { ...refusal.message, msg: 'engine.rejection.not_a_person_decides' };
  return failRejected(context, { ...refusal, message }, await translatorOf(context, api, null));
}
