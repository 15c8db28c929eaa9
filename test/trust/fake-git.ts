import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';

/** A program named `git` in front of the real one. */
export interface FakeGit {
  /** PATH on which it comes first. */
  readonly PATH: string;
  /** How often it was called. */
  calls(): number;
}

let folders: string[] = [];
afterEach(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders = [];
});

/** Runs the real git, except for one call: that one runs this shell text instead. Calls are counted from 1. */
export function fakeGit(call: number, instead: string): FakeGit {
  const folder = mkdtempSync(path.join(tmpdir(), 'baton-fake-git-'));
  folders.push(folder);
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const bin = path.join(folder, 'bin');
  const counted = path.join(folder, 'calls');
  mkdirSync(bin);
  writeFileSync(counted, '');
  // Two calls at the same time may get the same number. A folder can be made only once.
  const lines = [
    '#!/bin/sh',
    `printf . >> "${counted}"`,
    `if [ "$(stat -c %s "${counted}")" = "${call}" ] && mkdir "${folder}/failed" 2>/dev/null; then`,
    instead,
    'fi',
    `exec "${real}" "$@"`,
    '',
  ];
  writeFileSync(path.join(bin, 'git'), lines.join('\n'));
  chmodSync(path.join(bin, 'git'), 0o755);
  return {
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    calls: () => statSync(counted).size,
  };
}
