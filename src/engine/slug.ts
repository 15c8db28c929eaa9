import anyAscii from 'any-ascii';

declare const slug: unique symbol;

/** The name of a run's branch, documents and task: `^[a-z0-9_]+(-[a-z0-9_]+)*$`, 1 to 50 characters (WF-16). */
export type Slug = string & { readonly [slug]: true };

const MAX = 50;
const MAX_BASE = 35;
const MAX_COUNTER = 9_999;

/** Slug of a task in any script. Total: a task without a usable character becomes `task-<shortId>`. */
export function toSlug(task: string, shortId: string): Slug {
  return (clean(task) || clean(`task-${shortId}`)) as Slug;
}

/**
 * An unused slug (SP-10): the base cut to 35 characters, `-` and the stamp (UTC YYYYMMDDHHMMSS). If it is taken, a
 * counter from 2 is appended and the base is cut further, so that the slug never exceeds 50 characters.
 * Throws RangeError on a malformed stamp, or if 9,999 names of one second are taken.
 */
export function withTimestamp(base: Slug, stamp: string, isTaken: (slug: Slug) => boolean): Slug {
  if (!/^\d{14}$/.test(stamp)) throw new RangeError(`not a YYYYMMDDHHMMSS stamp: ${stamp}`);
  for (let n = 1; n <= MAX_COUNTER; n += 1) {
    const suffix = n === 1 ? `-${stamp}` : `-${stamp}-${n}`;
    const candidate = `${cut(base, Math.min(MAX_BASE, MAX - suffix.length))}${suffix}` as Slug;
    if (!isTaken(candidate)) return candidate;
  }
  throw new RangeError(`no free slug for ${base} at ${stamp}`);
}

function clean(text: string): string {
  const words = anyAscii(text)
    .toLowerCase()
    .replace(/\s/g, '-')
    .replace(/[^a-z0-9_-]/g, '')
    .replace(/-+/g, '-')
    .replace(/^-/, '');
  return cut(words, MAX);
}

function cut(text: string, max: number): string {
  return text.slice(0, max).replace(/-$/, '');
}
