import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import ts from 'typescript';
import { SPOKEN } from '../src/contract/lang.ts';
import { COMMANDS, ownOptions } from '../src/surfaces/cli/command-table.ts';
import { reportProblems } from './report-problems.ts';

type Catalogue = Readonly<Record<string, string>>;

/** Only these may name a command or an option: other surfaces have none. */
const CLI = ['cli', 'cli-commands'];
/** Texts of a state, read with their ids by one module that checks them. */
const STORED = 'stored';

const areas = globSync('src/messages/en/*.json').map((file) => basename(file, '.json'));
const read = (lang: string, area: string): Catalogue =>
  JSON.parse(readFileSync(`src/messages/${lang}/${area}.json`, 'utf8'));
const inAll = (lang: string, wanted: readonly string[]): Catalogue =>
  Object.assign({}, ...wanted.map((area) => read(lang, area)));
const english = inAll(
  'en',
  areas.filter((area) => area !== 'cli-commands' && area !== STORED),
);
const commandTexts = read('en', 'cli-commands');

const problems = [...SPOKEN.flatMap(namedCommands), ...SPOKEN.flatMap(differences), ...codeProblems()];
reportProblems(
  'messages',
  problems,
  `${Object.keys(english).length} texts in ${SPOKEN.length} languages read`,
);

/** Commands and options in a catalogue that every surface uses. */
function namedCommands(lang: string): string[] {
  const names = COMMANDS.flatMap(({ name, alias }) => [name, ...(alias ? [alias] : [])]);
  const flags = [...new Set(COMMANDS.flatMap((command) => ownOptions(command).map(({ name }) => name)))];
  const named = new RegExp(`\\bbaton (${names.join('|')})\\b|(?<![\\w-])--(${flags.join('|')})(?![\\w-])`);
  return areas
    .filter((area) => !CLI.includes(area))
    .flatMap((area) => Object.entries(read(lang, area)))
    .flatMap(([id, text]) => {
      const command = named.exec(text)?.[0];
      return command ? [`${lang}: ${id} names "${command}": move it to cli-commands.json`] : [];
    });
}

/** Ids and arguments that differ from English, and texts of the command line for a message that does not exist. */
function differences(lang: string): string[] {
  return areas.flatMap((area) => {
    const [own, other] = [read('en', area), read(lang, area)];
    const ids = [...new Set([...Object.keys(own), ...Object.keys(other)])];
    return ids.flatMap((id) => {
      const [here, there] = [own[id], other[id]];
      if (here === undefined || there === undefined) return [`${id} is only in one of en and ${lang}`];
      if (area === 'cli-commands' && english[id] === undefined)
        return [`${lang}: ${id} is no other text's id`];
      const same = argumentsOf(here).join() === argumentsOf(there).join();
      return same ? [] : [`${lang}: ${id} has other arguments than in English`];
    });
  });
}

/** Ids that no code uses, and arguments that a text lacks or does not use. */
function codeProblems(): string[] {
  const used = new Set<string>();
  const patterns: RegExp[] = [];
  const found: string[] = [];
  for (const file of globSync('src/**/*.ts')) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node)) used.add(node.text);
      if (ts.isTemplateExpression(node)) patterns.push(...patternOf(node));
      if (ts.isCallExpression(node)) found.push(...wrongArguments(node, file));
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  const unused = Object.keys(english).filter(
    (id) => !used.has(id) && !patterns.some((pattern) => pattern.test(id)),
  );
  return [...unused.map((id) => `${id} is not used by any code`), ...found];
}

/** The ids that a template can become. A template without a word at its start or end can become anything. */
function patternOf({ head, templateSpans }: ts.TemplateExpression): RegExp[] {
  const parts = [head.text, ...templateSpans.map(({ literal }) => literal.text)];
  const last = parts.at(-1) ?? '';
  if (!/^[a-z]+\./.test(head.text) && !(head.text === '' && /^\.[a-z_]{4,}$/.test(last))) return [];
  const escaped = parts.map((part) => part.replace(/[^\w]/g, '\\$&'));
  return [new RegExp(`^${escaped.join('[\\w.-]+')}$`)];
}

/** `say('id', { name })`: the names must be those of the text. */
function wrongArguments(call: ts.CallExpression, file: string): string[] {
  const [first, second] = call.arguments;
  if (!/(^|\.)(say|warn|words)$/.test(call.expression.getText())) return [];
  if (!first || !ts.isStringLiteral(first)) return [];
  const { text: id } = first;
  const text = english[id];
  if (text === undefined || (second && !ts.isObjectLiteralExpression(second))) return [];
  const properties = second?.properties ?? [];
  if (properties.some(({ name }) => !name || !ts.isIdentifier(name))) return [];
  const given = properties.map(({ name }) => name?.getText() ?? '');
  const taken = argumentsOf(text);
  const used = [...taken, ...argumentsOf(commandTexts[id] ?? '')];
  return [
    ...taken.filter((name) => !given.includes(name)).map((name) => `${file}: ${id} lacks '${name}'`),
    ...given.filter((name) => !used.includes(name)).map((name) => `${file}: ${id} does not use '${name}'`),
  ];
}

function argumentsOf(text: string): string[] {
  const walk = (parts: readonly MessageFormatElement[]): string[] =>
    parts.flatMap((part) => {
      if (part.type === TYPE.argument) return [part.value];
      if (part.type !== TYPE.select && part.type !== TYPE.plural) return [];
      return [part.value, ...Object.values(part.options).flatMap(({ value }) => walk(value))];
    });
  return [...new Set(walk(parse(text, { ignoreTag: true })))].sort();
}
