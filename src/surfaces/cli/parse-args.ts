import { parseArgs as tokenize } from 'node:util';
import { distance } from '../../engine/nearest.ts';
import { badValueLines } from './bad-value.ts';
import {
  COMMANDS,
  type CommandDefinition,
  GLOBAL,
  type OptionDefinition,
  ownOptions,
} from './command-table.ts';
import type { Values } from './context.ts';
import { EXIT, refuse } from './exit.ts';
import type { Words } from './words.ts';

export type Parsed =
  | { readonly kind: 'command'; readonly definition: CommandDefinition; readonly values: Values }
  /** `asked` is false if no command was given. Without a definition it is the help of `baton` itself. */
  | { readonly kind: 'help'; readonly definition?: CommandDefinition | undefined; readonly asked: boolean };

/** Parses the command line by the table of commands. A misspelt command or option is refused with the probable one. */
export function parseArgs(argv: readonly string[], words: Words): Parsed {
  const at = argv.findIndex((arg) => arg !== '--' && !isGlobal(arg));
  const name = argv[at];
  if (name === undefined) return { kind: 'help', asked: false };
  const rest = argv.toSpliced(at, 1);
  const help = rest.some(isHelp);
  if (name === 'help') return helpFor(rest.slice(at), words);
  if (isHelp(name)) return { kind: 'help', asked: true };
  const definition = commandNamed(name);
  if (definition) return parseCommand(definition, rest, words);
  if (help) return { kind: 'help', asked: true };
  if (!isFlag(name)) return refuseCommand(name, words);
  return refuseOption(
    name,
    { definition: argv.map(commandNamed).find(Boolean), options: ownOptions(undefined) },
    words,
  );
}

function isFlag(arg: string): boolean {
  return arg.length > 1 && arg.startsWith('-');
}

function isGlobal(arg: string): boolean {
  return GLOBAL.some(({ form }) => form.split(', ').includes(arg));
}

function isHelp(arg: string): boolean {
  return arg === '-h' || arg === '--help';
}

function commandNamed(name: string): CommandDefinition | undefined {
  return COMMANDS.find((command) => command.name === name || command.alias === name);
}

/** `baton help spec`. Help for an unknown command is refused like that command. */
function helpFor(topics: readonly string[], words: Words): Parsed {
  const topic = topics.find((arg) => !isFlag(arg) && arg !== 'help');
  const definition = topic === undefined ? undefined : commandNamed(topic);
  if (topic !== undefined && !definition) refuseCommand(topic, words);
  return { kind: 'help', definition, asked: true };
}

type Token = NonNullable<ReturnType<typeof tokenize>['tokens']>[number];

/** The typed arguments of one command, and what is known of them so far. */
interface Reading {
  readonly definition: CommandDefinition;
  readonly options: readonly OptionDefinition[];
  readonly args: readonly string[];
  readonly words: Words;
  readonly positionals: string[];
  readonly values: Record<string, string | boolean | readonly string[]>;
  readonly unknown: string[];
}

function parseCommand(definition: CommandDefinition, args: string[], words: Words): Parsed {
  const options = [...ownOptions(definition), ...GLOBAL];
  const forms = options.map(({ name, short, value }) => {
    const type = value === 'required' ? ('string' as const) : ('boolean' as const);
    return [name, short ? { type, short } : { type }] as const;
  });
  const { tokens = [] } = tokenize({ args, options: Object.fromEntries(forms), strict: false, tokens: true });
  const reading: Reading = { definition, options, args, words, positionals: [], values: {}, unknown: [] };
  for (const [i, token] of tokens.entries()) {
    if (token.kind === 'positional') takeArgument(reading, token, tokens[i - 1]);
    else if (token.kind === 'option') takeOption(reading, token, tokens[i - 1]);
  }
  const { positionals, values, unknown } = reading;
  if (values.help) return { kind: 'help', definition, asked: true };
  if (unknown[0] !== undefined) refuseOption(unknown[0], { definition, options }, words);
  checkCount(definition, positionals, words);
  return { kind: 'command', definition, values: { positionals, options: values } };
}

function takeArgument(
  reading: Reading,
  token: Token & { kind: 'positional' },
  before: Token | undefined,
): void {
  const open = before?.kind === 'option' && !before.inlineValue ? optionOf(reading, before) : undefined;
  if (open?.value === 'optional') takeValue(reading, open, token.value);
  else reading.positionals.push(token.value);
}

