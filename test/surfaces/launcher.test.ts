import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';

const BIN = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'bin');
const MAIN = `const { greet } = require('./greet-1a.cjs');
console.log(greet(process.argv[3] ?? __filename.slice(__dirname.length)));
process.exit(process.argv[2] === 'nothing' ? 2 : 0);`;

let bases: string[] = [];
afterEach(() => {
  for (const base of bases) rmSync(base, { recursive: true, force: true });
  bases = [];
});

/** The launcher beside a built program of two files. */
function install() {
  const base = mkdtempSync(path.join(tmpdir(), 'baton-launcher-'));
  bases.push(base);
  cpSync(BIN, path.join(base, 'bin'), { recursive: true });
  mkdirSync(path.join(base, 'dist'));
  const write = (name: string, text: string) => writeFileSync(path.join(base, 'dist', name), text);
  const greeting = (word: string) => `exports.greet = (name) => '${word} ' + name;`;
  write('main.cjs', MAIN);
  write('greet-1a.cjs', greeting('hello'));
  const folder = path.join(base, 'cache', 'baton', 'compiled', `${process.version}-${process.arch}`);
  const env = { ...process.env, XDG_CACHE_HOME: path.join(base, 'cache'), NODE_COMPILE_CACHE: '' };
  const run = (...args: string[]) => {
    const argv = [path.join(base, 'bin', 'baton.cjs'), ...args];
    const { stdout, stderr } = spawnSync(process.execPath, argv, { env, encoding: 'utf8' });
    return stdout + stderr;
  };
  return { base, folder, run, write, greeting };
}

describe('the launcher', () => {
  test('keeps what a command compiled and says the same with it', () => {
    const { folder, run } = install();
    expect(run('show', 'Ada')).toBe('hello Ada\n');
    const first = readFileSync(path.join(folder, 'show'));
    expect(run('show', 'Ada')).toBe('hello Ada\n');
    expect(run('show')).toBe('hello /main.cjs\n');
    expect(readFileSync(path.join(folder, 'show')).equals(first)).toBe(true);
    expect(readdirSync(folder)).toEqual(['show']);
  });

  test('adds once a day what was compiled since', () => {
    const { folder, run, write } = install();
    const later = "exports.greet = (name) => (name === 'Ada' ? 'hello ' + name : polite(name));";
    write('greet-1a.cjs', `${later} function polite(name) { return 'good day ' + name; }`);
    run('show', 'Ada');
    const file = path.join(folder, 'show');
    const first = readFileSync(file).length;
    expect(run('show', 'Bob')).toBe('good day Bob\n');
    expect(readFileSync(file).length).toBe(first);
    utimesSync(file, new Date(0), new Date(0));
    expect(run('show', 'Bob')).toBe('good day Bob\n');
    expect(readFileSync(file).length).toBeGreaterThan(first);
  });

  test('takes nothing of another build, though its files are as long', () => {
    const { run, write, greeting } = install();
    expect(run('show', 'Ada')).toBe('hello Ada\n');
    write('main.cjs', MAIN.replace('greet-1a', 'greet-2b'));
    write('greet-2b.cjs', greeting('adieu'));
    expect(run('show', 'Ada')).toBe('adieu Ada\n');
    expect(run('show', 'Ada')).toBe('adieu Ada\n');
  });

  test.each([
    ['cut', (whole: Buffer) => whole.subarray(0, whole.length - 100)],
    ['empty', () => Buffer.alloc(0)],
    ['strange', () => Buffer.from('no cache')],
  ])('compiles again when its cache is %s', (_, damage) => {
    const { folder, run } = install();
    run('show', 'Ada');
    const file = path.join(folder, 'show');
    const whole = readFileSync(file);
    writeFileSync(file, damage(whole));
    expect(run('show', 'Ada')).toBe('hello Ada\n');
    expect(readFileSync(file).length).toBe(whole.length);
  });

  test('works where no cache can be written, and leaves none for what is no command', () => {
    const { base, folder, run } = install();
    expect(run('nothing', 'Ada')).toBe('hello Ada\n');
    expect(() => readdirSync(folder)).toThrow();
    writeFileSync(path.join(base, 'cache'), 'a file in its place');
    expect(run('show', 'Ada')).toBe('hello Ada\n');
  });
});
