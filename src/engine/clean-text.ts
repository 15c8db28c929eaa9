/** Complete escape sequences, control characters except tab and newline, bidi controls and zero-width characters. */
const UNSAFE = new RegExp(
  [
    String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])`,
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`,
    String.raw`[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]`,
  ].join('|'),
  'gu',
);

/** Cleans a worker's text for storage. The shown text, the stored text and the hashed text are the same. */
export function cleanText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, '');
}

/** Deeper than any schema accepts. Values below this depth are cut, so that deep nesting cannot overflow the stack. */
const MOST_DEPTH = 100;

/** Cleans every string inside a value, including keys. */
export function cleanValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth === MOST_DEPTH) return null;
  if (Array.isArray(value)) return value.map((inner) => cleanValue(inner, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [cleanText(key), cleanValue(inner, depth + 1)]),
  );
}
