import { describe, expect, test } from 'vitest';
import { AREAS, catalogue, translator } from '../support/texts.ts';

/** Every name a pattern asks for, with a value that fits a text, a choice and a plural. */
function argsOf(pattern: string): Record<string, number> {
  return Object.fromEntries([...pattern.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, name]) => [name, 2]));
}

describe.each(AREAS)('messages of %s', (area) => {
  test.each(['en', 'ko'] as const)('every one of them can be said in %s, angle brackets included', (lang) => {
    const t = translator(lang);
    for (const [msg, pattern] of Object.entries(catalogue(lang, area))) {
      const said = t({ msg, args: argsOf(pattern) });
      expect(said, msg).not.toBe('');
      expect(said.match(/<[^>]+>/g) ?? [], msg).toEqual(pattern.match(/<[^>]+>/g) ?? []);
    }
  });
});
