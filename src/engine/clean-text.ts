/** Escape sequences whole, then control characters but tab and newline, then bidi controls and zero-width marks. */
const UNSAFE = new RegExp(
  [
    String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])`,
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`,
    String.raw`[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]`,
  ].join('|'),
  'gu',
);

/** Text of a worker as it may be stored: what is shown is what is stored is what is hashed. */
export function cleanText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, '');
}

/** Deeper than anything a schema takes: what lies below is cut, so that no depth is too much for us. */
const MOST_DEPTH = 100;

/** The same for every string inside a value, keys included. */
export function cleanValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth === MOST_DEPTH) return null;
  if (Array.isArray(value)) return value.map((inner) => cleanValue(inner, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [cleanText(key), cleanValue(inner, depth + 1)]),
  );
}
