import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { type EngineMessageId, engineMessages } from '../../src/engine/messages.ts';

const ids = Object.keys(engineMessages.en) as EngineMessageId[];

interface Part {
  readonly type: number;
  readonly value?: string;
  readonly options?: Readonly<Record<string, { readonly value: readonly Part[] }>>;
}
/** Kinds of parts in a parsed message: plain `{name}`, select and plural. */
const [PLAIN, SELECT, PLURAL] = [1, 5, 6];

/** Names a text takes; `shown` leaves out those that only choose between wordings. */
function argumentsOf(text: string, shown = false): string[] {
  const walk = (parts: readonly Part[]): string[] =>
    parts.flatMap((part) => {
      const chooses = part.type === SELECT || part.type === PLURAL;
      const own = part.type === PLAIN || (chooses && !shown) ? [part.value ?? ''] : [];
      return [...own, ...Object.values(part.options ?? {}).flatMap(({ value }) => walk(value))];
    });
  return [...new Set(walk(new IntlMessageFormat(text, 'en').getAst() as Part[]))].sort();
}

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
