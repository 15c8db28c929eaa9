import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SpokenLang } from './contract/lang.ts';
import { InvariantError } from './engine/errors.ts';
import type { Texts } from './ports/texts.ts';

/** Texts are files next to this one: in src, and copied next to the bundle by the build. */
const HERE = path.dirname(fileURLToPath(import.meta.url));

/** The first word of an id names the file of its text. All other ids are in common.json. */
const AREAS = ['cli', 'engine', 'spec', 'approve', 'deliver', 'conduct'];

type Catalogue = Readonly<Record<string, string>>;
const catalogues = new Map<string, Catalogue>();

function findText(area: string, id: string, lang: SpokenLang): string | undefined {
  const file = path.join(HERE, 'messages', lang, `${area}.json`);
  const catalogue = catalogues.get(file) ?? (JSON.parse(readFileSync(file, 'utf8')) as Catalogue);
  catalogues.set(file, catalogue);
  return Object.hasOwn(catalogue, id) ? catalogue[id] : undefined;
}

function findMessage(id: string, lang: SpokenLang): string | undefined {
  const word = id.slice(0, id.indexOf('.'));
  return findText(AREAS.includes(word) ? word : 'common', id, lang);
}

const prompts = new Map<string, string>();

function readPrompt(name: string): string {
  const known = prompts.get(name) ?? readFileSync(path.join(HERE, 'prompts', `${name}.md`), 'utf8').trimEnd();
  prompts.set(name, known);
  return known;
}

function fillPrompt(name: string, words: Readonly<Record<string, string>>): string {
  return readPrompt(name).replace(/\{\{(> )?([\w-]+)\}\}/g, (gap, file, word: string) => {
    if (file) return fillPrompt(path.posix.join(path.posix.dirname(name), word), words);
    const text = words[word];
    if (text === undefined) throw new InvariantError(`nothing fills ${gap} of the prompt '${name}'`);
    return text;
  });
}

export const texts: Texts = {
  message: findMessage,
  prompt: (name, words = {}) => fillPrompt(name, words),
};

/** What the command line says: it names the commands that other texts do not know. `{text}` stands for such a text. */
export const cliTexts: Texts = {
  ...texts,
  message: (id, lang) => {
    const text = findMessage(id, lang);
    return findText('cli-commands', id, lang)?.replace('{text}', () => text ?? '') ?? text;
  },
};
