import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseTargets, identity, type Wanted } from '../../src/adapters/processes/choose-targets.ts';
import { parseProcesses } from '../../src/adapters/processes/darwin-table.ts';
import { parseStat } from '../../src/adapters/processes/linux-table.ts';
import type { ProcessInfo } from '../../src/adapters/processes/process-table.ts';
import { limitsFor, tagRange } from '../../src/adapters/processes/process-tag.ts';
import { CUT_SIGN, createLineCutter, tailLines } from '../../src/adapters/processes/start-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-tail-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('lines', () => {
  test('whatever the chunks, the lines are those of the text', () => {
    void fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.array(fc.nat(20)), (parts, cuts) => {
        const bytes = Buffer.from(parts.join('\n'));
        const cutter = createLineCutter(1 << 20);
        const lines: string[] = [];
        let at = 0;
        for (const size of cuts) {
          lines.push(...cutter.push(bytes.subarray(at, at + size)));
          at += size;
        }
        lines.push(...cutter.push(bytes.subarray(at)));
        const rest = cutter.rest();
        if (rest !== null) lines.push(rest);
        const expected = bytes.toString('utf8').split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(lines).toEqual(expected);
      }),
    );
  });

  test('a line that is too long is cut and says so; the next one is whole', () => {
    const cutter = createLineCutter(4);
    expect(cutter.push(Buffer.from('123'))).toEqual([]);
    expect(cutter.push(Buffer.from('456789\n1234\n'))).toEqual([`1234${CUT_SIGN}`, '1234']);
  });

  test('what is written before the end is read, and nothing beyond the total', async () => {
    const file = join(folder, 'out');
    writeFileSync(file, 'one\n');
    const exit = Promise.withResolvers<void>();
    const seen: string[] = [];
    for await (const line of tailLines(file, exit.promise, { line: 100, total: 12 })) {
      seen.push(line);
      if (line === 'one') {
        appendFileSync(file, 'two\nthree, which is too long\n');
        exit.resolve();
      }
    }
    expect(seen).toEqual(['one', 'two']);
  });
});

describe('what a sweep ends', () => {
  const row = (pid: number, ppid: number, more: Partial<ProcessInfo> = {}): ProcessInfo => {
    return { pid, ppid, start: 's', terminal: false, call_id: null, cwd: null, program: 'p', ...more };
  };
  const base = [row(1, 0), row(5, 1, { terminal: true, cwd: '/tree' }), row(6, 5, { cwd: '/tree' })];
  const tags = tagRange('here', 'sp-1');
  const wanted: Wanted = { call_id: 'sp-1', tags, tree: '/tree', known: new Set(), self: 6 };
  const TAGGED = limitsFor(tagRange('here', 'sp-2/1/0.1').from, { file: null, locks: null });
  const LOWERED = { file: 1000n, locks: 1000n };
  const OF_ANOTHER = { file: (TAGGED.file ?? 0n) - 4096n, locks: (TAGGED.locks ?? 0n) - 1n };

  test.each<[string, ProcessInfo[], number[]]>([
    ['a daemon in the tree', [row(9, 1, { cwd: '/tree/a' })], [9]],
    ['not a folder that only begins like the tree', [row(9, 1, { cwd: '/tree2' })], []],
    ["not a person's shell or editor in the tree", [row(9, 1, { cwd: '/tree', terminal: true })], []],
    ['not our own ancestors, even with the mark', [row(5, 1, { call_id: 'sp-1', cwd: '/tree' })], []],
    ['not our own unmarked children', [row(9, 6, { cwd: '/tree' }), row(10, 9, { cwd: '/tree' })], []],
    ['our marked child and its children', [row(9, 6, { call_id: 'sp-1/1/0.1' }), row(10, 9)], [9, 10]],
    [
      'not the call of another run, nor its children',
      [row(9, 1, { call_id: 'sp-2' }), row(10, 9, { cwd: '/tree' })],
      [],
    ],
    ['parents before children, whatever their pids', [row(3, 9), row(9, 1, { call_id: 'sp-1' })], [9, 3]],
    ['a process that lowered its limits and left its parents', [row(9, 1, { limits: LOWERED })], [9]],
    [
      'a process that lowered its limits to the lowest tag',
      [row(9, 1, { limits: { file: 2n ** 61n, locks: 2n ** 61n } })],
      [9],
    ],
    ['not one whose lowered limits only another call can have had', [row(9, 1, { limits: OF_ANOTHER })], []],
    [
      'not a process of another call that lowered its limits',
      [row(9, 1, { limits: TAGGED }), row(10, 9, { limits: LOWERED })],
      [],
    ],
    ['processes that are their own ancestors', [row(9, 10, { call_id: 'sp-1' }), row(10, 9)], [9, 10]],
  ])('%s', (_, rows, pids) => {
    const table = [...base.filter((info) => !rows.some(({ pid }) => pid === info.pid)), ...rows];
    expect(chooseTargets(table, wanted).map(({ pid }) => pid)).toEqual(pids);
  });

  test('a process chosen before stays chosen when its parent is gone, and a reused pid does not', () => {
    const known = new Set([identity(row(9, 8))]);
    expect(chooseTargets([...base, row(9, 1)], { ...wanted, known })).toHaveLength(1);
    expect(chooseTargets([...base, row(9, 1, { start: 'later' })], { ...wanted, known })).toHaveLength(0);
  });
});

describe('the system tables', () => {
  test('a program name with spaces and parentheses does not shift the fields of Linux', () => {
    const rest = 'S 7 8 9 34816 0 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 1 2';
    expect(parseStat(`42 (evil) R 1 (x) ${rest}`)).toEqual({
      ppid: 7,
      terminal: true,
      ticks: '4711',
      program: 'evil) R 1 (x',
    });
    expect(parseStat('42 (gone) Z 7 8 9 0 0 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 1 2')).toBeNull();
    expect(parseStat('')).toBeNull();
  });

  test('on macOS a mark counts in the environment and never among the arguments', () => {
    const since = 'Sat Nov 15 10:00:00 2025';
    const plain = [
      `  10     1 Ss   ??       ${since}     node worker.js`,
      `  11    10 S+   ttys001  ${since}     grep BATON_CALL=sp-1/1/0.1`,
      `  12    10 Z    ??       ${since}     (sleep)`,
    ].join('\n');
    const environment = [
      '  10 node worker.js HOME=/Users/ada BATON_CALL=sp-1/1/0.1 LANG=C',
      '  11 grep BATON_CALL=sp-1/1/0.1 HOME=/Users/ada',
    ].join('\n');
    const directories = 'p10\nfcwd\nn/Users/ada/tree with space\np11\nfcwd\nn/\n';
    expect(parseProcesses({ plain, environment, directories })).toEqual([
      {
        pid: 10,
        ppid: 1,
        start: since,
        terminal: false,
        call_id: 'sp-1/1/0.1',
        cwd: '/Users/ada/tree with space',
        program: 'node',
      },
      { pid: 11, ppid: 10, start: since, terminal: true, call_id: null, cwd: '/', program: 'grep' },
    ]);
  });
});
