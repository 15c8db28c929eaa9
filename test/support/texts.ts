import { readFileSync } from 'node:fs';
import type { Text } from '../../src/contract/brief.ts';
import type { SpokenLang } from '../../src/contract/lang.ts';
import type { RoleDefinition } from '../../src/engine/workflow.ts';
import type { Texts } from '../../src/ports/texts.ts';
import { createTranslator, createWords } from '../../src/runtime/translate.ts';
import type { Words } from '../../src/surfaces/cli/words.ts';
import { cliTexts, texts } from '../../src/texts.ts';

/** The files of messages a translator reads. Those of the commands only add to others. */
export const AREAS = ['common', 'cli', 'engine', 'spec', 'approve', 'deliver', 'conduct'];

/** The messages of one file, as they are stored. */
export function catalogue(lang: SpokenLang, area: string): Readonly<Record<string, string>> {
  return JSON.parse(
    readFileSync(new URL(`../../src/messages/${lang}/${area}.json`, import.meta.url), 'utf8'),
  );
}

/** What the command line says. */
export function translator(lang: string): (text: Text) => string {
  return createTranslator(cliTexts, lang);
}

/** The texts of the command line. */
export function wordsFor(lang: string): Words {
  return createWords(cliTexts, lang);
}

/** The texts of the product, and those of a workflow that only tests have. */
export function textsWith(own: Readonly<Record<string, string>>, others: Texts = texts): Texts {
  return {
    message: (id, lang) => own[id] ?? others.message(id, lang),
    prompt: (name, words) =>
      name.startsWith('test/') ? `You are a ${name.slice(5)}.` : texts.prompt(name, words),
  };
}

/** The words with authority of a role. */
export function templateOf(role: Pick<RoleDefinition<never>, 'prompt' | 'words'> | undefined): string {
  return role ? texts.prompt(role.prompt, role.words) : '';
}
