import type { Msg } from '../../contract/brief.ts';
import type { Gate } from '../../contract/gate.ts';
import { isRejection, type Rejection } from '../../engine/rejection.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Api } from '../../runtime/api.ts';
import type { CliDeps } from './deps.ts';
import { EXIT, exitOfRejection } from './exit.ts';
import type { Screen } from './screen.ts';
import { envLang, type Words, type WordsFor } from './words.ts';

/** The parsed command line: positionals in order, typed options by their long name. */
export interface Values {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** The input of every command. */
export interface Context {
  readonly deps: CliDeps;
  readonly screen: Screen;
  readonly values: Values;
  readonly wordsFor: WordsFor;
  /** Texts that do not belong to a run, in the language of the environment. */
  readonly words: Words;
}

/** A command returns an exit code. It never ends the process and writes only through the screen. */
export type Command = (context: Context) => Promise<number>;

export function optionText(values: Values, name: string): string | null {
  const value = values.options[name];
  return typeof value === 'string' ? value : null;
}

/** An option that holds a path, converted to one relative to the top of the repository. */
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

/** The name recorded for a drive, or for a command that is not an answer. */
export function userName(deps: CliDeps): string {
  return deps.env.USER || deps.user || 'unknown';
}

/** True if prompts are allowed: a person is at this terminal and `--unattended` is not set. */
export function isInteractive({ deps, screen, values }: Context): boolean {
  return isPersonHere({ deps, screen, values }) && !isSet(values, 'unattended');
}

/** True if input and output are terminals, and neither `--json` nor `--no-input` is set. */
export function isPersonHere({ deps, screen, values }: Pick<Context, 'deps' | 'screen' | 'values'>): boolean {
  const quiet = screen.json || isSet(values, 'no-input');
  return deps.stdin.isTTY && deps.stdout.isTTY && !quiet;
}

/**
 * Opens the store for one command and always closes it. Without a store, `absent` decides. By default it refuses,
 * because the named run does not exist.
 */
export async function withApi(
  context: Context,
  create: boolean,
  use: (api: Api) => Promise<number>,
  absent: () => number | Promise<number> = () => noRun(context),
): Promise<number> {
  const opened = await context.deps.openApi({ create });
  if ('refusal' in opened) {
    if (opened.refusal === 'no_store') return absent();
    const lines = [opened.message, ...remedyFor(context.words, opened.code ?? '')];
    return fail(context, EXIT.refused, lines, opened.code ? { code: opened.code } : {});
  }
  try {
    return await use(opened);
  } finally {
    await waitAtMost(opened.close(), CLOSE_MS);
  }
}

/** What a person can do about a failure of the world with this code. Empty if no remedy is known. */
export function remedyFor(words: Words, code: string): string[] {
  const known = REMEDIES.find((one) => one === code);
  return known === undefined ? [] : [words(`cli.remedy.${known}`)];
}

const REMEDIES = [
  'agent_not_installed',
  'disk_full',
  'folder_missing',
  'no_work_tree',
  'repository_unreadable',
  'store_corrupt',
  'store_missing',
  'store_read_only',
] as const;

/** This wait is short: the drive was already waited for, and the store itself closes at once. */
const CLOSE_MS = 200;

/** Waits for the work at most this long. Unfinished work is left running until the process ends. */
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
  return fail(context, EXIT.refused, [context.words('cli.no_store_for', { name })], {
    rejection: 'no_such_run',
  });
}

/**
 * Shows the error and returns the exit code. The first line names the
 * thing. With `--json`, the whole error is one object on standard output.
 */
export function fail(
  { screen, words }: Pick<Context, 'screen' | 'words'>,
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
  screen.error([
    `${screen.paint('failed', words('cli.error'))}: ${first}`,
    ...rest.map((line) => `  ${line}`),
  ]);
  return exit;
}

/** Shows a message that is in no catalogue by its id and arguments, so that a refusal never looks like a bug. */
function sayAnyway(t: Translate, message: Msg): string {
  try {
    return t(message);
  } catch {
    const args = Object.entries(message.args ?? {}).map(([name, value]) => `${name}=${value}`);
    return [message.msg, ...args].join(' ');
  }
}

/**
 * The translator of a run, even if the run cannot be viewed. Without a run, the language of the environment applies.
 */
export async function translatorOf(
  { deps }: Pick<Context, 'deps'>,
  api: Api,
  run: string | null,
): Promise<Translate> {
  const row = run === null ? undefined : (await api.list(true)).find(({ id }) => id === run);
  return api.translator(row?.lang ?? envLang(deps.env));
}

/** Shows a refusal of the API: its message in the run's language, its code for machines. */
export function failRejected(
  context: Pick<Context, 'screen' | 'words'>,
  rejection: Rejection,
  t: Translate,
  hints: readonly string[] = [],
): number {
  const { rejection: code, current } = rejection;
  const more = current ? { rejection: code, current } : { rejection: code };
  return fail(context, exitOfRejection(code), [sayAnyway(t, rejection.message), ...hints], more);
}

/** Finds the named run and calls `use` with it, or shows the refusal. */
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

/**
 * Returns the value, or shows the refusal and returns the exit code. If a run is named, the refusal is in its language.
 */
export async function orFail<T extends object>(
  context: Context,
  api: Api,
  value: T | Rejection,
  run: string | null,
): Promise<{ readonly value: T } | { readonly exit: number }> {
  if (!isRejection(value)) return { value };
  return { exit: failRejected(context, value, await translatorOf(context, api, run)) };
}

/** Records that the person has seen this gate, if it was printed in full on a terminal. */
export async function rememberShown({ deps, screen }: Context, gate: Gate): Promise<void> {
  if (deps.stdout.isTTY && !screen.json) await deps.seen.add(gate);
}

/** The requested command and its gate or run. */
export interface RequestedCommand {
  readonly command: string;
  /** Without it the command is not about a run, and a worker's attempt is recorded in the worker's own run. */
  readonly run?: string;
  readonly target?: string;
}

/** Records that a worker tried to decide. A refusal for another reason is not recorded. */
export async function noteRefusal(api: Api, { message }: Rejection, asked: RequestedCommand): Promise<void> {
  const call_id = message.args?.call_id;
  if (typeof call_id !== 'string') return;
  const run = asked.run ?? call_id.split('/')[0] ?? '';
  await api.noteWorker(run, { call_id, command: asked.command, target: asked.target ?? run });
}

/** Refuses a worker that gives a command to a run, and returns the exit code. Null for every other process. */
export async function failWorker(
  context: Context,
  api: Api,
  asked: RequestedCommand,
): Promise<number | null> {
  const view = asked.run === undefined ? null : await api.view(asked.run);
  const policy = view && !isRejection(view) ? view.run.policy : {};
  const refusal = await context.deps.refuseWorker(policy);
  if (!refusal) return null;
  await noteRefusal(api, refusal, asked);
  return failRejected(context, decides(refusal), await translatorOf(context, api, null));
}

/** Rewords a refusal for a command that is not an answer at a gate. */
export function decides(refusal: Rejection): Rejection {
  if (refusal.rejection !== 'not_a_person') return refusal;
  return { ...refusal, message: { ...refusal.message, msg: 'engine.rejection.not_a_person_decides' } };
}
