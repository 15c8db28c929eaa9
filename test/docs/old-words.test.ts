import { describe, expect, test } from 'vitest';
import { isOldFile, longSubjects, oldNames, oldText, segmentsOf } from '../../scripts/old-words.ts';

describe('the check of old words', () => {
  test('refuses a name by one of its words, with file, line and what to write', () => {
    const text = "const a = 1;\nconst lastBeat = { umbrella: a, at_place: 'x' };\n";
    expect(oldNames('src/a.ts', text)).toEqual([
      'src/a.ts:2 lastBeat: write heartbeat',
      'src/a.ts:2 umbrella: write parent_ticket',
      'src/a.ts:2 at_place: write location or context',
    ]);
  });

  test('refuses a name that is gone as a whole, and no name that only contains it', () => {
    expect(oldNames('a.ts', 'type Told = 1; type Keep = 2;')).toHaveLength(2);
    expect(oldNames('a.ts', 'type ToldTwice = 1; type KeepAlive = 2;')).toEqual([]);
  });

  test('reads names only: prose, texts and literals of the contracts stay', () => {
    const text =
      "// a place that rests\nconst cause = 'dial';\nconst { in_place, dial_override } = { inPlace };\n";
    expect(oldNames('a.ts', text)).toEqual([]);
  });

  test.each([
    ['src/runtime/rest.ts', true],
    ['src/adapters/host-git/release-look.ts', true],
    ['src/adapters/workspace/commit/in-place.ts', false],
    ['src/workflows/spec/spec-markdown.ts', false],
    ['src/engine/nearest.ts', false],
  ])('the file name %s is old: %s', (file, isOld) => {
    expect(isOldFile(file)).toBe(isOld);
  });

  test.each([
    ['baton spec "x" --score a.yaml', '--score: write --script'],
    ['# watch_minutes: 10', 'watch_minutes: write attend_minutes'],
    ['{"type":"rest"}', '"type":"rest": write "type":"waiting"'],
    ['the score of a language', null],
    ['--scored', null],
  ])('the text %j: %s', (line, problem) => {
    expect(oldText(line)).toBe(problem);
  });

  test('a commit subject has at most 72 characters', () => {
    expect(longSubjects(['a'.repeat(72)])).toEqual([]);
    expect(longSubjects(['a'.repeat(73)])).toEqual([expect.stringContaining('73 characters')]);
  });

  test('a name is split into words', () => {
    expect(segmentsOf('readHTMLFile_atOnce')).toEqual(['read', 'html', 'file', 'at', 'once']);
  });
});
