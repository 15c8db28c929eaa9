import type { Command as Commander, CommanderError } from 'commander';
import type { SpokenLang } from '../../contract/lang.ts';
import { badValueLines } from './bad-value.ts';
import { buildParser, TWICE } from './build-parser.ts';
import type { CommandDefinition } from './command-definition.ts';
import { COMMANDS } from './command-table.ts';
import type { Values } from './context.ts';
import { type Words, wordsFor } from './messages.ts';

export type Parsed =
  | { readonly kind: 'command'; readonly name: string; readonly values: Values }
  /** `asked` is false if no command was given. */
  | { readonly kind: 'help'; readonly text: string; readonly asked: boolean }
  | { readonly kind: 'usage'; readonly lines: readonly string[] };

/**
 * Parses the command line. It loads the parser, but does not open, create or print anything. A misspelt command or
 * option is a usage error that names the probable one. Help and errors are in `lang`.
 */
export async function parseArgs(argv: readonly string[], lang: SpokenLang): Promise<Parsed> {
  const commander = await import('commander');
  const said: string[] = [];
  let taken: { name: string; values: Values } | null = null;
  const program = buildParser(commander, lang, (name, values) => {
    taken = { name, values };
  });
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => said.push(text), writeErr: () => undefined });
  }
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof commander.CommanderError)) throw error;
    if (error.code === 'commander.help') return onHelp(program, { argv, said }, lang);
    return onError(error, { argv, said }, wordsFor(lang));
  }
  return asParsed(taken, program);
}

/**
 * The exit code of the library's error is not a reliable sign: it is the code the process would end with. Requested
 * help is printed. Help for an unknown command is refused like that command.
 */
function onHelp(program: Commander, { argv, said }: ParsedArgs, lang: SpokenLang): Parsed | Promise<Parsed> {
  if (said.length > 0) return { kind: 'help', text: said.join(''), asked: true };
  if (argv[0] === 'help' && argv.length > 1) return parseArgs(argv.slice(1), lang);
  return { kind: 'help', text: program.helpInformation(), asked: false };
}

function asParsed(taken: { name: string; values: Values } | null, program: Commander): Parsed {
  return taken
    ? { kind: 'command', ...taken }
    : { kind: 'help', text: program.helpInformation(), asked: false };
}

interface ParsedArgs {
  readonly argv: readonly string[];
  readonly said: readonly string[];
}

function onError(error: CommanderError, { argv, said }: ParsedArgs, words: Words): Parsed {
  if (error.exitCode === 0) return { kind: 'help', text: said.join(''), asked: true };
  const choice = /option '(--[\w-]+)[^']*' argument '(.*)' is invalid\. Allowed choices are (.*)\./s.exec(
    error.message,
  );
  if (choice) return { kind: 'usage', lines: choiceLines(choice, words) };
  const twice = error.message.endsWith(TWICE) ? /option '(--[\w-]+)/.exec(error.message)?.[1] : undefined;
  const definition = definitionOf(argv);
  const more = words.more_help(definition?.name);
  if (twice) return { kind: 'usage', lines: [words.given_twice(twice), more] };
  const expected = EXPECTED[error.code]?.(definition, words) ?? [];
  return { kind: 'usage', lines: [...saidInWords(error, words), ...expected, more] };
}

/** Our text for each parser error that quotes a thing, by error code. */
const SAID: Readonly<Record<string, (words: Words) => (name: string) => string>> = {
  'commander.missingArgument': (words) => words.missing_argument,
  'commander.optionMissingArgument': (words) => words.missing_value,
  'commander.unknownOption': (words) => words.unknown_option,
  'commander.unknownCommand': (words) => words.unknown_command,
  'commander.excessArguments': (words) => words.too_many_arguments,
};

/** The parser's error in our words. An error without such words stays unchanged. */
function saidInWords({ code, message }: CommanderError, words: Words): string[] {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n');
  const quoted = /'([^']*)'/.exec(first)?.[1];
  const near = /Did you mean (?:one of )?(.*)\?\)?$/.exec(rest.join(' '))?.[1];
  const own = quoted === undefined ? undefined : SAID[code]?.(words)(quoted);
  return [own ?? first, ...(near ? [words.meant_one(near)] : [])];
}

/** The definition of the typed command, if it exists. */
function definitionOf(argv: readonly string[]): CommandDefinition | undefined {
  return COMMANDS.find(({ name, alias }) => argv.includes(name) || (alias && argv.includes(alias)));
}

/** The options or arguments the command accepts, by the code of the parser's error. */
const EXPECTED: Readonly<
  Record<string, (definition: CommandDefinition | undefined, words: Words) => string[]>
> = {
  'commander.unknownOption': (definition, words) => {
    const flags = definition?.options.map((option) => option.flags.split(' ')[0]) ?? [];
    return definition ? [`${words.allowed}: ${[...flags, '--json', '--no-color', '--help'].join(', ')}`] : [];
  },
  'commander.missingArgument': (definition, words) =>
    definition
      ? [words.usage(['baton', definition.name, ...definition.args.map(({ name }) => name)].join(' '))]
      : [],
};

function choiceLines(match: RegExpExecArray, words: Words): string[] {
  const [, option = '', value = '', list = ''] = match;
  const also = COMMANDS.flatMap(({ options }) => options).find(({ flags }) => flags.startsWith(`${option} `));
  const note = also?.also ? [words.also_taken(also.also.join(', '))] : [];
  return [...badValueLines(option, value, list.split(', '), words), ...note];
}
