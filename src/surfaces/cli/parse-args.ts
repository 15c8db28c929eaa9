import type { Command as Commander, CommanderError, Option } from 'commander';
import { badValueLines } from './bad-value.ts';
import type { CommandDefinition, OptionDefinition } from './command-definition.ts';
import { COMMANDS } from './command-table.ts';
import type { Values } from './context.ts';
import type { Words } from './messages.ts';

export type Parsed =
  | { readonly kind: 'command'; readonly name: string; readonly values: Values }
  /** `asked` is false when no command was given at all. */
  | { readonly kind: 'help'; readonly text: string; readonly asked: boolean }
  | { readonly kind: 'usage'; readonly lines: readonly string[] };

/**
 * Reads the command line. Pure but for loading the parser: nothing is opened, created or printed. A misspelt command
 * or option is a usage error with what was probably meant.
 */
export async function parseArgs(argv: readonly string[], words: Words): Promise<Parsed> {
  const commander = await import('commander');
  const said: string[] = [];
  let taken: { name: string; values: Values } | null = null;
  const program = new commander.Command('baton');
  program
    .description('Carries work by coding agents from an idea to a merged change. You hold the gates.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => said.push(text), writeErr: () => undefined })
    // Without options in it the list leaves room for what each command says on 80 columns.
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace('[options]', '')}`.replace(/ +/g, ' ').trim(),
    })
    .helpCommand('help [command]', 'what a command takes')
    .option('--json', 'print JSON for machines; never ask anything')
    .option('--no-color', 'no colours')
    .option('-v, --version', 'print the version');
  for (const definition of COMMANDS) {
    addCommand(program, definition, commander, (values) => {
      taken = { name: definition.name, values };
    });
  }
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof commander.CommanderError)) throw error;
    if (error.code === 'commander.help') return onHelp(program, { argv, said }, words);
    return onError(error, { argv, said }, words);
  }
  return asParsed(taken, program);
}

/**
 * The exit code of the library's error is no sign: it takes what the process would end with. Help that was asked for
 * is written out; help for a command there is not is refused like that command.
 */
function onHelp(
  program: Commander,
  { argv, said }: { readonly argv: readonly string[]; readonly said: readonly string[] },
  words: Words,
): Parsed | Promise<Parsed> {
  if (said.length > 0) return { kind: 'help', text: said.join(''), asked: true };
  if (argv[0] === 'help' && argv.length > 1) return parseArgs(argv.slice(1), words);
  return { kind: 'help', text: program.helpInformation(), asked: false };
}

function asParsed(taken: { name: string; values: Values } | null, program: Commander): Parsed {
  return taken
    ? { kind: 'command', ...taken }
    : { kind: 'help', text: program.helpInformation(), asked: false };
}

type Library = Pick<typeof import('commander'), 'Option' | 'InvalidArgumentError'>;

function addCommand(
  program: Commander,
  definition: CommandDefinition,
  library: Library,
  take: (values: Values) => void,
): void {
  const command = program.command(definition.name).description(definition.says);
  if (definition.alias) command.alias(definition.alias);
  for (const arg of definition.args) command.argument(arg.name, arg.says);
  for (const option of definition.options) command.addOption(buildOption(option, library));
  command.action(() => {
    take({ positionals: [...command.args], options: command.optsWithGlobals() });
  });
}

function buildOption(definition: OptionDefinition, library: Library): Option {
  const { allowed, also = [] } = definition;
  const option = new library.Option(definition.flags, definition.says);
  if (allowed) option.choices(allowed);
  // Of two values neither is the one that is meant.
  option.argParser((value: string, before: string | boolean | undefined) => {
    if (typeof before === 'string') throw new library.InvalidArgumentError(TWICE);
    if (!allowed || allowed.includes(value) || also.includes(value)) return value;
    throw new library.InvalidArgumentError(`Allowed choices are ${allowed.join(', ')}.`);
  });
  if (definition.many) {
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  }
  return option;
}

/** How the parser's error is known again; what is shown is ours. */
const TWICE = 'Given twice.';

interface Given {
  readonly argv: readonly string[];
  readonly said: readonly string[];
}

function onError(error: CommanderError, { argv, said }: Given, words: Words): Parsed {
  if (error.exitCode === 0) return { kind: 'help', text: said.join(''), asked: true };
  const choice = /option '(--[\w-]+)[^']*' argument '(.*)' is invalid\. Allowed choices are (.*)\./s.exec(
    error.message,
  );
  if (choice) return { kind: 'usage', lines: choiceLines(choice, words) };
  const twice = error.message.endsWith(TWICE) ? /option '(--[\w-]+)/.exec(error.message)?.[1] : undefined;
  if (twice) return { kind: 'usage', lines: [words.given_twice(twice), words.more_help] };
  const allowed = error.code === 'commander.unknownOption' ? optionLines(argv, words) : [];
  return { kind: 'usage', lines: [...saidInWords(error, words), ...allowed, words.more_help] };
}

/** What the parser says about a thing it quotes, by its code. */
const SAID: Readonly<Record<string, (words: Words) => (name: string) => string>> = {
  'commander.missingArgument': (words) => words.missing_argument,
  'commander.optionMissingArgument': (words) => words.missing_value,
  'commander.unknownOption': (words) => words.unknown_option,
  'commander.unknownCommand': (words) => words.unknown_command,
  'commander.excessArguments': (words) => words.too_many_arguments,
};

/** The parser's error in our words; one that has none stays as it is. */
function saidInWords({ code, message }: CommanderError, words: Words): string[] {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n');
  const quoted = /'([^']*)'/.exec(first)?.[1];
  const near = /Did you mean (?:one of )?(.*)\?\)?$/.exec(rest.join(' '))?.[1];
  const own = quoted === undefined ? undefined : SAID[code]?.(words)(quoted);
  return [own ?? first, ...(near ? [words.meant_one(near)] : [])];
}

/** The options of the command that was typed; none where no command was. */
function optionLines(argv: readonly string[], words: Words): string[] {
  const definition = COMMANDS.find(
    ({ name, alias }) => argv.includes(name) || (alias && argv.includes(alias)),
  );
  const flags = definition?.options.map((option) => option.flags.split(' ')[0]) ?? [];
  return definition ? [`${words.allowed}: ${[...flags, '--json', '--no-color', '--help'].join(', ')}`] : [];
}

function choiceLines(match: RegExpExecArray, words: Words): string[] {
  const [, option = '', value = '', list = ''] = match;
  const also = COMMANDS.flatMap(({ options }) => options).find(({ flags }) => flags.startsWith(`${option} `));
  const note = also?.also ? [words.also_taken(also.also.join(', '))] : [];
  return [...badValueLines(option, value, list.split(', '), words), ...note];
}
