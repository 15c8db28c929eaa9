import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why this machine cannot mount, or null when it can: some tests need a small or a read-only file system. */
export function mountRefusal(): string | null {
  const dir = mkdtempSync(join(tmpdir(), 'baton-mount-'));
  try {
    const tried = mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir);
    if (tried === null) unmount(dir);
    return tried;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** Runs `mount` and gives back what it complained about. */
export function mount(...args: string[]): string | null {
  return run('mount', args);
}

export function unmount(dir: string): void {
  const complaint = run('umount', [dir]);
  if (complaint !== null) throw new Error(complaint);
}

function run(program: string, args: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? null : (error?.message ?? stderr.trim());
}
