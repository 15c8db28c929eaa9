import type { Command as Commander, Option } from 'commander';
import type { SpokenLang } from '../../contract/lang.ts';
import type { CommandDefinition, OptionDefinition } from './command-definition.ts';
import { COMMANDS } from './command-table.ts';
import type { Values } from './context.ts';
import { type HelpId, type HelpText, helpFor } from './help-messages.ts';
import { type Words, wordsFor } from './messages.ts';
import { widthOf } from './width.ts';

/** Identifies the parser's error about an option given twice. The displayed text is ours. */
export const TWICE = 'Given twice.';

type Library = Pick<typeof import('commander'), 'Command' | 'Option' | 'InvalidArgumentError'>;

interface Speaking {
  readonly words: Words;
  readonly help: HelpText;
}

/** The parser of the whole command line, with its help in `lang`. `take` receives the parsed command. */
export function buildParser(
  library: Library,
  lang: SpokenLang,
  take: (name: string, values: Values) => void,
): Commander {
  const speaking = { words: wordsFor(lang), help: helpFor(lang) };
  const { help } = speaking;
  const program = new library.Command('baton')
    .description(help('about'))
    .configureHelp(helpLayout(speaking))
    .helpOption('-h, --help', help('help'))
    .helpCommand('help [command]', help('help_command'))
    .option('--json', help('json'))
    .option('--no-color', help('no_color'))
    .option('-v, --version', help('version'));
  for (const definition of COMMANDS) {
    addCommand(program, definition, { library, speaking, take: (values) => take(definition.name, values) });
  }
  return program;
}

/** The messages that replace the library's own headings. */
const TITLES: Readonly<Record<string, HelpId>> = {
  'Usage:': 'title.usage',
  'Arguments:': 'title.arguments',
  'Options:': 'title.options',
  'Global Options:': 'title.global_options',
  'Commands:': 'title.commands',
};

function helpLayout({ words, help }: Speaking) {
  return {
    showGlobalOptions: true,
    // Without `[options]` the list leaves room for the descriptions on 80 columns.
    subcommandTerm: (command: Commander) =>
      `${command.name()} ${command.usage().replace('[options]', '')}`.replace(/ +/g, ' ').trim(),
    optionDescription: ({ description, argChoices }: Option) =>
      argChoices ? `${description} (${words.allowed}: ${argChoices.join(', ')})` : description,
    styleTitle: (title: string) => {
      const id = TITLES[title];
      return id ? help(id) : title;
    },
    displayWidth: widthOf,
  };
}

interface Adding {
  readonly library: Library;
  readonly speaking: Speaking;
  readonly take: (values: Values) => void;
}

function addCommand(program: Commander, definition: CommandDefinition, adding: Adding): void {
  const { help } = adding.speaking;
  const command = program
    .command(definition.name)
    .description(help(definition.says))
    .helpOption('-h, --help', help('help'));
  if (definition.alias) command.alias(definition.alias);
  for (const arg of definition.args) command.argument(arg.name, help(arg.says));
  for (const option of definition.options) command.addOption(buildOption(option, adding));
  command.action(() => {
    adding.take({ positionals: [...command.args], options: command.optsWithGlobals() });
  });
}

function buildOption(definition: OptionDefinition, { library, speaking }: Adding): Option {
  const { allowed, also } = definition;
  const { words, help } = speaking;
  const note = also ? `; ${words.also_taken(also.join(', '))}` : '';
  const option = new library.Option(definition.flags, `${help(definition.says)}${note}`);
  if (allowed) option.choices(allowed);
  // If an option is given twice, neither value is clearly the intended one.
  option.argParser((value: string, before: string | boolean | undefined) => {
    if (typeof before === 'string') throw new library.InvalidArgumentError(TWICE);
    if (!allowed || allowed.includes(value) || also?.includes(value)) return value;
    throw new library.InvalidArgumentError(`Allowed choices are ${allowed.join(', ')}.`);
  });
  if (definition.many) {
    option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  }
  return option;
}
