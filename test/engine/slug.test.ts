import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Slug, toSlug, withTimestamp } from '../../src/engine/slug.ts';

const SHAPE = /^[a-z0-9_]+(-[a-z0-9_]+)*$/;
const STAMP = '20261115100000';
const anyTask = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.string({
    unit: fc.constantFrom('-', ' ', '_', 'A', '9', '\ud800', '\n', '한', '—', '😀'),
    maxLength: 120,
  }),
);

describe('slug of a task', () => {
  test.each([
    ['Add a --json flag to the export command', 'add-a-json-flag-to-the-export-command'],
    ['  Rename   photos,\tby date!  ', 'rename-photos-by-date'],
    ['snake_case stays', 'snake_case-stays'],
    ['Größe ändern', 'grosse-andern'],
    ['사진 정리', 'sajin-jeongli'],
    ['-- -- --', 'task-7k2'],
    ['', 'task-7k2'],
    ['！？', 'task-7k2'],
  ])('%j becomes %s', (task, slug) => {
    expect(toSlug(task, '7k2')).toBe(slug);
  });

  test('WF-16 for any unicode task the slug has the stated shape and 1 to 50 characters', () => {
    fc.assert(
      fc.property(anyTask, (task) => {
        const slug = toSlug(task, '7k2');
        expect(slug).toMatch(SHAPE);
        expect(slug.length).toBeGreaterThanOrEqual(1);
        expect(slug.length).toBeLessThanOrEqual(50);
      }),
      { numRuns: 2_000 },
    );
  });

  test('WF-16 fifty characters are kept, and a cut in front of a hyphen leaves none at the end', () => {
    expect(toSlug('a'.repeat(60), '7k2')).toBe('a'.repeat(50));
    expect(toSlug(`${'a'.repeat(49)} bcd`, '7k2')).toBe('a'.repeat(49));
  });
});

describe('slug with a timestamp', () => {
  const long = toSlug(`${'x'.repeat(33)} yy zz`, '7k2');

  test('SP-10 the base is cut to 35 characters and the stamp follows', () => {
    const slug = withTimestamp('a'.repeat(50) as Slug, STAMP, () => false);
    expect(slug).toBe(`${'a'.repeat(35)}-${STAMP}`);
  });

  test('SP-10 the hyphen where a base was cut is not doubled', () => {
    expect(withTimestamp(`${'x'.repeat(34)}-y` as Slug, STAMP, () => false)).toBe(
      `${'x'.repeat(34)}-${STAMP}`,
    );
  });

  test('SP-10 any slug, also a long one, stays a slug of at most 50 characters however many are taken', () => {
    fc.assert(
      fc.property(anyTask, fc.integer({ min: 0, max: 120 }), (task, taken) => {
        let left = taken;
        const slug = withTimestamp(toSlug(task, '7k2'), STAMP, () => left-- > 0);
        expect(slug).toMatch(SHAPE);
        expect(slug.length).toBeLessThanOrEqual(50);
        expect(slug).toContain(STAMP);
      }),
    );
  });

  test('SP-10 collisions in the same second stay distinct', () => {
    const taken = new Set<Slug>([long]);
    for (let i = 0; i < 150; i += 1) taken.add(withTimestamp(long, STAMP, (slug) => taken.has(slug)));
    expect(taken.size).toBe(151);
    expect([...taken].filter((slug) => !SHAPE.test(slug) || slug.length > 50)).toEqual([]);
  });

  test('a stamp of another form and a second without a free name are our bugs', () => {
    expect(() => withTimestamp(long, '2026-11-15', () => false)).toThrow(RangeError);
    expect(() => withTimestamp(long, STAMP, () => true)).toThrow(RangeError);
  });
});
