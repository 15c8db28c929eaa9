import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OutputItem, parseCheckOutput } from '../../../src/engine/check-output.ts';
import { fingerprintText, itemKeys } from '../../../src/engine/checks/fingerprint.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const item = (text: string, more: Partial<OutputItem> = {}): OutputItem => ({
  kind: 'problem',
  level: 'error',
  file: 'src/a.ts',
  line: 3,
  text,
  name: text,
  ...more,
});

const TEMP = ['', 'tmp'].join('/');

const print = (items: readonly OutputItem[], output = '') =>
  fingerprintText({ items, output, exit: 1, timed_out: false });
const loud = (output: string, exit = 1) => fingerprintText({ items: [], output, exit, timed_out: false });

describe('fingerprint of a failure', () => {
  test('the order of the same failures does not matter', () => {
    const some = fc.array(
      fc.string().map((text) => item(text)),
      { maxLength: 8 },
    );
    const shuffled = some.chain((items) =>
      fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length })),
    );
    fc.assert(fc.property(shuffled, ([a, b]) => print(a) === print(b)));
  });

  test.each([
    ['a number', 'expected 3 to be 4', 'expected 17 to be 4'],
    ['a duration', 'took 0.31s', 'took 12 ms'],
    ['an address', 'object at 0x7fdde91d0ed0', 'object at 0x55aa'],
    ['a passing path', `open ${TEMP}/a1/x.json failed`, `open ${TEMP}/zz/q/y.json failed`],
    ['a time', 'at 2024-01-02T03:04:05.678Z', 'at 2026-11-16 02:44:04'],
    ['an id', 'run 6f9619ff-8b86-d011-b42d-00c04fc964ff', 'run 0b1619ff-8b86-d011-b42d-00c04fc964aa'],
    ['a hash', 'deps/lib1-2606d562ed95c5c3 broke', 'deps/lib1-aa06d562ed95c5c9 broke'],
    ['white space', 'a  b', 'a b'],
  ])('%s does not matter', (_, a, b) => {
    expect(print([item(a)])).toBe(print([item(b)]));
    expect(loud(`error: ${a}`)).toBe(loud(`error: ${b}`));
  });

  test('the line does not matter; the file, the words, the rule and how many there are do', () => {
    const one = print([item('TS2322 no')]);
    expect(print([item('TS2322 no', { line: 99 })])).toBe(one);
    expect(print([item('TS2322 no', { file: 'src/b.ts' })])).not.toBe(one);
    expect(print([item('TS2339 no')])).not.toBe(one);
    expect(print([item('TS2322 yes')])).not.toBe(one);
    expect(print([item('TS2322 no'), item('TS2322 no')])).not.toBe(one);
  });

  test('without items the lines that speak of a failure count, else the last ones', () => {
    expect(loud('doing a\nERROR: no\ndoing b')).toBe(loud('doing c\nERROR: no'));
    expect(loud('error: no')).not.toBe(loud('error: other'));
    expect(loud('step one\nstep two')).not.toBe(loud('step one\nstep three'));
    expect(loud('error: no', 1)).not.toBe(loud('error: no', 2));
  });

  test('two runs of the same failing tests have the same keys, and a new failure has a new one', () => {
    const samples = path.join(import.meta.dirname, 'samples');
    const first = readFileSync(path.join(samples, 'vitest.txt'), 'utf8');
    const again = first
      .replaceAll(':2:58', ':9:1')
      .replaceAll('10ms', '93ms')
      .replaceAll('expected 1', 'expected 7');
    const more = first.replaceAll(' FAIL  test/b.spec.ts > breaks', ' FAIL  test/b.spec.ts > adds');
    const keys = (text: string) => itemKeys(parseCheckOutput(text, '/srv/project').items);
    expect(keys(again)).toEqual(keys(first));
    expect(keys(more).filter((key) => !keys(first).includes(key))).toHaveLength(1);
  });

  test('numbers are part of a test’s name and not of a problem’s message', () => {
    const keyOf = (kind: OutputItem['kind'], text: string) => itemKeys([item(text, { kind })])[0];
    expect(keyOf('test', 'case 1')).not.toBe(keyOf('test', 'case 2'));
    expect(keyOf('problem', 'line too long (130 > 110)')).toBe(keyOf('problem', 'line too long (131 > 110)'));
  });

  test('one more of the same kind has a key of its own', () => {
    const two = itemKeys([item('no-undef x'), item('no-undef x')]);
    expect(new Set(two).size).toBe(2);
    expect(two.slice(0, 1)).toEqual(itemKeys([item('no-undef x')]));
  });

  test('any text has a fingerprint and keys, in time in proportion to its size', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(itemKeys([item(text)])).toHaveLength(1);
        expect(typeof loud(text)).toBe('string');
      }),
    );
    const megabyteOf = (piece: string) => cpuTime(() => loud(piece.repeat(1_000_000 / piece.length)));
    const plain = megabyteOf('a line of plain words\n');
    for (const piece of ['1', 'a1', '0x', '/tmp/', ' ', '11:', '\n', 'error ', '1.'])
      expect(megabyteOf(piece), piece).toBeLessThan(50 * plain);
  });
});
