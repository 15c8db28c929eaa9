import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mountNameOf, networkFileSystem } from '../../src/adapters/store-sqlite/location.ts';
import { openSqliteStore } from '../../src/adapters/store-sqlite/open.ts';
import { AdapterError } from '../../src/engine/errors.ts';
import type { Store } from '../../src/ports/store.ts';
import { creating, T0 } from '../support/changes.ts';
import { mount, mountRefusal, unmount } from '../support/mounts.ts';

const refusal = mountRefusal();
const needsMount = refusal === null ? '' : ` (skipped: ${refusal})`;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'baton-place-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

function open(file: string, statfs?: (path: string) => { type: number }): Promise<Store> {
  return openSqliteStore({ file, now: () => T0, ...(statfs ? { statfs } : {}) });
}

function codeOf(error: unknown): string {
  if (error instanceof AdapterError) return error.failure.code;
  throw error;
}

describe('a network file system', () => {
  const none = () => null;
  test.each([
    [0x6969, 'nfs'],
    [0xff534d42, 'cifs'],
    [0xfe534d42, 'smb2'],
    [0xfe534d42 | 0, 'smb2'],
    [0x01021997, '9p'],
    [0x5346414f, 'afs'],
    [0x00c36400, 'ceph'],
  ])('is known by its type %i as %s', (type, name) => {
    expect(networkFileSystem(type, none)).toBe(name);
  });

  test.each([
    ['ext4', 0xef53],
    ['tmpfs', 0x01021994],
    ['btrfs', 0x9123683e],
    ['xfs', 0x58465342],
    ['overlayfs', 0x794c7630],
  ])('is not %s', (_name, type) => {
    expect(networkFileSystem(type, none)).toBeNull();
  });

  test('behind FUSE is known by the name of its mount', () => {
    const mountinfo = [
      '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
      '40 22 0:41 / /mnt/ann/far rw shared:2 - fuse.sshfs ann@far: rw',
      '41 22 0:42 / /mnt/ann/my\\040box rw - fuse.fuse-overlayfs overlay rw',
    ].join('\n');
    const fuse = 0x65735546;
    const on = (path: string) => networkFileSystem(fuse, () => mountNameOf(mountinfo, path));
    expect(on('/mnt/ann/far/state')).toBe('fuse.sshfs');
    expect(on('/mnt/ann/my box/state')).toBeNull();
    expect(mountNameOf(mountinfo, '/mnt/ann/farther')).toBe('ext4');
    expect(networkFileSystem(fuse, none)).toBeNull();
  });

  test('is refused before a file is made on it', async () => {
    const file = join(dir, 'baton.db');
    const error = await open(file, () => ({ type: 0x6969 })).catch((thrown: unknown) => thrown);
    expect(codeOf(error)).toBe('store_network_fs');
    expect(String(error)).toContain('(nfs)');
    expect(existsSync(file)).toBe(false);
  });
});

describe('a full disk', () => {
  test.skipIf(refusal)(
    `fails a commit whole, and the store goes on when there is room${needsMount}`,
    async () => {
      expect(mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir)).toBeNull();
      try {
        writeFileSync(join(dir, 'filler'), Buffer.alloc(400 * 1024));
        const store = await open(join(dir, 'baton.db'));
        const big = (n: number) => creating(`sp-${n}`, { state: { phase: 'one', big: 'x'.repeat(20_000) } });
        let stored = 0;
        const fill = async (): Promise<never> => {
          for (;;) {
            await store.commit([big(stored)]);
            stored++;
          }
        };
        expect(await fill().catch(codeOf)).toBe('disk_full');
        expect(stored).toBeGreaterThan(0);
        expect(await store.list({})).toHaveLength(stored);
        expect(await store.commit([big(stored)]).catch(codeOf)).toBe('disk_full');
        rmSync(join(dir, 'filler'));
        expect(await store.commit([big(stored)])).toEqual({ kind: 'committed' });
        expect(await store.list({})).toHaveLength(stored + 1);
        expect(await store.integrity()).toEqual([]);
        store.close();
      } finally {
        unmount(dir);
      }
    },
  );

  test.skipIf(refusal)(`leaves nothing of a new store behind${needsMount}`, async () => {
    expect(mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir)).toBeNull();
    try {
      const file = join(dir, 'baton.db');
      expect(await open(file).catch(codeOf)).toBe('disk_full');
      expect(existsSync(file)).toBe(false);
    } finally {
      unmount(dir);
    }
  });
});

describe('a read-only place', () => {
  test.skipIf(refusal)(`is refused, with and without a store in it${needsMount}`, async () => {
    const location = join(dir, 'place');
    mkdirSync(location);
    const store = await open(join(location, 'baton.db'));
    await store.commit([creating('sp-1')]);
    store.close();
    expect(mount('--bind', location, location)).toBeNull();
    try {
      expect(mount('-o', 'remount,ro,bind', location)).toBeNull();
      expect(await open(join(location, 'baton.db')).catch(codeOf)).toBe('store_read_only');
      expect(await open(join(location, 'new.db')).catch(codeOf)).toBe('store_read_only');
      expect(await open(join(location, 'deeper', 'new.db')).catch(codeOf)).toBe('store_read_only');
    } finally {
      unmount(location);
    }
    const again = await open(join(location, 'baton.db'));
    expect(await again.load('sp-1')).toMatchObject({ id: 'sp-1' });
    again.close();
  });
});
