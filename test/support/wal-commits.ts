import { existsSync, readFileSync } from 'node:fs';

/**
 * How many commits stand in the write-ahead log of a database, read from the file itself: each cost one sync. Frames
 * of an older round of the log (other salt) do not count.
 */
export function walCommits(file: string): number {
  const wal = existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : Buffer.alloc(0);
  if (wal.length < 32) return 0;
  const frame = 24 + wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  let commits = 0;
  for (let at = 32; at + frame <= wal.length; at += frame) {
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break;
    if (wal.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
