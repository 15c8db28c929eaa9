import { readdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Ending } from './record-stage.ts';

const RECORDED = path.join(import.meta.dirname, 'recorded');
const folders = readdirSync(RECORDED, { withFileTypes: true }).filter((entry) => entry.isDirectory());

describe.each(folders.map(({ name }) => name))('what %s said', (program) => {
  const files = readdirSync(path.join(RECORDED, program)).filter((file) => file.endsWith('.jsonl'));
  const read = (file: string) => readFileSync(path.join(RECORDED, program, file), 'utf8');
  const endings = JSON.parse(read('endings.json')) as Record<string, Ending>;

  test('every stream stands beside its ending', () => {
    expect(files.map((file) => file.replace('.jsonl', '')).sort()).toEqual(Object.keys(endings).sort());
  });

  test.each(files)('%s is lines of JSON', (file) => {
    const lines = read(file).split('\n').slice(0, -1);
    for (const line of lines) expect(JSON.parse(line)).toEqual(expect.any(Object));
  });

  test.each([...files, 'endings.json'])('%s names no folder of the machine it was recorded on', (file) => {
    const text = read(file);
    for (const location of [`${homedir()}/`, `${tmpdir()}/tree-`, '/.cache/'])
      expect(text).not.toContain(location);
    expect(text, 'nor of any other').not.toMatch(/(?<![\w.~/-])\/(home|root|Users|tmp|var|opt|work|mnt)\//);
  });
});
