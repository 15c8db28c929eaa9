import type { Api } from '../../runtime/api.ts';
import { badValueLines } from './bad-value.ts';
import { type Context, fail, optionList, optionText, withApi } from './context.ts';
import { EXIT } from './exit.ts';

/** One action of a command that has several: `ticket create`, `ticket show`. */
interface Action {
  /** The least and the most words it takes. The default is exactly one. */
  readonly words?: readonly [number, number];
  readonly usage: string;
  /** The options it takes, by their long names, and those it requires. */
  readonly options?: readonly string[];
  readonly needs?: readonly string[];
  /** The action may create the store. */
  readonly creates?: true;
  readonly run: (context: Context, api: Api, words: readonly string[]) => Promise<number>;
}

export interface ActionTable {
  readonly command: string;
  /** The action of the bare command. */
  readonly plain: string;
  readonly actions: Readonly<Record<string, Action>>;
  /** Options with a fixed set of values. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Called if there is no store yet. */
  readonly absent: (context: Context, words: readonly string[], action: string) => number;
}

/** Finds the typed action and runs it. Errors in the words are shown before the store is opened. */
export async function takeAction(context: Context, table: ActionTable): Promise<number> {
  const [name = table.plain, ...words] = context.values.positionals;
  const action = Object.hasOwn(table.actions, name) ? table.actions[name] : undefined;
  const command = `baton ${table.command}`;
  if (!action) {
    const lines = badValueLines(command, name, Object.keys(table.actions), context.words);
    return fail(context, EXIT.usage, lines);
  }
  const wrong = misused(context, table, { name, action, given: words.length });
  if (wrong) return fail(context, EXIT.usage, wrong);
  return withApi(
    context,
    action.creates === true,
    (api) => action.run(context, api, words),
    () => table.absent(context, words, name),
  );
}

function misused(
  context: Context,
  { command, values }: ActionTable,
  { name, action, given }: { readonly name: string; readonly action: Action; readonly given: number },
): string[] | null {
  const { words } = context;
  const usage = words('cli.usage', { form: `baton ${command} ${action.usage}` });
  const [least, most] = action.words ?? [1, 1];
  if (given < least) return [words('cli.too_few', { action: name }), usage];
  if (given > most) return [words('cli.too_many', { action: name }), usage];
  const typed = Object.keys(context.values.options).filter((option) => !GLOBAL.includes(option));
  const foreign = typed.find((option) => !action.options?.includes(option));
  if (foreign !== undefined)
    return [words('cli.not_taken', { option: `--${foreign}`, command: `baton ${command} ${name}` }), usage];
  const missing = action.needs?.find((option) => !typed.includes(option));
  if (missing !== undefined) {
    const allowed = values[missing];
    return [
      words('cli.option_needed', { option: `--${missing}` }),
      allowed ? `${words('cli.allowed')}: ${allowed.join(', ')}` : usage,
    ];
  }
  return badValues(context, values, typed);
}

function badValues(
  context: Context,
  values: ActionTable['values'],
  typed: readonly string[],
): string[] | null {
  for (const option of typed) {
    const bad = typedValues(context, option).find((value) => values[option]?.includes(value) === false);
    if (bad !== undefined) return badValueLines(`--${option}`, bad, values[option] ?? [], context.words);
  }
  return null;
}

/** Options of every command. They do not belong to an action. */
const GLOBAL = ['json', 'no-color', 'version', 'no-input'];

/** An option's values, whether it may be repeated or not. */
export function typedValues({ values }: Context, option: string): readonly string[] {
  const one = optionText(values, option);
  return one === null ? optionList(values, option) : [one];
}
