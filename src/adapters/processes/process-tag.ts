import { readFileSync } from 'node:fs';

/**
 * The process tag: hard limits that every worker and check carries. A process can lower a hard limit but never raise
 * it. So the tag survives a cleared environment, a new session and a double fork. The limit on file size is at least
 * 2^61 bytes, which no file ever reaches. The limit on file locks has no effect since Linux 2.4. It carries the same
 * tag mirrored: if a process lowers one or both limits, they no longer match.
 */
const LOWEST = 2n ** 61n;
const HIGHEST = 2n ** 62n;
/** A multiple of every unit in which shells count `ulimit -f`. */
const STEP = 4096n;
/** Bits of a tag for the run, its turn, the effect and the attempt. The tags of each of them form one range. */
const BITS = [24n, 10n, 8n, 6n] as const;

/** Matching limits on file size and on file locks add up to this. */
const SUM = LOWEST + HIGHEST - STEP;

/** Half-open range of hard limits, in bytes. */
export interface TagRange {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * The tags of all processes whose call id begins with `call_id`: `sp-3aa`, `sp-3aa/2`, `sp-3aa/2/0` or `sp-3aa/2/0.1`.
 */
export function tagRange(location: string, call_id: string): TagRange {
  const [, run, turn, effect, attempt] =
    /^([^/]*)(?:\/([^/]*))?(?:\/(.*?))?(?:\.(\d+))?$/s.exec(call_id) ?? [];
  const parts = [`${location}\0${run}`, turn, effect, attempt];
  let number = 0n;
  let width = 1n;
  for (const [at, size] of BITS.entries()) {
    const part = parts[at];
    number = (number << size) + (part === undefined ? 0n : BigInt.asUintN(Number(size), numberOf(part)));
    width = part === undefined ? width << size : 1n;
  }
  const from = LOWEST + number * STEP;
  return { from, to: from + width * STEP };
}

/** Hard limits of a process; null: unlimited. */
export interface Limits {
  readonly file: bigint | null;
  readonly locks: bigint | null;
}

/**
 * The limits to set for the tag; null: leave that limit unchanged. A limit that is already finite stays, and the other
 * one carries the tag. Limits that already carry a tag stay as they are.
 */
export function limitsFor(tag: bigint, own: Limits): Limits {
  if (isTagged(own)) return { file: null, locks: null };
  const locks = own.file === null ? SUM - tag : tag + LOWEST;
  return { file: own.file === null ? tag : null, locks: own.locks === null ? locks : null };
}

/** Whether these limits carry any tag. Only workers and checks have such limits. */
export function isTagged({ file, locks }: Limits): boolean {
  return isBetween(file, LOWEST, HIGHEST) || isBetween(locks, LOWEST, HIGHEST + LOWEST);
}

/** Whether these limits carry a tag of the range. */
export function carriesTag({ file, locks }: Limits, { from, to }: TagRange): boolean {
  const tags = locks === null ? [file] : [file, SUM - locks, locks - LOWEST];
  return tags.some((tag) => isBetween(tag, from, to));
}

/**
 * The tags that a process with lowered limits may have had; null if its limits match. Limits only go down, so the tag is
 * between the limit on file size and the mirrored limit on file locks. Only workers and checks have both limits. Lock
 * limits from `HIGHEST` up do not count: they belong to a worker below a shell that has its own limit on file size.
 */
export function lostTags({ file, locks }: Limits): TagRange | null {
  if (file === null || locks === null || locks >= HIGHEST || file + locks === SUM) return null;
  return { from: file, to: SUM - locks + 1n };
}

function isBetween(limit: bigint | null, from: bigint, to: bigint): boolean {
  return limit !== null && limit >= from && limit < to;
}

/** Hard limits of a living process; null if they cannot be read. */
export function readLimits(pid: number | 'self' = 'self'): Limits | null {
  try {
    const text = readFileSync(`/proc/${pid}/limits`, 'utf8');
    const hard = (name: string) => new RegExp(`^Max file ${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1];
    const [file, locks] = [hard('size'), hard('locks')];
    return { file: file ? BigInt(file) : null, locks: locks ? BigInt(locks) : null };
  } catch {
    return null;
  }
}

/** Hard limit on file size of a living process; null: unlimited, or not readable. */
export function hardFileLimit(pid: number | 'self' = 'self'): bigint | null {
  return readLimits(pid)?.file ?? null;
}

function numberOf(text: string): bigint {
  if (/^\d{1,15}$/.test(text)) return BigInt(text);
  return BigInt(`0x${process.getBuiltinModule('node:crypto').hash('sha256', text).slice(0, 12)}`);
}
