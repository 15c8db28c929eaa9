import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/engine/canonical-json.ts';

describe('canonical JSON', () => {
  test.each([
    ['keys are sorted at every depth', { b: 1, a: { d: [], c: null } }, '{"a":{"c":null,"d":[]},"b":1}'],
    ['keys sort by code unit, not as numbers', { 9: 1, 10: 2, B: 3, a: 4 }, '{"10":2,"9":1,"B":3,"a":4}'],
    ['undefined properties are left out', { b: undefined, a: 1 }, '{"a":1}'],
    ['minus zero is zero', [-0, 1.5, 1e21], '[0,1.5,1e+21]'],
    [
      'what JSON escapes is escaped',
      { 'a"b': 'x\n\\\u0001\ud800한' },
      '{"a\\"b":"x\\n\\\\\\u0001\\ud800한"}',
    ],
    ['scalars stand alone', 'x', '"x"'],
    ['an object without prototype is plain', Object.assign(Object.create(null), { a: true }), '{"a":true}'],
  ])('%s', (_sentence, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test.each([
    ['NaN', Number.NaN],
    ['infinity', { a: [Number.NEGATIVE_INFINITY] }],
    ['a function', { a: () => 1 }],
    ['a symbol', [Symbol('x')]],
    ['a bigint', 1n],
    ['undefined alone', undefined],
    ['undefined in a list', [undefined]],
    ['a hole', Array(1)],
    ['a Map', new Map([['a', 1]])],
    ['a date', { at: new Date(0) }],
  ])('%s is refused', (_sentence, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  test('it reads back as the same value, whatever the order and number of keys', () => {
    const json = fc.jsonValue({ noUnicodeString: false });
    fc.assert(
      fc.property(fc.oneof(json, fc.dictionary(fc.string(), json, { minKeys: 45, maxKeys: 60 })), (value) => {
        const text = canonicalJson(value);
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(text)).toEqual(plain);
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(sortedEverywhere(text)).toBe(true);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
}

/** Reads the keys from the text itself: a parser puts number-like keys into an order of its own. */
function sortedEverywhere(text: string): boolean {
  const open: (string | null)[] = [];
  let depthIsSorted = true;
  for (const [token, key] of text.matchAll(/[{}]|("(?:[^"\\]|\\.)*"):|"(?:[^"\\]|\\.)*"/g)) {
    if (token === '{') open.push(null);
    else if (token === '}') open.pop();
    else if (key !== undefined) {
      const name = JSON.parse(key) as string;
      const before = open.at(-1) ?? null;
      if (before !== null && before >= name) depthIsSorted = false;
      open[open.length - 1] = name;
    }
  }
  return depthIsSorted;
}
