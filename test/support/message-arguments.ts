import { IntlMessageFormat } from 'intl-messageformat';

interface Part {
  readonly type: number;
  readonly value?: string;
  readonly options?: Readonly<Record<string, { readonly value: readonly Part[] }>>;
}
/** Kinds of parts in a parsed message: plain `{name}`, select and plural. */
const [PLAIN, SELECT, PLURAL] = [1, 5, 6];

/** Names a text takes; `shown` leaves out those that only choose between wordings. */
export function argumentsOf(text: string, shown = false): string[] {
  const walk = (parts: readonly Part[]): string[] =>
    parts.flatMap((part) => {
      const chooses = part.type === SELECT || part.type === PLURAL;
      const own = part.type === PLAIN || (chooses && !shown) ? [part.value ?? ''] : [];
      return [...own, ...Object.values(part.options ?? {}).flatMap(({ value }) => walk(value))];
    });
  return [
    ...new Set(walk(new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst() as Part[])),
  ].sort();
}
