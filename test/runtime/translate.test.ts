import { describe, expect, test } from 'vitest';
import { createTranslator } from '../../src/runtime/translate.ts';
import { deliverWorkflow } from '../../src/workflows/deliver/workflow.ts';
import { specWorkflow } from '../../src/workflows/spec/workflow.ts';

/** Every name a pattern asks for, with a value that fits a text, a choice and a plural. */
function argsOf(pattern: string): Record<string, number> {
  return Object.fromEntries([...pattern.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, name]) => [name, 2]));
}

describe.each([specWorkflow, deliverWorkflow])('messages of $name', (def) => {
  test.each(['en', 'ko'] as const)('every one of them can be said in %s, angle brackets included', (lang) => {
    const t = createTranslator(def, lang);
    for (const [msg, pattern] of Object.entries(def.messages[lang])) {
      const said = t({ msg, args: argsOf(pattern) });
      expect(said, msg).not.toBe('');
      expect(said.match(/<[^>]+>/g) ?? [], msg).toEqual(pattern.match(/<[^>]+>/g) ?? []);
    }
  });
});
