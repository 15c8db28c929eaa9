import {
  COMMANDS,
  type CommandDefinition,
  GLOBAL,
  type OptionDefinition,
  ownOptions,
} from './command-table.ts';
import { pad, widthOf, wrap } from './width.ts';
import type { HelpId, Words } from './words.ts';

type Row = readonly [term: string, text: string];

/** What `--help` prints: for one command, or for `baton` itself. */
export function helpText(definition: CommandDefinition | undefined, words: Words, columns: number): string {
  const help = (id: HelpId) => words(`cli.help.${id}`);
  const optionRow = ({ form, says, allowed, also }: OptionDefinition): Row => {
    const note = also ? `; ${words('cli.also_taken', { values: also.join(', ') })}` : '';
    const choices = allowed ? ` (${words('cli.allowed')}: ${allowed.join(', ')})` : '';
    return [form, `${help(says)}${note}${choices}`];
  };
  const argRow = ([form, says]: [string, HelpId]): Row => [form.replace(/[<>[\].]/g, ''), help(says)];
  const commandRow = ({ name, args }: CommandDefinition): Row => [formOf(name, args), help(name)];
  const sections: readonly [HelpId, readonly Row[]][] = [
    ['title.arguments', Object.entries(definition?.args ?? {}).map(argRow)],
    ['title.options', ownOptions(definition).map(optionRow)],
    ['title.global_options', definition ? GLOBAL.map(optionRow) : []],
    [
      'title.commands',
      definition ? [] : [...COMMANDS.map(commandRow), ['help [command]', help('help_command')]],
    ],
  ];
  const column = Math.max(...sections.flatMap(([, rows]) => rows.map(([term]) => widthOf(term))));
  const hang = ' '.repeat(column + 4);
  const name = definition?.alias ? `${definition.name}|${definition.alias}` : definition?.name;
  const usage = name ? formOf(`${name} [options]`, definition?.args) : '[options] [command]';
  const parts = [
    [`${help('title.usage')} baton ${usage}`],
    wrap(help(definition?.name ?? 'about'), columns),
    ...sections
      .filter(([, rows]) => rows.length > 0)
      .map(([title, rows]) => [
        help(title),
        ...rows.flatMap(([term, text]) => wrap(`  ${pad(term, column)}  ${text}`, columns, hang)),
      ]),
  ];
  return parts.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

function formOf(name: string, args: CommandDefinition['args'] = {}): string {
  return [name, ...Object.keys(args)].join(' ');
}
