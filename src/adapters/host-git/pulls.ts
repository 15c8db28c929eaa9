import * as z from 'zod';
import type { BuildPr } from '../../contract/code-host.ts';
import { parseJson } from '../../engine/parse-json.ts';
import type { RefMove, Remote } from './remote.ts';
import type { Scratch } from './scratch.ts';

/**
 * The data of a pull request, stored as a blob behind a ref of the remote. Everyone who can reach the remote sees the
 * same pull requests. `effect` is the last write that opened or updated it.
 */
const PullData = z.strictObject({
  v: z.literal(1),
  ticket: z.string(),
  branch: z.string(),
  base: z.string(),
  title: z.string(),
  body: z.string(),
  opened_at: z.string(),
  author_is_bot: z.boolean(),
  state: z.enum(['open', 'merged', 'closed']),
  effect: z.string(),
});
type PullData = z.infer<typeof PullData>;

export interface Pull extends PullData {
  readonly number: number;
  readonly head_sha: string;
  /** The blob it was read from. */
  readonly blob: string;
}

export interface Pulls {
  readonly all: readonly Pull[];
  /** The next free number. */
  readonly next: number;
}

const PULLS = 'refs/baton/pull/';

/** Every ref of every pull request, for a listing. */
export const ALL_PULLS = `${PULLS}*`;

export function pullRefs(number: number): { readonly head: string; readonly data: string } {
  return { head: `${PULLS}${number}/head`, data: `${PULLS}${number}/data` };
}

/** Refs whose contents `readPulls` reads. */
export function pullDataRefs(at: ReadonlyMap<string, string>): string[] {
  return [...at.keys()].filter((ref) => /^refs\/baton\/pull\/[1-9]\d{0,8}\/data$/.test(ref));
}

/** The pull requests of a listing. An overwritten record is ignored. Its number stays reserved. */
export async function readPulls(scratch: Scratch, at: ReadonlyMap<string, string>): Promise<Pulls> {
  const refs = pullDataRefs(at);
  const numbers = refs.map((ref) => Number(ref.split('/')[3]));
  const texts = await readBlobs(
    scratch,
    refs.map((ref) => at.get(ref) ?? ''),
  );
  const all = numbers.flatMap((number): Pull[] => {
    const [blob = '', head_sha] = [at.get(pullRefs(number).data), at.get(pullRefs(number).head)];
    const data = parse(texts.get(blob));
    return data === null || head_sha === undefined ? [] : [{ ...data, number, head_sha, blob }];
  });
  return { all: all.sort((a, b) => a.number - b.number), next: Math.max(0, ...numbers) + 1 };
}

/** Writes the data of a pull request into our own directory and returns its blob. */
export async function writePull(scratch: Scratch, data: PullData): Promise<string> {
  const input = JSON.stringify(PullData.parse(data));
  return (await scratch.need(['hash-object', '-w', '--stdin'], { input })).trim();
}

/** The ref move that records the new state of a pull request. */
export async function moveTo(scratch: Scratch, pull: Pull, state: Pull['state']): Promise<RefMove> {
  const { number, head_sha: _, blob: from, ...data } = pull;
  return { ref: pullRefs(number).data, to: await writePull(scratch, { ...data, state }), from };
}

export function toBuildPr(pull: Pull, remote: Remote): BuildPr {
  const { branch, head_sha, number, base, opened_at, author_is_bot } = pull;
  const pr_url = `local:${remote.name}#${number}`;
  return { branch, head_sha, pr_number: number, pr_url, base, opened_at, author_is_bot };
}

function parse(text: string | undefined): PullData | null {
  return PullData.safeParse(parseJson(text ?? '')).data ?? null;
}

/** Contents by id. Ids that are not blobs are left out. */
async function readBlobs(scratch: Scratch, ids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (ids.length === 0) return found;
  const input = ids.map((id) => `${id}\n`).join('');
  let rest = await scratch.need(['cat-file', '--batch'], { input, binary: true });
  while (rest !== '') {
    const end = rest.indexOf('\n');
    const [id = '', kind, size] = rest.slice(0, end).split(' ');
    const content = rest.slice(end + 1, end + 1 + Number(size));
    if (kind === 'blob') found.set(id, Buffer.from(content, 'latin1').toString('utf8'));
    rest = rest.slice(end + 1 + content.length + 1);
  }
  return found;
}
