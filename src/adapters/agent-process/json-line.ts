/** One line of a JSON stream; null for one that is cut off, or is no object: words outside the stream. */
export function parseLine<T extends object>(text: string): T | null {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' ? (line as T | null) : null;
  } catch {
    return null;
  }
}

/** What a table has for a name out of a stream; names like `constructor` are no entries. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
