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

function catalogueOf(id: string, lang: SpokenLang): Catalogue {
  const word = id.slice(0, id.indexOf('.'));
  const file = path.join(HERE, 'messages', lang, `${AREAS.includes(word) ? word : 'common'}.json`);
  const known = catalogues.get(file) ?? (JSON.parse(readFileSync(file, 'utf8')) as Catalogue);
  catalogues.set(file, known);
  return known;
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
  message: (id, lang) => {
    const catalogue = catalogueOf(id, lang);
    return Object.hasOwn(catalogue, id) ? catalogue[id] : undefined;
  },
  prompt: (name, words = {}) => fillPrompt(name, words),
};