function takeOption(reading: Reading, token: Token & { kind: 'option' }, before: Token | undefined): void {
  const { definition, values, words } = reading;
  const { value, inlineValue } = token;
  const option = optionOf(reading, token);
  if (!option || (option.value === 'none' && inlineValue)) takeUnknown(reading, token.index, before);
  else if (value !== undefined && (inlineValue || !isGlobal(value))) takeValue(reading, option, value);
  else if (option.value === 'required')
    refuseUsage(definition, words, words('cli.missing_value', { option: option.form }));
  else values[option.name] ??= true;
}

/** A number below zero is an argument. It has a token for each digit. */
function takeUnknown(
  { args, positionals, unknown }: Reading,
  index: number,
  before: Token | undefined,
): void {
  const typed = args[index] ?? '';
  if (!/^-(\d+|\d*\.\d+)$/.test(typed)) unknown.push(typed);
  else if (before?.index !== index) positionals.push(typed);
}

function optionOf({ options }: Reading, token: Token & { kind: 'option' }): OptionDefinition | undefined {
  return options.find(({ name }) => name === token.name);
}

function takeValue({ definition, values, words }: Reading, option: OptionDefinition, value: string): void {
  const { name, many, allowed, also } = option;
  const before = values[name];
  // If an option is given twice, neither value is clearly the intended one.
  if (typeof before === 'string')
    refuseUsage(definition, words, words('cli.given_twice', { option: `--${name}` }));
  if (allowed && ![...allowed, ...(also ?? [])].includes(value)) {
    const note = also ? [words('cli.also_taken', { values: also.join(', ') })] : [];
    refuse(EXIT.usage, [...badValueLines(`--${name}`, value, allowed, words), ...note]);
  }
  values[name] = many ? [...(Array.isArray(before) ? before : []), value] : value;
}

function checkCount({ name, args = {} }: CommandDefinition, given: readonly string[], words: Words): void {
  const forms = Object.keys(args);
  const missing = forms.find((form, i) => form.startsWith('<') && given[i] === undefined);
  if (missing !== undefined) {
    const usage = words('cli.usage', { form: ['baton', name, ...forms].join(' ') });
    refuse(EXIT.usage, [
      words('cli.missing_argument', { name: missing.replace(/[<>.]/g, '') }),
      usage,
      words('cli.more_help_for', { command: name }),
    ]);
  }
  if (given.length > forms.length && !forms.at(-1)?.includes('...'))
    refuse(EXIT.usage, [
      words('cli.too_many_arguments', { command: name }),
      words('cli.more_help_for', { command: name }),
    ]);
}

function refuseUsage({ name }: CommandDefinition, words: Words, line: string): never {
  return refuse(EXIT.usage, [line, words('cli.more_help_for', { command: name })]);
}

function refuseCommand(name: string, words: Words): never {
  const names = COMMANDS.flatMap((command) => [command.name, command.alias ?? command.name]);
  return refuse(EXIT.usage, [
    words('cli.unknown_command', { command: name }),
    ...meantLines(similar(name, [...names, 'help']), words),
    words('cli.more_help'),
  ]);
}

interface Known {
  readonly definition: CommandDefinition | undefined;
  readonly options: readonly OptionDefinition[];
}

function refuseOption(typed: string, { definition, options }: Known, words: Words): never {
  const names = options.map(({ name }) => name);
  const near = typed.startsWith('--') ? similar(typed.slice(2), names).map((name) => `--${name}`) : [];
  const own = ownOptions(definition).map(({ name }) => `--${name}`);
  const allowed = [...own.filter((flag) => flag !== '--help'), '--json', '--no-color', '--help'].join(', ');
  return refuse(EXIT.usage, [
    words('cli.unknown_option', { option: typed }),
    ...meantLines(near, words),
    ...(definition ? [`${words('cli.allowed')}: ${allowed}`] : []),
    definition ? words('cli.more_help_for', { command: definition.name }) : words('cli.more_help'),
  ]);
}

function meantLines(near: readonly string[], words: Words): string[] {
  return near.length > 0 ? [words('cli.meant_one', { names: near.join(', ') })] : [];
}

/** The most letters that may differ, and the least part of the word that must be right. */
const MOST_SLIPS = 3;
const LEAST_RIGHT = 0.4;

/** The names that were probably meant: all that are equally close. */
function similar(typed: string, names: readonly string[]): string[] {
  const close = [...new Set(names)]
    .filter(({ length }) => Math.abs(length - typed.length) <= MOST_SLIPS)
    .map((name) => ({ name, slips: distance(typed, name), length: Math.max(name.length, typed.length) }))
    .filter(({ slips, length }) => slips <= MOST_SLIPS && (length - slips) / length > LEAST_RIGHT);
  const least = Math.min(...close.map(({ slips }) => slips));
  return close.flatMap(({ name, slips }) => (slips === least ? [name] : [])).sort();
}
