import { describe, expect, test } from 'vitest';
import { createTranslator } from '../../src/runtime/translate.ts';
import { cliTexts, texts } from '../../src/texts.ts';
import { argumentsOf } from '../support/message-arguments.ts';
import { AREAS, catalogue } from '../support/texts.ts';

/** Every name a pattern asks for, with a value that fits a text, a choice and a plural. */
function argsOf(pattern: string): Record<string, number> {
  return Object.fromEntries([...pattern.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, name]) => [name, 2]));
}

describe.each(AREAS)('messages of %s', (area) => {
  test.each(['en', 'ko'] as const)('every one of them can be said in %s, angle brackets included', (lang) => {
    const t = createTranslator(texts, lang);
    for (const [msg, pattern] of Object.entries(catalogue(lang, area))) {
      const said = t({ msg, args: argsOf(pattern) });
      expect(said, msg).not.toBe('');
      expect(said.match(/<[^>]+>/g) ?? [], msg).toEqual(pattern.match(/<[^>]+>/g) ?? []);
    }
  });
});

test('the command line adds its command to a text, which stays without it elsewhere', () => {
  const rejection = { msg: 'engine.rejection.no_such_run', args: { run: 'sp-1' } };
  expect(createTranslator(texts, 'en')(rejection)).toBe('There is no run "sp-1" here.');
  expect(createTranslator(cliTexts, 'en')(rejection)).toMatch(/^There is no run "sp-1" here\. baton list/);
});

test.each(['en', 'ko'] as const)(
  'the command line can say every message it adds a command to, in %s',
  (lang) => {
    const t = createTranslator(cliTexts, lang);
    for (const [msg, pattern] of Object.entries(catalogue(lang, 'cli-commands'))) {
      const names = [pattern, texts.message(msg, lang) ?? ''].flatMap((text) => argumentsOf(text));
      const args = Object.fromEntries(names.map((name) => [name, 2]));
      expect(t({ msg, args }), msg).not.toMatch(/^$|[{}]/);
    }
  },
);
