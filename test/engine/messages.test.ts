import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { type EngineMessageId, engineMessages } from '../../src/engine/messages.ts';
import { argumentsOf } from '../support/message-arguments.ts';

const ids = Object.keys(engineMessages.en) as EngineMessageId[];

describe('messages of the engine', () => {
  test('Korean has exactly the ids of English', () => {
    expect(Object.keys(engineMessages.ko).sort()).toEqual([...ids].sort());
  });

  test('a translation takes the same arguments', () => {
    const differing = ids.filter(
      (id) => argumentsOf(engineMessages.en[id]).join() !== argumentsOf(engineMessages.ko[id]).join(),
    );
    expect(differing).toEqual([]);
  });

  test.each(['en', 'ko'] as const)('every text in %s renders, and keeps what it was given', (lang) => {
    for (const id of ids) {
      const text = engineMessages[lang][id];
      const names = argumentsOf(text, true);
      const chosen = Object.fromEntries(argumentsOf(text).map((name) => [name, 2]));
      const values = { ...chosen, ...Object.fromEntries(names.map((name) => [name, `<${name}>`])) };
      const rendered = String(new IntlMessageFormat(text, lang).format(values));
      expect(rendered.trim(), id).not.toBe('');
      expect(
        names.filter((name) => !rendered.includes(`<${name}>`)),
        id,
      ).toEqual([]);
    }
  });
});
