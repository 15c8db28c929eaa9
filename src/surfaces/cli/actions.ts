import { badValueLines } from './bad-value.ts';
import { type Context, type OpenContext, optionList, optionText, withApi } from './context.ts';
import { EXIT, refuse } from './exit.ts';

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
  readonly run: (open: OpenContext, words: readonly string[]) => Promise<number>;
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
  const [name = table.plain, ...typed] = context.values.positionals;
  const action = Object.hasOwn(table.actions, name) ? table.actions[name] : undefined;
  if (!action) {
    const names = Object.keys(table.actions);
    return refuse(EXIT.usage, badValueLines(`baton ${table.command}`, name, names, context.words));
  }
  checkAction(context, table, name, action);
  return withApi(context, (open) => action.run(open, typed), {
    create: action.creates === true,
    absent: () => table.absent(context, typed, name),
  });
}

function checkAction(
  context: Context,
  { command, values }: ActionTable,
  name: string,
  { words: [least, most] = [1, 1], options = [], needs = [], ...action }: Action,
): void {
  const { words } = context;
  const usage = words('cli.usage', { form: `baton ${command} ${action.usage}` });
  const given = context.values.positionals.slice(1).length;
  if (given < least) refuse(EXIT.usage, [words('cli.too_few', { action: name }), usage]);
  if (given > most) refuse(EXIT.usage, [words('cli.too_many', { action: name }), usage]);
  const typed = Object.keys(context.values.options).filter((option) => !GLOBAL.includes(option));
  const foreign = typed.find((option) => !options.includes(option));
  if (foreign !== undefined)
    refuse(EXIT.usage, [
      words('cli.not_taken', { option: `--${foreign}`, command: `baton ${command} ${name}` }),
      usage,
    ]);
  const missing = needs.find((option) => !typed.includes(option));
  if (missing !== undefined) {
    const allowed = values[missing];
    const hint = allowed ? `${words('cli.allowed')}: ${allowed.join(', ')}` : usage;
    refuse(EXIT.usage, [words('cli.option_needed', { option: `--${missing}` }), hint]);
  }
  for (const option of typed) {
    const bad = typedValues(context, option).find((value) => values[option]?.includes(value) === false);
    if (bad !== undefined) refuse(EXIT.usage, badValueLines(`--${option}`, bad, values[option] ?? [], words));
  }
}

/** Options of every command. They do not belong to an action. */
const GLOBAL = ['json', 'no-color', 'version', 'no-input'];

/** An option's values, whether it may be repeated or not. */
export function typedValues(context: Context, option: string): readonly string[] {
  const one = optionText(context, option);
  return one === null ? optionList(context, option) : [one];
}
