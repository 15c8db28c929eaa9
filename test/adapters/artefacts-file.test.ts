import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileArtefacts } from '../../src/adapters/artefacts-file/artefacts.ts';
import type { Hash } from '../../src/contract/ids.ts';
import { mount, mountRefusal, unmount } from '../support/mounts.ts';

const refusal = mountRefusal();
const needsMount = refusal === null ? '' : ` (skipped: ${refusal})`;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'baton-artefacts-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const folder = () => join(dir, 'deep', 'artefacts');
const hashOf = (text: string): Hash => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const pathOf = (hash: Hash) => join(folder(), hash.slice(7, 9), hash.slice(7));

test('a text comes back under the hash of its bytes', async () => {
  const artefacts = createFileArtefacts(folder());
  const text = 'größer\r\n한국어\n';
  const hash = await artefacts.put(text);
  expect(hash).toBe(hashOf(text));
  expect(await artefacts.get(hash)).toBe(text);
  expect(await artefacts.has(hash)).toBe(true);
  expect(await artefacts.get(await artefacts.put(''))).toBe('');
});

test('files are for their owner only and sharded by two digits', async () => {
  const hash = await createFileArtefacts(folder()).put('x');
  expect(statSync(pathOf(hash)).mode & 0o777).toBe(0o600);
  expect(statSync(folder()).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder(), 'tmp'))).toEqual([]);
});

test('content that is there is not written again', async () => {
  const artefacts = createFileArtefacts(folder());
  const hash = await artefacts.put('x');
  utimesSync(pathOf(hash), 1, 1);
  const before = statSync(pathOf(hash));
  await artefacts.put('x');
  expect(statSync(pathOf(hash))).toMatchObject({ ino: before.ino, mtimeMs: 1000 });
});

test('the same text put many times at once is one whole file', async () => {
  const artefacts = createFileArtefacts(folder());
  const text = 'y'.repeat(100_000);
  const hashes = await Promise.all(Array.from({ length: 8 }, () => artefacts.put(text)));
  expect(new Set(hashes).size).toBe(1);
  expect(await artefacts.get(hashOf(text))).toBe(text);
  expect(readdirSync(join(folder(), 'tmp'))).toEqual([]);
});

test('a missing text and a name that is no hash are told as missing', async () => {
  const artefacts = createFileArtefacts(folder());
  const missing = { failure: { code: 'artefact_missing', retry: 'permanent' } };
  await expect(artefacts.get(hashOf('never'))).rejects.toMatchObject(missing);
  await expect(artefacts.get('sha256:../../../etc/passwd')).rejects.toMatchObject(missing);
  expect(await artefacts.has(hashOf('never'))).toBe(false);
  expect(await artefacts.has('sha256:../x')).toBe(false);
});

test('changed content is refused', async () => {
  const artefacts = createFileArtefacts(folder());
  const hash = await artefacts.put('approve');
  writeFileSync(pathOf(hash), 'deplore');
  await expect(artefacts.get(hash)).rejects.toMatchObject({
    failure: { code: 'artefact_corrupt', retry: 'permanent' },
  });
});

test('a file cut short is refused, and putting its text again makes it whole', async () => {
  const artefacts = createFileArtefacts(folder());
  const hash = await artefacts.put('a long text');
  truncateSync(pathOf(hash), 3);
  await expect(artefacts.get(hash)).rejects.toMatchObject({ failure: { code: 'artefact_corrupt' } });
  await artefacts.put('a long text');
  expect(await artefacts.get(hash)).toBe('a long text');
});

test('what a crash left under a passing name is ignored', async () => {
  const hash = hashOf('half written');
  mkdirSync(join(folder(), 'tmp'), { recursive: true });
  writeFileSync(join(folder(), 'tmp', '4711-abc'), 'half wr');
  const artefacts = createFileArtefacts(folder());
  expect(await artefacts.has(hash)).toBe(false);
  await artefacts.put('half written');
  expect(await artefacts.get(hash)).toBe('half written');
  expect(readdirSync(join(folder(), 'tmp'))).toEqual(['4711-abc']);
});

test.skipIf(refusal)(`a full disk is told as such and leaves no half file${needsMount}`, async () => {
  expect(mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir)).toBeNull();
  try {
    const artefacts = createFileArtefacts(folder());
    const text = 'z'.repeat(200_000);
    await expect(artefacts.put(text)).rejects.toMatchObject({
      failure: { code: 'disk_full', retry: 'transient' },
    });
    expect(await artefacts.has(hashOf(text))).toBe(false);
    expect(readdirSync(join(folder(), 'tmp'))).toEqual([]);
    expect(await artefacts.get(await artefacts.put('small'))).toBe('small');
  } finally {
    unmount(dir);
  }
});
