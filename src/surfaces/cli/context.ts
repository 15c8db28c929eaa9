import type { Msg } from '../../contract/brief.ts';
import type { Gate } from '../../contract/gate.ts';
import type { Caller } from '../../engine/operation.ts';
import { isRejection, type Rejection } from '../../engine/rejection.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Api } from '../../runtime/api.ts';
import type { RunView } from '../../runtime/views.ts';
import type { CliDeps } from './deps.ts';
import { EXIT, exitOfRejection, refuse } from './exit.ts';
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
  /** The caller of this command, as the operations see it. */
  readonly caller: Caller;
  readonly wordsFor: WordsFor;
  /** Texts that do not belong to a run, in the language of the environment. */
  readonly words: Words;
}

/** The same with the store open. */
export interface OpenContext extends Context {
  readonly api: Api;
}

/** A command returns an exit code. It never ends the process and writes only through the screen. */
export type Command = (context: Context) => Promise<number>;

export function optionText({ values }: Pick<Context, 'values'>, name: string): string | null {
  const value = values.options[name];
  return typeof value === 'string' ? value : null;
}

/** An option that holds a path, converted to one relative to the top of the repository. */
export async function pathOption(context: Context, name: string): Promise<string | null> {
  const typed = optionText(context, name);
  return typed === null ? null : context.deps.fromRoot(typed);
}

export function optionList({ values }: Pick<Context, 'values'>, name: string): readonly string[] {
  const value = values.options[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** The fields whose option was typed, by the option of each field. */
export function typedFields(context: Context, optionOf: Readonly<Record<string, string>>) {
  const typed = Object.entries(optionOf).map(([field, option]) => [field, optionText(context, option)]);
  return Object.fromEntries(typed.filter(([, value]) => value !== null)) as Record<string, string>;
}

export function isSet({ values }: Pick<Context, 'values'>, name: string): boolean {
  return values.options[name] === true;
}

/** The name recorded for a drive, or for a command that is not an answer. */
export function userName(deps: CliDeps): string {
  return deps.env.USER || deps.user || 'unknown';
}

/** True if prompts are allowed: a person is at this terminal and `--unattended` is not set. */
export function isInteractive(context: Pick<Context, 'deps' | 'screen' | 'values'>): boolean {
  return isPersonHere(context) && !isSet(context, 'unattended');
}

/** True if input and output are terminals, and neither `--json` nor `--no-input` is set. */
export function isPersonHere(context: Pick<Context, 'deps' | 'screen' | 'values'>): boolean {
  const { deps, screen } = context;
  return deps.stdin.isTTY && deps.stdout.isTTY && !screen.json && !isSet(context, 'no-input');
}

interface StoreOptions {
  /** The command may create the store. */
  readonly create?: boolean;
  /** Called if there is no store. By default it refuses, because the named run does not exist. */
  readonly absent?: () => number | Promise<number>;
}

/** Opens the store for one command and always closes it. */
export async function withApi(
  context: Context,
  use: (open: OpenContext) => Promise<number>,
  { create = false, absent = () => refuseRun(context) }: StoreOptions = {},
): Promise<number> {
  const opened = await context.deps.openApi({ create, caller: context.caller });
  if ('refusal' in opened) {
    if (opened.refusal === 'no_store') return absent();
    const lines = [opened.message, ...remedyFor(context.words, opened.code ?? '')];
    return refuse(EXIT.refused, lines, opened.code ? { code: opened.code } : {});
  }
  try {
    return await use({ ...context, api: opened });
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

function refuseRun(context: Context): never {
  const name = context.values.positionals[0] ?? '';
  return refuse(EXIT.refused, [context.words('cli.no_store_for', { name })], { rejection: 'no_such_run' });
}

/** Shows a message that is in no catalogue by its id and arguments, so that a refusal never looks like a bug. */
function sayAnyway(t: Translate, message: Msg): string {
  try {
    return t(message);
  } catch {
    const { msg, args = {} } = message;
    return [msg, ...Object.entries(args).map(([name, value]) => `${name}=${value}`)].join(' ');
  }
}

/**
 * The translator of a run, even if the run cannot be viewed. Without a run, the language of the environment applies.
 */
export async function translatorOf({ deps, api }: OpenContext, run?: string): Promise<Translate> {
  const row = run === undefined ? undefined : (await api.list(true)).find(({ id }) => id === run);
  return api.translator(row?.lang ?? envLang(deps.env));
}

/** Ends the command with a refusal of the API: its message in the run's language, its code for machines. */
export function refuseAs(rejection: Rejection, t: Translate, hints: readonly string[] = []): never {
  const { rejection: code, current, message } = rejection;
  const more = current ? { rejection: code, current } : { rejection: code };
  return refuse(exitOfRejection(code), [sayAnyway(t, message), ...hints], more);
}

/** The option with which each field of a ticket is typed. */
const OPTION_OF: Readonly<Record<string, string>> = {
  labels: '--label',
  labels_add: '--add',
  labels_remove: '--remove',
  workflow_state: '--state',
};

/**
 * What the command needs, or its end with the refusal of the API. If a run is named, the refusal is in its language. It
 * names the option, not the field.
 */
export async function need<T>(open: OpenContext, value: T | Rejection, run?: string): Promise<T> {
  if (!isRejection(value)) return value;
  const { message } = value;
  const field = String(message.args?.field ?? '').split('.')[0] ?? '';
  const option = Object.hasOwn(OPTION_OF, field) ? { option: OPTION_OF[field] ?? field } : {};
  const named = { ...value, message: { ...message, args: { ...message.args, ...option } } };
  return refuseAs(named, await translatorOf(open, run));
}

/** The id of the named run. */
export async function needRun(open: OpenContext, name: string): Promise<string> {
  return need(open, await open.api.find(name));
}

/** The view of a run, or the refusal to show it. */
export async function needView(open: OpenContext, run: string): Promise<RunView> {
  return need(open, await open.api.view(run), run);
}

/** The view of a run. Undefined if the run cannot be read. */
export async function viewOf(api: Api, run: string): Promise<RunView | undefined> {
  const view = await api.view(run);
  return isRejection(view) ? undefined : view;
}

/** Records that the person has seen this gate, if it was printed in full on a terminal. */
export async function rememberShown({ deps, screen }: Context, gate: Gate): Promise<void> {
  if (deps.stdout.isTTY && !screen.json) await deps.seen.add(gate);
}
